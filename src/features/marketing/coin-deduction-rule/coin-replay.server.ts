import { trialOf } from '../../../domain/coin-deduction/coin-deduction.rules.ts';
import type { ScopedLine } from '../../../domain/order-rule/order-scope.rules.ts';
import { textOf, type Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import type { ExportSource } from '../../../kernel/server/registration.ts';
import { DAYS, LINES, ruleNow } from './coin-endpoints.server.ts';

const BATCH = 500;
/** Coins every member is taken to have: what the rule itself allows is asked. */
const ENOUGH = 1_000_000_000;
const COLUMNS: readonly (readonly [Label, 'text' | 'money' | 'integer'])[] = [
  [['订单号', 'Order'], 'text'],
  [['支付日期', 'Paid on'], 'text'],
  [['计入金额', 'Base'], 'money'],
  [['最多代币', 'Coins at most'], 'integer'],
  [['最多抵扣（元）', 'Deducted at most (yuan)'], 'money'],
];

/** Orders of the last days that lie in the rule's projects and the caller's. */
const ORDERS = `o.kind IN ('goods', 'service') AND o.paid_at >= ($1::date::timestamp AT TIME ZONE 'Asia/Shanghai')
  AND o.project_id IN (SELECT p.project_id FROM coin_deduction_project p WHERE p.rule_id = $2) AND ($3::bigint[] IS NULL OR o.project_id = ANY($3::bigint[]))`;

const asked = (caller: Caller, query: Readonly<Record<string, string>>) => [
  addDays(businessDayOf(new Date()), 1 - DAYS),
  Number(query.rule),
  caller.projectIds,
];

interface PaidOrder {
  readonly id: number;
  readonly code: string;
  readonly day: string;
  readonly projectId: number;
  readonly lines: readonly (ScopedLine & { readonly left: number })[];
}

/** What a rule would have taken off the paid orders of the last 30 days had their members had coins enough; writes nothing. */
export const coinReplay: ExportSource = {
  source: 'coinDeductionReplay',
  columns: (language) => COLUMNS.map(([title, kind]) => ({ title: textOf(title, language), kind })),
  count: async ({ caller, platform }, query) =>
    (await runOne<{ n: number }>(
      platform.database.db,
      `SELECT count(*)::int AS n FROM sales_order o WHERE ${ORDERS}`,
      asked(caller, query),
    ))!.n + 1,
  async *read({ caller, platform, language }, query) {
    const { db } = platform.replica;
    const rule = await ruleNow(db, Number(query.rule));
    if (!rule) return;
    let [orders, base, coins, amount] = [0, 0, 0, 0];
    for await (const batch of paidOrders(db, asked(caller, query))) {
      const rows = [];
      for (const order of batch) {
        const { step } = trialOf(
          [{ ruleId: Number(query.rule), name: rule.name, terms: rule.terms, capsLeft: null }],
          { projectId: order.projectId, lines: order.lines, coins: ENOUGH },
        );
        if (!step) continue;
        [orders, base, coins, amount] = [
          orders + 1,
          base + step.base,
          coins + step.units,
          amount + step.amount,
        ];
        rows.push([order.code, order.day, yuanFromFen(step.base), step.units, yuanFromFen(step.amount)]);
      }
      if (rows.length > 0) yield rows;
    }
    const total = textOf([`合计 ${orders} 单`, `Total of ${orders} orders`], language);
    yield [[total, '', yuanFromFen(base), coins, yuanFromFen(amount)]];
  },
};

async function* paidOrders(db: Executor, values: readonly unknown[]): AsyncGenerator<PaidOrder[]> {
  for (let after = 0; ;) {
    const rows = await run<PaidOrder>(
      db,
      `SELECT o.id, o.code, (o.paid_at AT TIME ZONE 'Asia/Shanghai')::date::text AS day, o.project_id AS "projectId", ${LINES} AS lines
         FROM sales_order o WHERE o.id > $4 AND ${ORDERS} ORDER BY o.id LIMIT ${BATCH}`,
      [...values, after],
    );
    if (rows.length > 0) yield rows;
    if (rows.length < BATCH) return;
    after = rows.at(-1)!.id;
  }
}
