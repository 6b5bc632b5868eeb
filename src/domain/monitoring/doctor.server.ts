import { verifyAudit } from '../../kernel/server/audit/audit-seal.ts';
import { run, runOne, type Executor } from '../../kernel/server/database.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import type { Job } from '../../kernel/server/registration.ts';

/** Up to which audit record the chain was found whole; no metric, so its name begins with a mark no metric has. */
const CHECKED = '#audit_checked';
/** What the two checks of ledgers found last; the metric is both, so that neither hides the other. */
const LEDGER_CHECKS = ['#ledger_day', '#ledger_all'] as const;

/** Keeps the result of a check as the value of a metric that every sample shows until the next check. */
export async function noteFact(db: Executor, metric: string, value: number): Promise<void> {
  await run(
    db,
    `INSERT INTO monitor_fact (metric, value) VALUES ($1, $2)
     ON CONFLICT (metric) DO UPDATE SET value = excluded.value, at = now()`,
    [metric, value],
  );
}

/**
 * Ledger mistakes of the last day: transfers that do not sum to zero, and accounts they moved whose balance is not the sum
 * of their entries. Older ones are the daily check's.
 */
export async function ledgerProblems(db: Executor): Promise<readonly string[]> {
  const rows = await run<{ problem: string }>(
    db,
    `WITH moved AS (SELECT id FROM ledger_transfer WHERE at > now() - interval '25 hours'),
          touched AS (SELECT DISTINCT e.account_id AS id FROM moved m JOIN ledger_entry e ON e.transfer_id = m.id)
     SELECT 'transfer ' || m.id AS problem FROM moved m LEFT JOIN ledger_entry e ON e.transfer_id = m.id
      GROUP BY m.id HAVING coalesce(sum(e.amount), 1) <> 0
     UNION ALL
     SELECT 'account ' || a.id FROM touched t JOIN ledger_account a ON a.id = t.id
      WHERE a.balance IS NOT NULL AND a.balance <> coalesce((SELECT sum(e.amount) FROM ledger_entry e WHERE e.account_id = a.id), 0)`,
  );
  return rows.map((row) => row.problem);
}

/** Hours since the last good backup, or since the installation where there was none. */
export async function backupAge(db: Executor): Promise<number | undefined> {
  const row = await runOne<{ hours: number | null }>(
    db,
    `SELECT (extract(epoch FROM clock_timestamp() - coalesce(
       (SELECT max(at) FROM system_event WHERE kind = 'backup' AND level = 'info'),
       (SELECT min(applied_at) FROM schema_migration))) / 3600)::float8 AS hours`,
  );
  return row?.hours ?? undefined;
}

/** Problems of every invariant of the product, as `npm run doctor` finds them. */
async function allProblems(platform: Platform): Promise<string[]> {
  const problems: string[] = [];
  for (const invariant of platform.registrations.flatMap((service) => service.invariants ?? []))
    for (const problem of (await invariant.check(platform)).problems)
      problems.push(`${invariant.name}: ${problem}`);
  return problems;
}

/** The part of the chain nobody has looked at yet; where it is broken, the next check looks from there again. */
async function checkAudit(platform: Platform): Promise<readonly string[]> {
  const { db } = platform.database;
  const known = await runOne<{ value: number }>(db, 'SELECT value FROM monitor_fact WHERE metric = $1', [
    CHECKED,
  ]);
  const last = await runOne<{ id: number | null }>(db, 'SELECT max(record_id) AS id FROM audit_seal');
  if (last?.id == null) return [];
  const { problems } = await verifyAudit(db, { from: (known?.value ?? 0) + 1, to: last.id });
  if (problems.length === 0) await noteFact(db, CHECKED, last.id);
  return problems;
}

/**
 * The doctor's rounds: every hour ledger movements of the last day and the backup's age, daily at 04:00 every rule of the
 * product, at 04:30 the audit records sealed since the last look. What they find are metrics, which rules watch.
 * Source: group 05, Jobs.
 */
export const doctorJobs: readonly Job[] = [
  {
    name: 'monitor.doctor',
    title: ['数据检查', 'Doctor'],
    cron: '27 * * * *',
    run: async (_payload, platform, context) => {
      const { db } = platform.database;
      await tellLedger(platform, '#ledger_day', await ledgerProblems(db), context);
      const hours = await backupAge(db);
      if (hours !== undefined) await noteFact(db, 'backup_age_h', hours);
    },
  },
  {
    name: 'monitor.doctor_full',
    title: ['全量数据检查', 'Doctor, every rule'],
    // 20:00 UTC is 04:00 in Shanghai.
    cron: '0 20 * * *',
    run: async (_payload, platform, context) =>
      tellLedger(platform, '#ledger_all', await allProblems(platform), context),
  },
  {
    name: 'monitor.audit',
    title: ['检查新审计记录', 'Check new audit records'],
    cron: '30 20 * * *',
    run: async (_payload, platform, context) =>
      tell(platform, 'audit_chain_broken', await checkAudit(platform), context),
  },
];

async function tellLedger(
  platform: Platform,
  check: (typeof LEDGER_CHECKS)[number],
  problems: readonly string[],
  context: { print(text: string): void } | undefined,
): Promise<void> {
  const { db } = platform.database;
  await tell(platform, check, problems, context);
  const sum = await runOne<{ value: number | null }>(
    db,
    'SELECT sum(value) AS value FROM monitor_fact WHERE metric = ANY($1::text[])',
    [LEDGER_CHECKS],
  );
  await noteFact(db, 'ledger_mismatch', sum?.value ?? 0);
}

async function tell(
  platform: Platform,
  metric: string,
  problems: readonly string[],
  context: { print(text: string): void } | undefined,
): Promise<void> {
  await noteFact(platform.database.db, metric, problems.length);
  if (problems.length === 0) return;
  platform.log.error({ metric, problems: problems.slice(0, 20) }, 'a check of the data found problems');
  for (const problem of problems.slice(0, 50)) context?.print(problem);
}
