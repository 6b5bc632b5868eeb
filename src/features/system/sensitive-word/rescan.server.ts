import { z } from 'zod';
import { caseOfProduct } from '../../../domain/report-case/report-case.server.ts';
import { checkSensitive, noteSensitiveHits } from '../../../domain/sensitive-words/sensitive-words.server.ts';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { writeAudit } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { ruleBroken } from '../../../kernel/server/http/errors.ts';
import { staffIdOf } from '../../../kernel/server/people/caller.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { endpoint, type Endpoint, type Job } from '../../../kernel/server/registration.ts';
import { queueJob } from '../../../kernel/server/tasks/job-queue.ts';
import { sensitiveWord, type Rescan } from './sensitive-word.contract.ts';

const RESCAN = 'sensitiveWord.rescan';
const ACCESS = { code: `${sensitiveWord.menu}:btn_rescan` };
const PATH = '/jinmao/web/sensitiveWord/rescan';
const BATCH = 200;
/** One that has not ended by then ended with its worker. */
const STALE = `interval '30 minutes'`;

interface Written {
  readonly id: number;
  readonly content: string;
  readonly member: number;
}

const TEXTS = {
  post: `SELECT t.id, t.content, t.member_id AS member FROM post t
     WHERE t.published_at > now() - make_interval(days => $1) AND t.deleted_at IS NULL AND t.content <> '' AND t.id > $2
       AND ($3::bigint[] IS NULL OR t.project_id = ANY($3::bigint[])) ORDER BY t.id LIMIT ${BATCH}`,
  comment: `SELECT t.id, t.content, t.member_id AS member FROM content_comment t LEFT JOIN post p ON p.id = t.post_id
     WHERE t.published_at > now() - make_interval(days => $1) AND t.deleted_at IS NULL AND t.member_id IS NOT NULL AND t.topic_id IS NULL AND t.id > $2
       AND ($3::bigint[] IS NULL OR coalesce(p.project_id, t.project_id) = ANY($3::bigint[])) ORDER BY t.id LIMIT ${BATCH}`,
} as const;

/**
 * Looks over posts and comments of some days with the words of now. What holds a word nobody noted there yet is noted, and
 * what is shown becomes a case of the reports, unless there is one. A repeat finds nothing new.
 */
export async function runRescan(platform: Platform, id: number): Promise<void> {
  const { db } = platform.database;
  const asked = await runOne<{ days: number; projects: number[] | null }>(
    db,
    `UPDATE sensitive_rescan SET state = 'running', looked = 0 WHERE id = $1 AND state IN ('queued', 'running') RETURNING days, project_ids AS projects`,
    [id],
  );
  if (!asked) return;
  for (const type of ['post', 'comment'] as const)
    for (let after = 0; ;) {
      const batch = await run<Written>(db, TEXTS[type], [asked.days, after, asked.projects]);
      if (batch.length === 0) break;
      after = batch.at(-1)!.id;
      let [found, cases] = [0, 0];
      for (const one of batch) {
        const became = await lookAt(platform, type, one);
        if (became !== undefined) found += 1;
        if (became === 'case') cases += 1;
      }
      await run(
        db,
        'UPDATE sensitive_rescan SET looked = looked + $2, found = found + $3, cases = cases + $4 WHERE id = $1',
        [id, batch.length, found, cases],
      );
    }
  await run(db, `UPDATE sensitive_rescan SET state = 'done', finished_at = clock_timestamp() WHERE id = $1`, [
    id,
  ]);
  platform.changed('reportCase');
}

async function lookAt(
  platform: Platform,
  type: 'post' | 'comment',
  { id, content, member }: Written,
): Promise<'noted' | 'case' | undefined> {
  const verdict = await checkSensitive(platform, content);
  if (verdict.level === null) return undefined;
  return transaction(platform.database.db, async (tx) => {
    // Who writes, reports or looks at the same content waits.
    const target = { type, id } as const;
    const opened = await caseOfProduct(tx, platform, target, [
      '敏感词重扫',
      'Found by a look for sensitive words',
    ]);
    const known = new Set(
      (
        await run<{ word: number | null }>(
          tx,
          'SELECT word_id AS word FROM sensitive_hit WHERE target_type = $1 AND target_id = $2',
          [type, id],
        )
      ).map((row) => row.word),
    );
    const fresh = verdict.hits.filter(({ word }) => !known.has(word.id));
    if (fresh.length > 0)
      await noteSensitiveHits(tx, { ...verdict, hits: fresh }, { ...target, memberId: member });
    return opened ? 'case' : fresh.length > 0 ? 'noted' : undefined;
  });
}

/** Does what was asked for; one whose worker was stopped is taken up by its repeat. */
export const rescanJob: Job = {
  name: RESCAN,
  title: ['敏感词重扫', 'Look over contents for sensitive words'],
  run: (payload, platform) => runRescan(platform, (payload as { readonly id: number }).id),
};

/** Asks for a look over what was written, and tells of the last ones. */
export const rescanEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'POST',
    path: PATH,
    title: ['重扫内容', 'Look over contents'],
    access: ACCESS,
    body: z.strictObject({ days: z.number().int().min(1).max(90) }),
    handle: async ({ platform, caller, facts, body }) =>
      transaction(platform.database.db, async (tx) => {
        await run(
          tx,
          `UPDATE sensitive_rescan SET state = 'failed', finished_at = clock_timestamp()
            WHERE state IN ('queued', 'running') AND created_at < clock_timestamp() - ${STALE}`,
        );
        const row = await runOne<{ id: number }>(
          tx,
          'INSERT INTO sensitive_rescan (days, project_ids, asked_by) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING id',
          [body.days, caller.projectIds, staffIdOf(caller)],
        );
        if (!row) throw ruleBroken(['重扫正在进行', 'Contents are being looked over already']);
        await queueJob(tx, RESCAN, { id: row.id }, { jobKey: `${RESCAN}:${row.id}`, maxAttempts: 3 });
        await writeAudit(tx, {
          caller,
          facts,
          menu: sensitiveWord.menu,
          action: 'rescan',
          entity: sensitiveWord.name,
          entityId: String(row.id),
          after: { days: body.days },
        });
        return { id: String(row.id) };
      }),
  }),
  endpoint({
    method: 'GET',
    path: PATH,
    title: ['重扫记录', 'Looks over contents'],
    access: ACCESS,
    handle: async ({ platform }): Promise<Rescan[]> =>
      (
        await run<Omit<Rescan, 'at' | 'finishedAt'> & { at: Date; finished: Date | null }>(
          platform.database.db,
          `SELECT t.id::text AS id, t.days, t.state, t.looked, t.found, t.cases, coalesce(s.name, '') AS by, t.created_at AS at, t.finished_at AS finished
             FROM sensitive_rescan t LEFT JOIN staff s ON s.id = t.asked_by ORDER BY t.created_at DESC LIMIT 5`,
        )
      ).map(({ at, finished, ...row }) => ({
        ...row,
        at: isoInstant(at),
        finishedAt: finished && isoInstant(finished),
      })),
  }),
];
