import { z } from 'zod';
import { textOf, type Language } from '../../../kernel/contract/label.ts';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { notFound } from '../../../kernel/server/http/errors.ts';
import { Parameters } from '../../../kernel/server/people/scope.ts';
import { defineRegistration, endpoint, type Call } from '../../../kernel/server/registration.ts';
import {
  alertKinds,
  isAlertHolder,
  kindsOutOfSight,
} from '../../../domain/notification/notice-kinds.rules.ts';
import { readableCondition, sightsOf } from '../../../domain/notification/row-sight.server.ts';
import { openStream } from './notification-stream.server.ts';

interface NotificationRow {
  readonly id: number;
  readonly kind: string;
  readonly level: string;
  readonly title_zh: string;
  readonly title_en: string;
  readonly body_zh: string;
  readonly body_en: string;
  readonly menu: string;
  readonly route: string;
  readonly read_at: Date | null;
  readonly created_at: Date;
}

const ROOT = '/admin/notification';

/**
 * Of the messages (`n`) of the caller those it may read now: the same for the list, its numbers and every change. Asked
 * beforehand of which rows they tell, the condition is as short as the bell of this staff: every window asks it often.
 */
async function inSight(
  { caller, platform }: Pick<Call, 'caller' | 'platform'>,
  parameters: Parameters,
  unreadOnly = false,
): Promise<string> {
  const unread = unreadOnly ? ' AND n.read_at IS NULL' : '';
  const told = await run<{ entity: string; menu: string }>(
    platform.database.db,
    `SELECT DISTINCT n.entity, n.menu FROM notification n WHERE n.staff_id = $1 AND n.entity <> ''${unread}`,
    [caller.staffId],
  );
  const kinds = parameters.bind(kindsOutOfSight(caller));
  const readable = readableCondition(sightsOf(platform, told), caller, parameters);
  return `n.staff_id = ${parameters.bind(caller.staffId)}${unread} AND n.kind <> ALL(${kinds}::text[]) AND ${readable}`;
}

/** Messages of the bell. Every call sees the caller's own only; they are no business data, so no audit. */
export const registration = defineRegistration({
  endpoints: [
    endpoint({
      method: 'GET',
      path: `${ROOT}/page`,
      title: ['通知列表', 'Notifications'],
      access: 'staff',
      query: z.strictObject({
        page: z.coerce.number().int().min(1).max(1_000).default(1),
        limit: z.coerce.number().int().min(1).max(200).default(10),
        kind: z.string().max(40).optional(),
        unread: z.literal('1').optional(),
        part: z.enum(['message', 'alert']).optional(),
      }),
      handle: async (call) => {
        const { page, limit, kind, unread, part } = call.query;
        const parameters = new Parameters();
        const where = [
          await inSight(call, parameters, unread !== undefined),
          ...(kind === undefined ? [] : [`n.kind = ${parameters.bind(kind)}`]),
          ...(part === undefined
            ? []
            : [`(n.kind = ANY(${parameters.bind(alertKinds)}::text[])) = ${part === 'alert'}`]),
        ].join(' AND ');
        const counted = [...parameters.values];
        const limits = `LIMIT ${parameters.bind(limit)} OFFSET ${parameters.bind((page - 1) * limit)}`;
        const { db } = call.platform.database;
        const [rows, total] = await Promise.all([
          run<NotificationRow>(
            db,
            `SELECT id, kind, level, title_zh, title_en, body_zh, body_en, menu, route, read_at, created_at
               FROM notification n WHERE ${where} ORDER BY id DESC ${limits}`,
            parameters.values,
          ),
          runOne<{ count: number }>(
            db,
            `SELECT count(*) AS count FROM notification n WHERE ${where}`,
            counted,
          ),
        ]);
        return { total: total!.count, rows: rows.map((row) => wireOf(row, call.facts.language)) };
      },
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/unread`,
      title: ['未读通知数', 'Unread notifications'],
      access: 'staff',
      handle: async (call) => {
        const parameters = new Parameters();
        const alerts = parameters.bind(alertKinds);
        const where = await inSight(call, parameters, true);
        const row = await runOne<{ total: number; newest: number | null; important: number; alerts: number }>(
          call.platform.database.db,
          `SELECT count(*) AS total, max(id) AS newest, count(*) FILTER (WHERE level = 'important') AS important,
                  count(*) FILTER (WHERE kind = ANY(${alerts}::text[])) AS alerts
             FROM notification n WHERE ${where}`,
          parameters.values,
        );
        return {
          total: row!.total,
          important: row!.important,
          // Null: the tab of alerts is not for this staff.
          alerts: row!.alerts > 0 || isAlertHolder(call.caller) ? row!.alerts : null,
          newestId: row!.newest === null ? null : String(row!.newest),
        };
      },
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/stream`,
      title: ['通知推送', 'Stream of notifications'],
      access: 'staff',
      rawReply: true,
      // Not awaited: the call would look unfinished for as long as the window is open.
      handle: async (call) => openStream(call),
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/readAll`,
      title: ['全部已读', 'Mark all as read'],
      access: 'staff',
      handle: async (call) => {
        const parameters = new Parameters();
        await run(
          call.platform.database.db,
          `UPDATE notification n SET read_at = clock_timestamp() WHERE ${await inSight(call, parameters, true)}`,
          parameters.values,
        );
        return true;
      },
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/:id/read`,
      title: ['标记已读', 'Mark as read'],
      access: 'staff',
      handle: (call) =>
        changeOne(call, 'UPDATE notification n SET read_at = coalesce(read_at, clock_timestamp())'),
    }),
    endpoint({
      method: 'DELETE',
      path: `${ROOT}/:id`,
      title: ['删除通知', 'Delete a notification'],
      access: 'staff',
      handle: (call) => changeOne(call, 'DELETE FROM notification n'),
    }),
  ],
});

async function changeOne(call: Call, statement: string): Promise<boolean> {
  const id = call.params.id ?? '';
  const parameters = new Parameters();
  const row = /^\d{1,15}$/.test(id)
    ? await runOne(
        call.platform.database.db,
        `${statement} WHERE ${await inSight(call, parameters)} AND n.id = ${parameters.bind(Number(id))} RETURNING n.id`,
        parameters.values,
      )
    : undefined;
  if (!row) throw notFound();
  return true;
}

function wireOf(row: NotificationRow, language: Language) {
  return {
    id: String(row.id),
    kind: row.kind,
    level: row.level,
    title: textOf([row.title_zh, row.title_en], language),
    body: textOf([row.body_zh, row.body_en], language),
    menu: row.menu,
    route: row.route || null,
    read: row.read_at !== null,
    at: isoInstant(row.created_at),
  };
}
