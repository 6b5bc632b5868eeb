import type { ChartPoint } from '../../../kernel/contract/report.ts';
import { textOf, type Label } from '../../../kernel/contract/label.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { bindReport, type ReportRequest } from '../../../kernel/server/report/bind.ts';
import { SHOWN, statementScope } from '../../../domain/statement/statement-scope.server.ts';
import { STATEMENT_STATES } from '../account-statement/statement.contract.ts';
import { accountAna } from './account-analysis.contract.ts';

interface Bill {
  readonly id: number;
  readonly code: string;
  readonly tenant_id: number;
  readonly merchant: string;
  readonly period: string;
  readonly period_to: string;
  readonly payee: string;
  readonly paid_on: string | null;
  readonly state: keyof typeof STATEMENT_STATES;
  readonly payable: number;
  readonly pay_amount: number;
  readonly commission: number;
  readonly base: number;
  readonly age: number | null;
}

const STAGES: Readonly<Record<string, readonly string[]>> = {
  '0': ['to_confirm', 'disputed'],
  '1': ['to_pay', 'paying', 'failed'],
  '2': ['settled'],
};
const AGES: readonly (readonly [Label, number, number])[] = [
  [['0–3 天', '0–3 days'], 0, 3],
  [['4–7 天', '4–7 days'], 4, 7],
  [['8–15 天', '8–15 days'], 8, 15],
  [['16–30 天', '16–30 days'], 16, 30],
  [['30 天以上', 'Over 30 days'], 31, Infinity],
];
const MOST_BARS = 24;

/** Report over the bills of merchants. */
export const registration = bindReport(accountAna, {
  compute: async ({ caller, platform, language }, request) => {
    const db = platform.replica.db;
    const bills = await billsOf(db, caller, request, request.from, request.to);
    const before = await billsOf(db, caller, request, request.previousFrom, request.previousTo);
    const range = `${request.from}~${request.to}`;
    return {
      figures: figuresOf(bills, before),
      charts: {
        merchants: byMerchantAndMonth(bills, request),
        states: (Object.keys(STATEMENT_STATES) as Bill['state'][]).flatMap((state) => {
          const own = bills.filter((bill) => bill.state === state);
          return own.length === 0
            ? []
            : [
                pointOf(
                  query({ state, periodTo: range, merchant: request.parameters.merchant }),
                  textOf(STATEMENT_STATES[state].label, language),
                  own,
                ),
              ];
        }),
        ageing: AGES.map(([label, least, most]) =>
          pointOf(
            String(least),
            textOf(label, language),
            bills.filter((bill) => bill.age !== null && bill.age >= least && bill.age <= most),
          ),
        ),
      },
      rows: bills.map((bill) => {
        const drill = { searchVal: bill.code };
        return {
          id: bill.id,
          code: bill.code,
          merchant: { id: String(bill.tenant_id), title: bill.merchant },
          payable: bill.payable,
          payAmount: bill.pay_amount,
          period: bill.period,
          periodTo: bill.period_to,
          payee: bill.payee,
          paidOn: bill.paid_on,
          state: bill.state,
          age: bill.age,
          drill: { payable: drill, payAmount: drill },
        };
      }),
      sums: { payable: sum(bills, 'payable'), payAmount: sum(bills, 'pay_amount') },
    };
  },
});

/** Bills in the caller's scope whose period ends in the days. */
async function billsOf(
  db: Executor,
  caller: Caller,
  { parameters: asked }: ReportRequest,
  from: string,
  to: string,
): Promise<Bill[]> {
  const parameters = new Parameters();
  const conditions = [
    SHOWN('t'),
    scopeCondition(caller, accountAna.menu, statementScope('t'), parameters),
    `t.period_to BETWEEN ${parameters.bind(from)}::date AND ${parameters.bind(to)}::date`,
  ];
  if (asked.merchant)
    conditions.push(`t.tenant_id = ANY(${parameters.bind(asked.merchant.split(',').map(Number))}::bigint[])`);
  if (asked.stage) conditions.push(`t.state = ANY(${parameters.bind(STAGES[asked.stage] ?? [])}::text[])`);
  return run<Bill>(
    db,
    `SELECT t.id, t.code, t.tenant_id, m.name AS merchant, t.period_to::text AS period_to, t.paid_on::text AS paid_on, t.state, t.payable,
            coalesce(t.pay_amount, 0)::bigint AS pay_amount, t.commission, t.gross + t.refunds AS base,
            to_char(t.period_from, 'YYYY-MM-DD') || ' ~ ' || to_char(t.period_to, 'YYYY-MM-DD') AS period,
            trim(t.payee_name || ' ' || t.payee_bank || CASE WHEN t.payee_tail <> '' THEN ' ****' || t.payee_tail ELSE '' END) AS payee,
            CASE WHEN t.state IN ('to_pay', 'paying', 'failed') THEN (now() AT TIME ZONE 'Asia/Shanghai')::date - (t.to_pay_at AT TIME ZONE 'Asia/Shanghai')::date END AS age
       FROM statement t JOIN tenant m ON m.id = t.tenant_id WHERE ${conditions.join(' AND ')} ORDER BY t.id`,
    parameters.values,
  );
}

function byMerchantAndMonth(bills: readonly Bill[], request: ReportRequest): ChartPoint[] {
  const groups = new Map<string, Bill[]>();
  for (const bill of bills) {
    const key = `${bill.tenant_id} ${bill.period_to.slice(0, 7)}`;
    groups.set(key, [...(groups.get(key) ?? []), bill]);
  }
  return [...groups.values()]
    .map((own) => {
      const [first] = own as [Bill];
      const month = first.period_to.slice(0, 7);
      const [from, to] = [`${month}-01`, lastDayOf(month)];
      return pointOf(
        query({
          merchant: String(first.tenant_id),
          periodTo: `${from < request.from ? request.from : from}~${to > request.to ? request.to : to}`,
          state: request.parameters.stage && STAGES[request.parameters.stage]?.join(','),
        }),
        `${first.merchant} ${month}`,
        own,
      );
    })
    .sort((a, b) => b.values.payable! - a.values.payable! || (a.key < b.key ? -1 : 1))
    .slice(0, MOST_BARS);
}

function lastDayOf(month: string): string {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 10);
}

function pointOf(key: string, label: string, bills: readonly Bill[]): ChartPoint {
  return {
    key,
    label,
    values: {
      payable: sum(bills, 'payable') / 100,
      payAmount: sum(bills, 'pay_amount') / 100,
      bills: bills.length,
    },
  };
}

function figuresOf(bills: readonly Bill[], before: readonly Bill[]) {
  const figure = (value: (rows: readonly Bill[]) => number | null) => ({
    value: value(bills),
    previous: value(before),
    spark: [],
  });
  const inStage = (stage: string) => (rows: readonly Bill[]) =>
    sum(
      rows.filter((bill) => STAGES[stage]!.includes(bill.state)),
      'pay_amount',
    );
  return {
    sum: figure((rows) => sum(rows, 'payable')),
    due: figure(inStage('1')),
    settled: figure(inStage('2')),
    bills: figure((rows) => rows.length),
    rate: figure((rows) => {
      const base = sum(rows, 'base');
      return base === 0 ? null : (sum(rows, 'commission') / base) * 100;
    }),
  };
}

function sum(bills: readonly Bill[], name: 'payable' | 'pay_amount' | 'commission' | 'base'): number {
  return bills.reduce((total, bill) => total + bill[name], 0);
}

function query(filters: Readonly<Record<string, string | undefined>>): string {
  return new URLSearchParams(
    Object.entries(filters).filter((one): one is [string, string] => Boolean(one[1])),
  ).toString();
}
