import { verifyAudit } from '../../../kernel/server/audit/audit-seal.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { failureFacts } from '../../../kernel/server/http/failure-facts.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import type { Job } from '../../../kernel/server/registration.ts';

/** Job name of one look over the chain; its payload is `{ id }` of audit_check. */
export const CHECK_JOB = 'audit.check';

/** A look over the chain as it lies in the database. */
export interface CheckRow {
  readonly id: number;
  readonly from_no: number | null;
  readonly to_no: number | null;
  readonly state: 'queued' | 'running' | 'ok' | 'broken' | 'failed';
  readonly checked: number;
  readonly unsealed: number;
  readonly first_broken: number | null;
  readonly problems: readonly string[];
  readonly asked_name: string;
  readonly created_at: Date;
  readonly finished_at: Date | null;
}

/** Marks looks that ended with their worker, so that a new one can be asked for. */
export async function giveUpStaleChecks(db: Executor): Promise<void> {
  await run(
    db,
    `UPDATE audit_check SET state = 'failed', finished_at = clock_timestamp()
      WHERE state IN ('queued', 'running') AND created_at < clock_timestamp() - interval '30 minutes'`,
  );
}

/** Does one look that was asked for and keeps what it found; one that has ended is left alone. */
export async function runCheck(platform: Platform, id: number): Promise<void> {
  const { db } = platform.database;
  const row = await runOne<CheckRow>(
    db,
    `UPDATE audit_check SET state = 'running' WHERE id = $1 AND state IN ('queued', 'running') RETURNING *`,
    [id],
  );
  if (!row) return;
  const verdict = await verifyAudit(db, {
    dataDir: platform.config.dataDir,
    ...(row.from_no === null ? {} : { from: row.from_no }),
    ...(row.to_no === null ? {} : { to: row.to_no }),
  });
  const broken = verdict.problems.length > 0;
  await run(
    db,
    `UPDATE audit_check SET state = $2, checked = $3, unsealed = $4, first_broken = $5, problems = $6, finished_at = clock_timestamp()
      WHERE id = $1 AND state = 'running'`,
    [
      id,
      broken ? 'broken' : 'ok',
      verdict.checked,
      verdict.unsealed,
      verdict.firstBroken ?? null,
      JSON.stringify(verdict.problems.slice(0, 100)),
    ],
  );
  if (broken)
    platform.log.error(
      { err: failureFacts(new Error(verdict.problems[0]!)), auditCheck: id },
      'the audit chain is broken',
    );
}

/** The looks somebody asked for, and one over everything each Sunday at 04:00. */
export const checkJobs: readonly Job[] = [
  {
    name: CHECK_JOB,
    title: ['校验审计链', 'Verify the audit chain'],
    run: (payload, platform) => runCheck(platform, (payload as { id: number }).id),
  },
  {
    name: 'audit.verify',
    title: ['每周校验审计链', 'Verify the audit chain weekly'],
    // Saturday 20:00 UTC.
    cron: '0 20 * * 6',
    run: async (_payload, platform) => {
      const { db } = platform.database;
      await giveUpStaleChecks(db);
      const row = await runOne<{ id: number }>(
        db,
        `INSERT INTO audit_check (asked_name) VALUES ('系统') ON CONFLICT DO NOTHING RETURNING id`,
      );
      if (row) await runCheck(platform, row.id);
    },
  },
];
