import { verifyAudit } from '../../../kernel/server/audit/audit-seal.ts';
import { integer } from '../../../kernel/contract/fields.ts';
import { run, runOne, transaction, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { failureFacts } from '../../../kernel/server/http/failure-facts.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import type { Job } from '../../../kernel/server/registration.ts';
import { writeSystemEvent } from '../../../kernel/server/tasks/system-event.ts';

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
export async function runCheck(
  platform: Platform,
  id: number,
): Promise<Pick<CheckRow, 'state' | 'checked' | 'problems'>> {
  const { db } = platform.database;
  const row = await runOne<CheckRow>(
    db,
    `UPDATE audit_check SET state = 'running' WHERE id = $1 AND state IN ('queued', 'running') RETURNING *`,
    [id],
  );
  if (!row) return { state: 'failed', checked: 0, problems: [] };
  const verdict = await verifyAudit(db, {
    dataDir: platform.config.dataDir,
    ...(row.from_no === null ? {} : { from: row.from_no }),
    ...(row.to_no === null ? {} : { to: row.to_no }),
  });
  const broken = verdict.problems.length > 0;
  await transaction(db, async (tx) => {
    await run(
      tx,
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
    if (broken) await tellBreak(tx, id, verdict);
  });
  if (broken)
    platform.log.error(
      { err: failureFacts(new Error(verdict.problems[0]!)), auditCheck: id },
      'the audit chain is broken',
    );
  return { state: broken ? 'broken' : 'ok', checked: verdict.checked, problems: verdict.problems };
}

/** A break stands in the system log, and the platform administrators are told. */
async function tellBreak(
  tx: Tx,
  checkId: number,
  verdict: { readonly firstBroken?: number | undefined; readonly problems: readonly string[] },
): Promise<void> {
  const no = verdict.firstBroken;
  await writeSystemEvent(tx, {
    kind: 'doctor',
    level: 'error',
    text: no
      ? [`审计链已断裂，首个异常记录 ${no}`, `The audit chain is broken, first at record ${no}`]
      : ['审计链已断裂', 'The audit chain is broken'],
    detail: { auditCheck: checkId, firstBroken: no ?? null, problems: verdict.problems.slice(0, 10) },
    alert: true,
  });
}

/** The looks somebody asked for, and one over everything each Sunday at 04:00. */
export const checkJobs: readonly Job[] = [
  {
    name: CHECK_JOB,
    title: ['校验审计链', 'Verify the audit chain'],
    run: async (payload, platform) => {
      await runCheck(platform, (payload as { id: number }).id);
    },
  },
  {
    name: 'audit.verify',
    title: ['每周校验审计链', 'Verify the audit chain weekly'],
    // Saturday 20:00 UTC.
    cron: '0 20 * * 6',
    params: {
      from: integer(['起始序号', 'From no.'], { min: 1 }),
      to: integer(['截止序号', 'To no.'], { min: 1 }),
    },
    run: async (payload, platform, context) => {
      const { db } = platform.database;
      const { from, to } = (payload ?? {}) as { from?: number | null; to?: number | null };
      await giveUpStaleChecks(db);
      const row = await runOne<{ id: number }>(
        db,
        `INSERT INTO audit_check (asked_name, from_no, to_no) VALUES ('系统', $1, $2) ON CONFLICT DO NOTHING RETURNING id`,
        [from ?? null, to ?? null],
      );
      if (!row) return context?.print('另一次校验正在进行 / another check is running');
      const { state, checked, problems } = await runCheck(platform, row.id);
      context?.print(`${state}: ${checked}`);
      for (const problem of problems.slice(0, 20)) context?.print(problem);
    },
  },
];
