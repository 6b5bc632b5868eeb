import { workMinutesBetween } from '../../../domain/business-calendar/business-hours.rules.ts';
import { contractApprovals } from '../../../domain/contract/contract-approval.server.ts';
import type { ChartPoint } from '../../../kernel/contract/report.ts';
import { addDays, startOfBusinessDay } from '../../../kernel/contract/time.rules.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { instancePlace } from '../approval-centre/centre-rows.server.ts';
import { middleOf } from '../approval-process/figures.rules.ts';
import { workdaysOf } from '../approval-process/process-figures.server.ts';
import { positionStatistics } from './position-statistics.contract.ts';

/**
 * Approvals of contracts, their changes and terminations that were started in a period, by type: how many, the median of business
 * hours of those decided, and the share in which somebody was asked longer than the time given. Source: group 17, Reports and drill.
 */
export async function approvalsOf(
  db: Executor,
  caller: Caller,
  asked: {
    readonly from: string;
    readonly to: string;
    readonly projects: readonly number[] | undefined;
    readonly language: 'zh' | 'en';
  },
): Promise<readonly ChartPoint[]> {
  const values = new Parameters();
  const where = [
    `t.biz_type = ANY(${values.bind(contractApprovals.map((one) => one.kind))}::text[])`,
    `t.started_at >= ${values.bind(startOfBusinessDay(asked.from))}`,
    `t.started_at < ${values.bind(startOfBusinessDay(addDays(asked.to, 1)))}`,
    scopeCondition(caller, positionStatistics.menu, instancePlace(caller), values),
  ];
  if (asked.projects) where.push(`t.project_id = ANY(${values.bind(asked.projects)}::bigint[])`);
  const rows = await run<{ kind: string; arrivedAt: Date; decidedAt: Date | null; late: boolean }>(
    db,
    `SELECT t.biz_type AS kind, t.started_at AS "arrivedAt", CASE WHEN t.state IN ('passed', 'refused') THEN t.ended_at END AS "decidedAt",
            EXISTS (SELECT FROM approval_task k WHERE k.instance_id = t.id AND k.due_at IS NOT NULL AND k.state NOT IN ('cancelled', 'transferred')
              AND coalesce(k.decided_at, now()) > k.due_at) AS late
       FROM approval_instance t WHERE ${where.join(' AND ')}`,
    values.values,
  );
  const decided = rows.flatMap((one) => (one.decidedAt ? [{ ...one, decidedAt: one.decidedAt }] : []));
  const works = await workdaysOf(db, decided);
  const tenth = (value: number) => Math.round(value * 10) / 10;
  return contractApprovals.flatMap(({ kind, label }) => {
    const own = rows.filter((one) => one.kind === kind);
    if (own.length === 0) return [];
    const minutes = decided
      .filter((one) => one.kind === kind)
      .map((one) => workMinutesBetween(one.arrivedAt, one.decidedAt, works));
    return [
      {
        key: kind,
        label: label[asked.language === 'zh' ? 0 : 1],
        values: {
          approvals: own.length,
          medianHours: tenth((middleOf(minutes, 50) ?? 0) / 60),
          lateShare: tenth((100 * own.filter((one) => one.late).length) / own.length),
        },
      },
    ];
  });
}
