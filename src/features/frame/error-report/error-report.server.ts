import { z } from 'zod';
import { runOne, transaction } from '../../../kernel/server/database.ts';
import { withoutPersonal } from '../../../kernel/server/http/log-value.rules.ts';
import { tooMany } from '../../../kernel/server/http/errors.ts';
import { defineRegistration, endpoint } from '../../../kernel/server/registration.ts';

/** Reports a staff may send in a minute. Source: 00-frame, error log. */
export const REPORTS_A_MINUTE = 20;

/** Takes reports of errors the page caught. */
export const registration = defineRegistration({
  endpoints: [
    endpoint({
      method: 'POST',
      path: '/admin/errorReport',
      title: ['上报页面错误', 'Report an error of the page'],
      access: 'staff',
      body: z.strictObject({
        message: cut(1_000).refine((text) => text !== ''),
        where: cut(300).default(''),
        url: cut(600).default(''),
        stack: cut(8_000).default(''),
        release: cut(80).default(''),
        route: cut(300).default(''),
        userAgent: cut(300).default(''),
        traceId: z
          .string()
          .regex(/^[0-9a-f]{0,32}$/)
          .default(''),
      }),
      handle: async ({ body, caller, platform, facts }) => {
        takeTurn(caller.staffId);
        const report = {
          ...body,
          url: withoutSecrets(body.url),
          route: withoutSecrets(body.route),
          message: withoutPersonal(withoutSecrets(body.message)),
          stack: withoutPersonal(withoutSecrets(body.stack)),
        };
        await transaction(platform.database.db, async (tx) => {
          // Equal ones of an hour are one row with a count; the trace id of the newest leads to its calls.
          const counted = await runOne(
            tx,
            `UPDATE error_report SET times = times + 1, trace_id = $5
              WHERE id = (SELECT id FROM error_report
                           WHERE created_at > now() - interval '1 hour' AND staff_id = $1 AND message = $2 AND place = $3
                             AND url = $4 AND release = $6 AND origin = 'browser' ORDER BY id DESC LIMIT 1)
              RETURNING id`,
            [caller.staffId, report.message, report.where, report.url, report.traceId, report.release],
          );
          if (counted) return;
          await runOne(
            tx,
            `INSERT INTO error_report (message, place, url, stack, release, route, user_agent, trace_id, staff_id)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
            [
              report.message,
              report.where,
              report.url,
              report.stack,
              report.release,
              report.route,
              report.userAgent || facts.userAgent,
              report.traceId,
              caller.staffId,
            ],
          );
        });
        return true;
      },
    }),
  ],
});

/** A text of at most 20,000 characters, kept up to `length`: a long stack is still worth its beginning. */
function cut(length: number) {
  return z
    .string()
    .max(20_000)
    .transform((text) => text.slice(0, length).toWellFormed());
}

/** Tokens, tickets and codes never belong into a log, wherever they stand in a text. */
function withoutSecrets(text: string): string {
  return text
    .replace(/([?&#](?:access_token|token|ticket|code|key)=)[^&#\s]*/gi, '$1***')
    .replace(/\b(Bearer|Basic)\s+[A-Za-z0-9+/_=-]{8,}/gi, '$1 ***');
}

const sent = new Map<number, number[]>();

/** Counts per process: with several servers the limit is a little wider, which harms nobody. */
function takeTurn(staffId: number, now = Date.now()): void {
  const recent = (sent.get(staffId) ?? []).filter((at) => now - at < 60_000);
  if (recent.length >= REPORTS_A_MINUTE)
    throw tooMany(
      ['上报过于频繁，请稍后再试', 'Too many reports, please wait'],
      (recent[0]! + 60_000 - now) / 1000,
    );
  recent.push(now);
  sent.set(staffId, recent);
  if (sent.size <= 1_000) return;
  for (const [staff, times] of sent) if (now - times.at(-1)! > 60_000) sent.delete(staff);
}
