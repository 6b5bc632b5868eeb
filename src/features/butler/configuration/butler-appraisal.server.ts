import { coefficientOf, scoreOf } from '../../../domain/butler/butler.rules.ts';
import { endOfMonth } from '../../../domain/butler/batch-month.rules.ts';
import { butlerIn } from '../../../domain/butler/options.server.ts';
import { planAt, planById, type Plan } from '../../../domain/butler/plan.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { businessDayOf, startOfBusinessDay } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { invalid, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { Parameters, placeCondition } from '../../../kernel/server/people/scope.ts';
import { CALLER, NOW } from '../../../kernel/server/resource/abilities/sets.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { butlerAppraisal } from './configuration.contract.ts';

const MADE: Label = ['该月批次已制作，考核不能再改', 'The month’s batch is made: the appraisal is fixed'];

const bound: BoundResource = bindResource(butlerAppraisal, {
  table: 'butler_appraisal',
  from: 'butler_appraisal t LEFT JOIN housekeeper k ON k.id = t.housekeeper_id LEFT JOIN staff s ON s.id = k.staff_id LEFT JOIN incentive_plan n ON n.id = t.plan_id LEFT JOIN staff c ON c.id = t.confirmed_by',
  columns: {
    butler: { id: 't.housekeeper_id', title: 's.name' },
    plan: `'V' || n.no`,
    sheet: `(SELECT string_agg((x.one->>'name') || ' ' || (x.one->>'score')::numeric::float8::text, ' · ' ORDER BY x.at) FROM jsonb_array_elements(t.scores) WITH ORDINALITY x (one, at))`,
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
  sets: { confirm: { confirmed_by: CALLER, confirmed_at: NOW } },
  handlers: {
    prepare,
  },
});

/** Scores of butlers by month. */
export const registration = bound.registration;

/** A month as it is written, that has begun. */
function requireMonth(month: string, field: string): void {
  if (!/^20\d\d-(0[1-9]|1[0-2])$/.test(month))
    throw invalid({ [field]: ['格式为 2026-11', 'Written 2026-11'] });
  if (month > businessDayOf(new Date()).slice(0, 7))
    throw invalid({ [field]: ['月份尚未开始', 'The month has not begun'] });
}

/** A row for everybody who had houses in the month and is not appraised; oneself and months in a batch are left out. */
async function prepare(context: ActionContext): Promise<ActionResult> {
  const { tx, input, caller, platform } = context;
  const month = String(input.sheetMonth);
  requireMonth(month, 'sheetMonth');
  const parameters = new Parameters();
  const at = parameters.bind(month);
  const from = `(${parameters.bind(`${month}-01`)})::date`;
  const waiting = await run<{ id: number }>(
    tx,
    `SELECT k.id FROM housekeeper k JOIN staff s ON s.id = k.staff_id
      WHERE k.staff_id <> ${parameters.bind(caller.staffId)} AND (k.left_at IS NULL OR k.left_at >= ${from})
        AND EXISTS (SELECT FROM housekeeper_house x WHERE x.housekeeper_id = k.id AND x.kind = 'main' AND x.days && daterange(${from}, (${from} + interval '1 month')::date))
        AND NOT EXISTS (SELECT FROM butler_appraisal a WHERE a.housekeeper_id = k.id AND a.month = ${at})
        AND NOT EXISTS (SELECT FROM incentive_batch b JOIN incentive_batch_line l ON l.batch_id = b.id WHERE b.month = ${at} AND b.state <> 'void' AND l.housekeeper_id = k.id)
        AND ${placeCondition(caller, { tenant: 's.tenant_id', project: (ids) => butlerIn(ids) }, parameters)} ORDER BY k.id`,
    parameters.values,
  );
  if (waiting.length === 0)
    throw ruleBroken(['该月没有待评分的管家', 'Nobody is left to be scored for the month']);
  for (const one of waiting)
    await bound.actIn(tx, context, 'create', undefined, { butler: String(one.id), month, scores: [] });
  platform.changed(butlerAppraisal.name);
  return { told: true, result: { butlers: waiting.length } };
}

/** Fills the items of the plan in and adds them up; nothing moves once the month is in a batch. */
async function check({ tx, action, input, row, columns, caller }: ActionContext): Promise<void> {
  if (action === 'prepare') return;
  const butler = Number(action === 'create' ? input.butler : row.housekeeper_id);
  const month = String(action === 'create' ? input.month : row.month);
  if (action === 'create') {
    requireMonth(month, 'month');
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
    // Complaints of the houses the butler had on their day, of a hundred houses of the month.
    complaint: `SELECT greatest(100 - 100.0 * (SELECT count(*) FROM work_order w WHERE w.class = 'complaint' AND w.status NOT IN ('cancelled_by_member', 'cancelled_by_staff')
            AND w.created_at >= $2 AND w.created_at < $3 AND EXISTS (SELECT FROM housekeeper_house x WHERE x.house_id = w.house_id AND x.housekeeper_id = $1 AND x.kind = 'main'
              AND x.days @> (w.created_at AT TIME ZONE 'Asia/Shanghai')::date))
        / nullif((SELECT count(DISTINCT x.house_id) FROM housekeeper_house x WHERE x.housekeeper_id = $1 AND x.kind = 'main'
            AND x.days && daterange(($2::timestamptz AT TIME ZONE 'Asia/Shanghai')::date, ($3::timestamptz AT TIME ZONE 'Asia/Shanghai')::date)), 0), 0) AS score`,
    // Of the bills due in the month, by who had the house on the day they were due.
    fee: `SELECT 100.0 * sum(b.paid_principal) / nullif(sum(b.paid_principal + b.owed_principal), 0) AS score FROM bill b
        JOIN housekeeper_house x ON x.house_id = b.house_id AND x.housekeeper_id = $1 AND x.kind = 'main' AND x.days @> b.due_date
       WHERE b.state <> 'void' AND b.due_date >= ($2::timestamptz AT TIME ZONE 'Asia/Shanghai')::date AND b.due_date < ($3::timestamptz AT TIME ZONE 'Asia/Shanghai')::date`,
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
