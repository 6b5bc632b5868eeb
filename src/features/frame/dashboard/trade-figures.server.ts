import { addDays, endOfBusinessDay, startOfBusinessDay } from '../../../kernel/contract/time.rules.ts';
import { run } from '../../../kernel/server/database.ts';
import { Parameters, scopeCondition, type ScopeColumns } from '../../../kernel/server/people/scope.ts';
import {
  defineRegistration,
  type Call,
  type FigureKind,
  type HomeChart,
  type HomeQuestion,
} from '../../../kernel/server/registration.ts';
import { dayOf } from '../../../kernel/server/today.ts';

const ORDERS = 'mm_businessOrder_wx';
const REFUNDS = 'mm_orderRefund';
const ANALYSIS = 'mm_businessAna';
const TOP = 10;
const PLACE: ScopeColumns = { tenant: 't.tenant_id', project: 't.project_id', owner: 't.created_by' };
const ORDER_PLACE: ScopeColumns = { tenant: 'o.tenant_id', project: 'o.project_id', owner: 'o.created_by' };

type Asked = Pick<Call, 'caller' | 'platform'>;

/** Days a team may take to form after a payment, generously. Source: group 08, mm_groupManagement. */
const TEAM_DAYS = 7;

const figures: readonly FigureKind[] = [
  {
    code: 'order_paid',
    label: ['支付订单数', 'Paid orders'],
    formula: ['支付时间在所选时间内的商品订单数', 'Goods orders with pay time in the period'],
    kind: 'integer',
    menu: ORDERS,
    set: 'trade',
    order: 10,
    route: ordersPath,
    days: (call, question) => paidByDay(call, question, 'count(*)'),
  },
  {
    code: 'gmv',
    label: ['支付金额', 'Paid amount'],
    formula: ['所选时间内支付的商品订单的实付合计', 'Sum paid of the goods orders paid in the period'],
    kind: 'money',
    menu: ORDERS,
    set: 'trade',
    order: 11,
    route: ordersPath,
    days: (call, question) => paidByDay(call, question, 'sum(t.payable)::bigint'),
  },
  {
    code: 'refund_amount',
    label: ['退款金额', 'Refunded'],
    formula: ['所选时间内退款成功的现金合计', 'Sum of cash of refunds that succeeded in the period'],
    kind: 'money',
    menu: REFUNDS,
    set: 'trade',
    order: 12,
    route: ({ from, to, projectId }) =>
      `/service/${REFUNDS}?tab=all&state=succeeded&succeededAt=${from}~${to}${projectOf(projectId)}`,
    days: (call, question) => refundedByDay(call, question),
  },
];

const charts: readonly HomeChart[] = [
  {
    code: 'paid_by_day',
    title: ['每日支付金额', 'Paid amount per day'],
    kind: 'column',
    menu: ORDERS,
    set: 'trade',
    order: 10,
    measures: { paid: ['支付金额', 'Paid amount'] },
    points: async (call, question) => {
      const days = await paidByDay(call, question, 'sum(t.payable)::bigint');
      const points = [];
      for (let day = question.from; day <= question.to; day = addDays(day, 1))
        points.push({ key: day, label: day.slice(5), values: { paid: (days.get(day) ?? 0) / 100 } });
      return points;
    },
    route: ({ projectId }, day) => ordersPath({ from: day, to: day, projectId }),
  },
  {
    code: 'top_products',
    title: ['支付金额前10商品', 'Top 10 products by paid amount'],
    rule: [
      '按商品行实付现金排名；拼团订单在成团时才计入，计入成团当天。',
      'Ranked by cash paid for the product lines. A group order counts only when its team has formed, on that day.',
    ],
    kind: 'bar',
    menu: ANALYSIS,
    set: 'trade',
    order: 11,
    measures: { paid: ['支付金额', 'Paid amount'] },
    points: topProducts,
    route: ({ from, to, projectId }, code) =>
      `/merchantManager/${ANALYSIS}?range=${from}~${to}&keyword=${encodeURIComponent(code)}${projectOf(projectId)}`,
  },
];

/** Figures and charts of trade on the home page. */
export const registration = defineRegistration({ endpoints: [], figures, charts });

function ordersPath({ from, to, projectId }: HomeQuestion): string {
  return `/merchantManager/${ORDERS}?paidAt=${from}~${to}${projectOf(projectId)}`;
}

function projectOf(projectId: number | undefined): string {
  return projectId === undefined ? '' : `&project=${projectId}`;
}

function range({ from, to }: HomeQuestion, expression: string, parameters: Parameters): string {
  const start = parameters.bind(startOfBusinessDay(from));
  const end = parameters.bind(endOfBusinessDay(to));
  return `${expression} >= ${start}::timestamptz AND ${expression} < ${end}::timestamptz`;
}

async function byDay(call: Asked, statement: string, parameters: Parameters): Promise<Map<string, number>> {
  const rows = await run<{ day: string; value: number }>(
    call.platform.replica.db,
    statement,
    parameters.values,
  );
  return new Map(rows.map((row) => [row.day, Number(row.value)]));
}

function paidByDay(call: Asked, question: HomeQuestion, value: string): Promise<Map<string, number>> {
  const parameters = new Parameters();
  const place = placeOf(call, ORDERS, PLACE, question, parameters);
  return byDay(
    call,
    `SELECT ${dayOf('t.paid_at')}::text AS day, ${value} AS value FROM sales_order t
      WHERE t.kind = 'goods' AND ${range(question, 't.paid_at', parameters)} AND ${place} GROUP BY 1`,
    parameters,
  );
}

function refundedByDay(call: Asked, question: HomeQuestion): Promise<Map<string, number>> {
  const parameters = new Parameters();
  const place = placeOf(call, REFUNDS, PLACE, question, parameters);
  return byDay(
    call,
    `SELECT ${dayOf('t.succeeded_at')}::text AS day, sum(t.cash)::bigint AS value FROM refund t
      WHERE t.state = 'succeeded' AND ${range(question, 't.succeeded_at', parameters)} AND ${place} GROUP BY 1`,
    parameters,
  );
}

function placeOf(
  call: Asked,
  menu: string,
  columns: ScopeColumns,
  { projectId }: HomeQuestion,
  parameters: Parameters,
): string {
  const scope = scopeCondition(call.caller, menu, columns, parameters);
  const project = String(columns.project);
  return projectId === undefined ? scope : `${scope} AND ${project} = ${parameters.bind(projectId)}`;
}

/** The rule of the sales analysis it opens: a group order counts on the day its team formed. */
async function topProducts(call: Asked, question: HomeQuestion) {
  const parameters = new Parameters();
  const place = placeOf(call, ANALYSIS, ORDER_PLACE, question, parameters);
  const paid = range(question, 'o.paid_at', parameters);
  const formed = range(question, 'team.at', parameters);
  const earliest = parameters.bind(startOfBusinessDay(addDays(question.from, -TEAM_DAYS)));
  const end = parameters.bind(endOfBusinessDay(question.to));
  const rows = await run<{ code: string; name: string; paid: number }>(
    call.platform.replica.db,
    `WITH sold AS (
       SELECT o.id FROM sales_order o WHERE o.kind = 'goods' AND o.type <> 'group' AND ${paid} AND ${place}
       UNION ALL
       SELECT o.id FROM sales_order o
         CROSS JOIN LATERAL (SELECT e.at FROM order_event e WHERE e.order_id = o.id AND e.code = 16 ORDER BY e.id LIMIT 1) team
        WHERE o.kind = 'goods' AND o.type = 'group' AND ${formed} AND ${place}
          AND o.paid_at >= ${earliest}::timestamptz AND o.paid_at < ${end}::timestamptz),
     best AS (
       SELECT l.product_id, sum(l.cash)::bigint AS paid FROM sold s JOIN order_line l ON l.order_id = s.id
        GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${TOP})
     SELECT p.code, p.name, b.paid FROM best b JOIN product p ON p.id = b.product_id WHERE b.paid > 0 ORDER BY b.paid DESC, p.id`,
    parameters.values,
  );
  return rows.map((row) => ({ key: row.code, label: row.name, values: { paid: Number(row.paid) / 100 } }));
}
