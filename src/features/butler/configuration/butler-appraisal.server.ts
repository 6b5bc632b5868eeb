import { coefficientOf, scoreOf } from '../../../domain/butler/butler.rules.ts';
import { endOfMonth } from '../../../domain/butler/batch-month.rules.ts';
import { butlerIn } from '../../../domain/butler/options.server.ts';
import { planAt, planById, type Plan } from '../../../domain/butler/plan.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { businessDayOf, startOfBusinessDay } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { invalid, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { Parameters, placeCondition } from '../../../kernel/server/people/scope.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import { butlerAppraisal } from './configuration.contract.ts';

const MADE: Label = ['该月批次已制作，考核不能再改', 'The month’s batch is made: the appraisal is fixed'];

const bound: BoundResource = bindResource(butlerAppraisal, {
  table: 'butler_appraisal',
  from: 'butler_appraisal t LEFT JOIN housekeeper k ON k.id = t.housekeeper_id LEFT JOIN staff s ON s.id = k.staff_id LEFT JOIN incentive_plan n ON n.id = t.plan_id LEFT JOIN staff c ON c.id = t.confirmed_by',
  columns: {
    butler: { id: 't.housekeeper_id', title: 's.name' },
    plan: `'V' || n.no`,
    total: 't.total::text',
    confirmedBy: { id: 't.confirmed_by', title: 'c.name' },
  },
  writes: { butler: 'housekeeper_id' },
  scope: {
    tenant: 'NULL::bigint',
    project: (ids) => butlerIn(ids, 't.housekeeper_id'),
    owner: 'k.staff_id',
  },
  extra: { scorer: 'coalesce(t.updated_by, t.created_by)', ownStaff: 'k.staff_id' },
  ruleReads: ['scorer', 'ownStaff'],
  rowRules: {
    update: (row, caller) =>
      Number(row.ownStaff) === caller.staffId ? ['不能为本人评分', 'Nobody scores themselves'] : undefined,
    confirm: (row, caller) =>
      Number(row.scorer) === caller.staffId
        ? ['评分人不能确认', 'Who scored cannot confirm']
        : Number(row.ownStaff) === caller.staffId
          ? ['不能确认本人的考核', 'Nobody confirms the own score']
          : undefined,
  },
  unique: {
    butler_appraisal_once: ['该管家本月已有考核', 'The butler is appraised for the month already'],
  },
  before: [check],
  handlers: {
    confirm: ({ caller }) =>
      Promise.resolve({ set: { confirmed_by: caller.staffId, confirmed_at: new Date() } }),
  },
});

/** Scores of butlers by month. */
export const registration = bound.registration;

/** Fills the items of the plan in and adds them up; nothing moves once the month is in a batch. */
async function check({ tx, action, input, row, columns, caller }: ActionContext): Promise<void> {
  const butler = Number(action === 'create' ? input.butler : row.housekeeper_id);
  const month = String(action === 'create' ? input.month : row.month);
  if (action === 'create') {
    if (!/^20\d\d-(0[1-9]|1[0-2])$/.test(month))
      throw invalid({ month: ['格式为 2026-11', 'Written 2026-11'] });
    if (month > businessDayOf(new Date()).slice(0, 7))
      throw invalid({ month: ['月份尚未开始', 'The month has not begun'] });
    const parameters = new Parameters();
    const seen = await runOne<{ staffId: number }>(
      tx,
      `SELECT k.staff_id AS "staffId" FROM housekeeper k JOIN staff s ON s.id = k.staff_id WHERE k.id = ${parameters.bind(butler)}
          AND ${placeCondition(caller, { tenant: 's.tenant_id', project: (ids) => butlerIn(ids) }, parameters)}`,
      parameters.values,
    );
    if (!seen) throw notFound();
    if (seen.staffId === caller.staffId) throw ruleBroken(['不能为本人评分', 'Nobody scores themselves']);
  }
  const made = await runOne(
    tx,
    `SELECT 1 FROM incentive_batch b JOIN incentive_batch_line l ON l.batch_id = b.id WHERE b.month = $1 AND b.state <> 'void' AND l.housekeeper_id = $2 LIMIT 1`,
    [month, butler],
  );
  if (made) throw ruleBroken(MADE);
  if (action !== 'create' && action !== 'update') return;
  const plan =
    action === 'create'
      ? await planAt(tx, new Date(Math.min(endOfMonth(month).getTime() - 1, Date.now())))
      : await planById(tx, Number(row.plan_id));
  if (!plan || plan.items.length === 0)
    throw ruleBroken(['该月没有含考核项的激励方案', 'No plan with appraisal items holds for the month']);
  const given = (
    action === 'update' && !('scores' in input) ? row.scores : (input.scores ?? [])
  ) as readonly { name: string; score: string | number }[];
  const scores = await scoresOf(tx, plan, given, { butler, month });
  const unknown = given.find((one) => !plan.items.some((item) => item.name === one.name));
  if (unknown)
    throw invalid({ scores: [`方案没有考核项“${unknown.name}”`, `The plan has no item ${unknown.name}`] });
  const total = scoreOf(
    scores.map((one, index) => ({ score: Number(one.score), weight: plan.items[index]!.weight })),
  );
  columns.plan_id = plan.id;
  columns.scores = JSON.stringify(scores);
  columns.total = total.toFixed(2);
  columns.coefficient_bp = coefficientOf(total, plan.steps);
}

async function scoresOf(
  db: Executor,
  plan: Plan,
  given: readonly { name: string; score: string | number }[],
  of: { readonly butler: number; readonly month: string },
) {
  const scores: { name: string; score: string; auto: boolean }[] = [];
  for (const item of plan.items) {
    const auto = item.source === 'manual' ? undefined : await autoScore(db, item.source, of);
    const score = auto ?? Number(given.find((one) => one.name === item.name)?.score ?? 0);
    scores.push({ name: item.name, score: score.toFixed(2), auto: auto !== undefined });
  }
  return scores;
}

/** Scores of 0 to 100 that follow from rows of the month; undefined where there is nothing to go by. */
async function autoScore(
  db: Executor,
  source: string,
  { butler, month }: { readonly butler: number; readonly month: string },
): Promise<number | undefined> {
  const span = [butler, startOfBusinessDay(`${month}-01`), endOfMonth(month)];
  const sql = {
    conversion: `SELECT 100.0 * (SELECT count(DISTINCT p.member_id) FROM butler_performance p WHERE p.housekeeper_id = $1 AND p.way = 1 AND p.paid_at >= $2 AND p.paid_at < $3)
        / nullif((SELECT count(DISTINCT v.visitor_key) FROM butler_share_visit v JOIN butler_share s ON s.id = v.share_id WHERE s.housekeeper_id = $1 AND v.counted AND v.at >= $2 AND v.at < $3), 0) AS score`,
    satisfaction: `SELECT avg(CASE e.grade WHEN 'satisfied' THEN 100 WHEN 'fair' THEN 50 ELSE 0 END) AS score FROM evaluation e WHERE e.housekeeper_id = $1 AND e.rated_at >= $2 AND e.rated_at < $3`,
    read: `SELECT 100.0 * count(r.read_at) / nullif(count(*), 0) AS score FROM butler_reminder_recipient r JOIN butler_reminder b ON b.id = r.reminder_id
        WHERE r.housekeeper_id = $1 AND b.sent_at >= $2 AND b.sent_at < $3`,
  }[source];
  if (!sql) return undefined;
  const [row] = await run<{ score: string | null }>(db, sql, span);
  return row?.score === null || row?.score === undefined
    ? undefined
    : Math.min(Math.round(Number(row.score) * 100) / 100, 100);
}
