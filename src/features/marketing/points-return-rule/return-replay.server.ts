import {
  CAPS,
  returnOrderSql,
  type ReturnOrder,
} from '../../../domain/points-return/points-return.server.ts';
import { returnsOf, roomOf } from '../../../domain/points-return/points-return.rules.ts';
import { textOf, type Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import type { ExportSource } from '../../../kernel/server/registration.ts';
import { DAYS, ruleNow } from './return-endpoints.server.ts';

const BATCH = 500;
const COLUMNS: readonly (readonly [Label, 'text' | 'money' | 'integer'])[] = [
  [['订单号', 'Order'], 'text'],
  [['支付日期', 'Paid on'], 'text'],
  [['计入金额', 'Base'], 'money'],
  [['返还', 'Gives'], 'integer'],
  [['上限', 'Cap'], 'text'],
  [['成本（元）', 'Liability (yuan)'], 'money'],
];

/** Orders of the last days that lie in the rule's projects and the caller's. */
const ORDERS = `o.kind IN ('goods', 'service') AND o.paid_at >= ($1::date::timestamp AT TIME ZONE 'Asia/Shanghai')
  AND o.project_id IN (SELECT p.project_id FROM points_return_project p WHERE p.rule_id = $2) AND ($3::bigint[] IS NULL OR o.project_id = ANY($3::bigint[]))`;

const asked = (caller: Caller, query: Readonly<Record<string, string>>) => [
  addDays(businessDayOf(new Date()), 1 - DAYS),
  Number(query.rule),
  caller.projectIds,
];

/** What a rule would have given for the paid orders of the last 30 days alone, in the order they were paid; writes nothing. */
export const returnReplay: ExportSource = {
  source: 'pointsReturnReplay',
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
    const fen = await platform.settings.number('points.fen_per_point');
    const { terms } = rule;
    const used = new Map<string, number>();
    let [orders, base, points] = [0, 0, 0];
    for await (const batch of paidOrders(db, asked(caller, query))) {
      const rows = [];
      for (const order of batch) {
        const [result] = returnsOf([rule], order).results;
        if (!result) continue;
        const keys = {
          day: `${order.memberId} ${order.day}`,
          month: `${order.memberId} ${order.day.slice(0, 7)}`,
          total: '',
        };
        const caps = { day: terms.capDay, month: terms.capMonth, total: terms.capTotal };
        const room = roomOf(
          result.points,
          (['day', 'month', 'total'] as const).map((name) => ({
            name,
            cap: caps[name],
            used: used.get(keys[name]) ?? 0,
          })),
        );
        for (const key of Object.values(keys)) used.set(key, (used.get(key) ?? 0) + room.granted);
        const why = room.why ?? result.why;
        [orders, base, points] = [orders + 1, base + result.base, points + room.granted];
        rows.push([
          order.code,
          order.day,
          yuanFromFen(result.base),
          room.granted,
          why ? textOf(CAPS[why]!, language) : '',
          costOf(terms.asset, room.granted, fen),
        ]);
      }
      if (rows.length > 0) yield rows;
    }
    const total = textOf([`合计 ${orders} 单`, `Total of ${orders} orders`], language);
    yield [[total, '', yuanFromFen(base), points, '', costOf(terms.asset, points, fen)]];
  },
};

/** Only points are worth what the settings say. */
const costOf = (asset: 'points' | 'coin', points: number, fen: number) =>
  asset === 'points' ? yuanFromFen(Math.round(points * fen)) : '';

async function* paidOrders(db: Executor, values: readonly unknown[]): AsyncGenerator<ReturnOrder[]> {
  for (let after = 0; ;) {
    const rows = await run<ReturnOrder>(
      db,
      `${returnOrderSql(`o.id > $4 AND ${ORDERS}`)} ORDER BY o.id LIMIT ${BATCH}`,
      [...values, after],
    );
    if (rows.length > 0) yield rows;
    if (rows.length < BATCH) return;
    after = rows.at(-1)!.id;
  }
}
