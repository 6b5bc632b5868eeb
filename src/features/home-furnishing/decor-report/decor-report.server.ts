import { filteredProjects } from '../../../domain/permission/project-reach.server.ts';
import { endOfBusinessDay, startOfBusinessDay } from '../../../kernel/contract/time.rules.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { bindReport } from '../../../kernel/server/report/bind.ts';
import { dayOf, TODAY } from '../../../kernel/server/today.ts';
import { DECOR_MENU, decorOrder } from '../decor-order/decor-order.contract.ts';
import { DECOR_SCOPE } from '../decor-order/decor-order-scope.server.ts';
import { decorReport } from './decor-report.contract.ts';

/** Sums of some orders; money in fen, everything else counted. */
interface Sums {
  readonly orders: number;
  readonly contract: number;
  readonly received: number;
  readonly owed: number;
  readonly overdue: number;
  readonly sent: number;
  readonly deposits: number;
  readonly nodes: number;
  readonly on_time: number;
  readonly accepted: number;
  readonly first_pass: number;
  readonly repairs: number;
}

const NOTHING: Sums = {
  orders: 0,
  contract: 0,
  received: 0,
  owed: 0,
  overdue: 0,
  sent: 0,
  deposits: 0,
  nodes: 0,
  on_time: 0,
  accepted: 0,
  first_pass: 0,
  repairs: 0,
};

interface Question {
  readonly from: string;
  readonly to: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Orders (`t`) the caller sees, of the merchants and projects that are asked for. A merchant asks for no other merchant. */
function orders(caller: Caller, { parameters: asked }: Question, parameters: Parameters): string {
  const parts = [scopeCondition(caller, DECOR_MENU, DECOR_SCOPE, parameters)];
  if (asked.merchant && caller.tenantKind !== 2)
    parts.push(`t.tenant_id = ANY(${parameters.bind(asked.merchant.split(',').map(Number))}::bigint[])`);
  if (asked.project)
    parts.push(
      `t.project_id = ANY(${parameters.bind(filteredProjects(caller, 'project', asked.project))}::bigint[])`,
    );
  return parts.join(' AND ');
}

/** SQL: what receipts brought for an order (`t`) and refunds gave back, as rows of day and fen. */
const MONEY = `(SELECT c.received_on AS day, a.amount FROM receivable r JOIN receipt_allocation a ON a.receivable_id = r.id
    JOIN receipt c ON c.id = a.receipt_id AND c.state = 'confirmed' WHERE r.source_kind = 'decor' AND r.source_id = t.id
  UNION ALL SELECT ${dayOf('f.succeeded_at')}, -f.cash FROM refund f WHERE f.order_id = t.sales_order_id AND f.state = 'succeeded')`;
/** SQL: what was signed of an order (`t`), and changes in force, as rows of instant and fen. */
const SIGNED = `(SELECT t.signed_at AS at, t.price - t.changes AS amount WHERE t.signed_at IS NOT NULL
  UNION ALL SELECT g.confirmed_at, g.amount FROM decor_change g WHERE g.order_id = t.id AND g.state = 'confirmed')`;

/** Sums by the text of a key; '' is the whole. */
async function sumsBy(
  db: Executor,
  caller: Caller,
  question: Question,
  key: `''` | 't.tenant_id::text',
): Promise<ReadonlyMap<string, Sums>> {
  const parameters = new Parameters();
  const from = `${parameters.bind(startOfBusinessDay(question.from))}::timestamptz`;
  const to = `${parameters.bind(endOfBusinessDay(question.to))}::timestamptz`;
  const [first, last] = [`${parameters.bind(question.from)}::date`, `${parameters.bind(question.to)}::date`];
  const within = (at: string) => `${at} >= ${from} AND ${at} < ${to}`;
  const rows = await run<Sums & { key: string }>(
    db,
    `SELECT ${key} AS key, count(*) FILTER (WHERE ${within('t.created_at')})::int AS orders,
            coalesce(sum((SELECT sum(x.amount) FROM ${SIGNED} x WHERE ${within('x.at')})), 0)::bigint AS contract,
            coalesce(sum((SELECT sum(x.amount) FROM ${MONEY} x WHERE x.day BETWEEN ${first} AND ${last})), 0)::bigint AS received,
            coalesce(sum(m.owed), 0)::bigint AS owed, coalesce(sum(m.overdue), 0)::bigint AS overdue,
            count(*) FILTER (WHERE ${within('t.sent_at')})::int AS sent,
            count(*) FILTER (WHERE ${within('t.sent_at')} AND t.sales_order_id IS NOT NULL)::int AS deposits,
            coalesce(sum(n.nodes), 0)::int AS nodes, coalesce(sum(n.on_time), 0)::int AS on_time,
            count(*) FILTER (WHERE ${within('t.accepted_at')})::int AS accepted,
            count(*) FILTER (WHERE ${within('t.accepted_at')} AND t.accept_rounds = 1)::int AS first_pass,
            count(*) FILTER (WHERE ${within('t.accepted_at')} AND EXISTS (SELECT FROM after_sale a WHERE a.decor_order_id = t.id AND a.type = 'repair'
              AND a.applied_at >= t.accepted_at AND a.applied_at < t.accepted_at + interval '90 days'))::int AS repairs
       FROM decor_order t
       CROSS JOIN LATERAL (SELECT sum(r.principal + r.charges - r.received) AS owed,
                                  sum(r.principal + r.charges - r.received) FILTER (WHERE r.due_on < ${TODAY}) AS overdue
                             FROM receivable r WHERE r.source_kind = 'decor' AND r.source_id = t.id AND r.state IN ('open', 'part')) m
       CROSS JOIN LATERAL (SELECT count(*) AS nodes, count(*) FILTER (WHERE ${dayOf('d.finished_at')} <= d.planned_to) AS on_time
                             FROM decor_node d WHERE d.order_id = t.id AND d.state = 'passed' AND ${within('d.finished_at')}) n
      WHERE ${orders(caller, question, parameters)} GROUP BY 1`,
    parameters.values,
  );
  return new Map(rows.map((row) => [row.key, row]));
}

/** Percent with one decimal, half up; null where there is nothing to divide by. */
const rate = (part: number, whole: number) => (whole === 0 ? null : Math.round((1_000 * part) / whole) / 10);

const cells = (sums: Sums) => ({
  orders: sums.orders,
  contract: sums.contract,
  received: sums.received,
  owed: sums.owed,
  overdue: sums.overdue,
  conversion: rate(sums.deposits, sums.sent),
  onTime: rate(sums.on_time, sums.nodes),
  firstPass: rate(sums.first_pass, sums.accepted),
  repair: rate(sums.repairs, sums.accepted),
});

/** Figures of decor orders. */
export const registration = bindReport(decorReport, {
  compute: async ({ caller, platform, language }, request) => {
    const { db } = platform.replica;
    const total = (await sumsBy(db, caller, request, `''`)).get('') ?? NOTHING;
    const before =
      (
        await sumsBy(db, caller, { ...request, from: request.previousFrom, to: request.previousTo }, `''`)
      ).get('') ?? NOTHING;
    const merchants = await sumsBy(db, caller, request, 't.tenant_id::text');
    const names = new Map(
      (
        await run<{ id: string; name: string }>(
          db,
          'SELECT id::text AS id, name FROM tenant WHERE id = ANY($1::bigint[])',
          [[...merchants.keys()]],
        )
      ).map((row) => [row.id, row.name]),
    );
    const now = cells(total);
    const then = cells(before);
    const figure = (name: keyof typeof now, working?: string) => ({
      value: now[name],
      // What is owed is of this moment: there is nothing before it.
      previous: name === 'owed' || name === 'overdue' ? null : then[name],
      spark: [],
      ...(working && { working }),
    });
    const rows = [...merchants]
      .map(([id, sums]) => ({ id, merchant: names.get(id) ?? id, ...cells(sums) }))
      .sort((a, b) => b.contract - a.contract || Number(a.id) - Number(b.id));
    return {
      figures: {
        contract: figure('contract'),
        received: figure('received'),
        owed: figure('owed'),
        overdue: figure('overdue'),
        conversion: figure('conversion', `${total.deposits} ÷ ${total.sent}`),
        onTime: figure('onTime', `${total.on_time} ÷ ${total.nodes}`),
        firstPass: figure('firstPass', `${total.first_pass} ÷ ${total.accepted}`),
        repair: figure('repair', `${total.repairs} ÷ ${total.accepted}`),
      },
      charts: {
        stages: await stagesOf(db, caller, request, language),
        months: await monthsOf(db, caller, request),
        merchants: rows.map((row) => ({
          key: row.id,
          label: row.merchant,
          values: { contract: row.contract / 100, received: row.received / 100 },
        })),
      },
      rows,
      sums: now,
    };
  },
});

/** Orders made in the period by the stage they have come to, each with the query of exactly these. */
async function stagesOf(db: Executor, caller: Caller, question: Question, language: 'zh' | 'en') {
  const parameters = new Parameters();
  const from = parameters.bind(startOfBusinessDay(question.from));
  const to = parameters.bind(endOfBusinessDay(question.to));
  const rows = await run<{ state: string; n: number }>(
    db,
    `SELECT t.state, count(*)::int AS n FROM decor_order t WHERE t.created_at >= ${from} AND t.created_at < ${to} AND ${orders(caller, question, parameters)} GROUP BY 1`,
    parameters.values,
  );
  const { merchant, project } = question.parameters;
  return Object.entries(decorOrder.states ?? {}).flatMap(([state, { label }]) => {
    const n = rows.find((row) => row.state === state)?.n ?? 0;
    const key = new URLSearchParams({
      state,
      createdAt: `${question.from}~${question.to}`,
      ...(merchant && { merchant }),
      ...(project && { project }),
    }).toString();
    return n === 0 ? [] : [{ key, label: label[language === 'en' ? 1 : 0], values: { orders: n } }];
  });
}

/** Contracts and money by month of the period. */
async function monthsOf(db: Executor, caller: Caller, question: Question) {
  const parameters = new Parameters();
  const [first, last] = [`${parameters.bind(question.from)}::date`, `${parameters.bind(question.to)}::date`];
  const rows = await run<{ month: string; contract: number; received: number }>(
    db,
    `SELECT to_char(x.day, 'YYYY-MM') AS month, coalesce(sum(x.contract), 0)::bigint AS contract, coalesce(sum(x.received), 0)::bigint AS received
       FROM decor_order t CROSS JOIN LATERAL (
         SELECT ${dayOf('s.at')} AS day, s.amount AS contract, 0 AS received FROM ${SIGNED} s
         UNION ALL SELECT m.day, 0, m.amount FROM ${MONEY} m) x
      WHERE x.day BETWEEN ${first} AND ${last} AND ${orders(caller, question, parameters)} GROUP BY 1 ORDER BY 1`,
    parameters.values,
  );
  return rows.map(({ month, contract, received }) => ({
    key: month,
    label: month,
    values: { contract: contract / 100, received: received / 100 },
  }));
}
