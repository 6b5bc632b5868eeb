import { z } from 'zod';
import { DECOR_CASE_MENU } from '../../../domain/after-sale/case.rules.ts';
import { CASE_SCOPE } from '../../../domain/after-sale/move-case.server.ts';
import { moneyOf, receiptRests } from '../../../domain/furnishing/decor-order.server.ts';
import { refundParts } from '../../../domain/furnishing/price.rules.ts';
import { shareOf } from '../../../domain/statement/settlement.rules.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { fenFromYuan, yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import type { FileValue } from '../../../kernel/contract/fields.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { endpoint, type TodoKind } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import { picturesOf } from '../../property/picture-columns.server.ts';
import {
  agree,
  bearer,
  check,
  NO_VISIT,
  overdue,
  quote,
  received,
  refund,
  refundable,
  refuse,
  result,
  returned,
  sent,
  tellOrder,
  unpaidFee,
  visit,
  withdraw,
  type DecorCaseRow,
} from './decor-case-actions.server.ts';
import { decorCaseInvariants } from './decor-case-invariants.server.ts';
import { slaJob } from './decor-case-jobs.server.ts';
import { decorCaseOrders, decorCaseSight, OF_DECOR } from './decor-case-scope.server.ts';
import type { DecorCaseBook, DecorCaseRefund } from './decor-case-wire.ts';
import { decorCase } from './decor-case.contract.ts';

const ROOT = '/jinmao/web/decorCase';
const OVERDUE = 't.deadline < now()';
const planned = (what: string) =>
  `(SELECT ${what} FROM after_sale_visit v JOIN staff s ON s.id = v.staff_id WHERE v.after_sale_id = t.id AND v.state = 'planned')`;

const NOT_REPAIR: Label = ['不是维修售后单', 'Not a repair'];
const NOT_EXCHANGE: Label = ['不是换货售后单', 'Not an exchange'];
const repairOnly = (row: DbRow) => (row.type === 'repair' ? undefined : NOT_REPAIR);
/** A repair whose fee is still to be asked for. */
const customerPays = (row: DbRow) =>
  row.type === 'repair' && row.bearer === 'customer' && row.feePaid !== true;
const exchangeOnly = (row: DbRow) => (row.type === 'exchange' ? undefined : NOT_EXCHANGE);

const bound: BoundResource = bindResource(decorCase, {
  table: 'after_sale',
  where: OF_DECOR,
  from: `after_sale t LEFT JOIN decor_order d ON d.id = t.decor_order_id LEFT JOIN member m ON m.id = t.member_id LEFT JOIN project p ON p.id = t.project_id
    LEFT JOIN house h ON h.id = d.house_id LEFT JOIN building_unit u ON u.id = h.unit_id LEFT JOIN building b ON b.id = u.building_id
    LEFT JOIN tenant mt ON mt.id = t.tenant_id LEFT JOIN receivable fr ON fr.id = t.fee_receivable_id`,
  scope: CASE_SCOPE,
  codePrefix: 'AS',
  search: 't.search',
  searchExact: ['d.code', 'm.phone', 'm.name'],
  columns: {
    order: { id: 't.decor_order_id', title: 'd.code' },
    customer: `coalesce(nullif(m.name, ''), m.nickname)`,
    phone: 'm.phone',
    house: { id: 'd.house_id', title: '(b.name || u.name || h.number)' },
    project: { id: 't.project_id', title: 'p.name' },
    merchant: { id: 't.tenant_id', title: 'mt.name' },
    photos: picturesOf('t.evidence'),
    video: 't.video_id',
    wanted: `nullif(t.wanted, '')`,
    amount: 'nullif(t.applied_cash, 0)',
    bearerReason: `nullif(t.bearer_reason, '')`,
    visits: `(SELECT count(*) FROM after_sale_visit v WHERE v.after_sale_id = t.id AND v.state <> 'cancelled')::int`,
    nextVisit: planned('v.starts_at'),
    visitor: { id: planned('v.staff_id'), title: planned('s.name') },
    feePaid: `(fr.state = 'paid')`,
    // Sorted keys are never null; `present` makes nothing of those nobody waits for.
    deadline: 't.due_key',
    overdue: `coalesce(${OVERDUE}, false)`,
    refuseReason: `nullif(t.refuse_reason, '')`,
    applicant: `nullif(t.applicant_name, '')`,
  },
  writes: { order: 'decor_order_id', photos: 'evidence', video: 'video_id', amount: 'applied_cash' },
  unique: {
    after_sale_visit_apart: ['该人员该时段已有上门安排', 'The person is elsewhere at that time'],
  },
  filters: { overdue: (value) => (value === 'true' ? OVERDUE : `(${OVERDUE}) IS NOT TRUE`) },
  tabs: {
    all: () => 'TRUE',
    todo: () =>
      `(t.state = 'applied' OR t.type = 'exchange' AND t.state IN ('agreed', 'returned', 'received'))`,
    visit: () => `(t.type = 'repair' AND t.state = 'agreed')`,
  },
  extra: {
    visited: `EXISTS (SELECT FROM after_sale_visit v WHERE v.after_sale_id = t.id AND v.state IN ('fixed', 'not_fixed'))`,
  },
  ruleReads: ['type', 'bearer', 'feePaid', 'repairFee', 'nextVisit', 'visited'],
  rowRules: {
    agree: (row) =>
      customerPays(row) ? ['已过保，请报价后同意', 'Out of warranty: quote the repair'] : undefined,
    quote: (row) => (customerPays(row) ? undefined : ['无需客户付费', 'The customer pays nothing for it']),
    visit: (row) =>
      repairOnly(row) ??
      (row.bearer === 'customer' && row.feePaid !== true ? unpaidFee(Number(row.repairFee ?? 0)) : undefined),
    result: (row) => repairOnly(row) ?? (row.nextVisit === null ? NO_VISIT : undefined),
    returned: exchangeOnly,
    received: exchangeOnly,
    sent: exchangeOnly,
    bearer: (row, caller) =>
      caller.tenantKind === 2
        ? ['请联系平台处理', 'The desk does this']
        : row.type === 'refund_only'
          ? ['仅退款没有维修费用', 'A refund has no such costs']
          : row.bearer === 'platform'
            ? ['已由平台承担', 'The platform pays already']
            : undefined,
    withdraw: (row) =>
      row.visited === true ? ['已上门维修，不能撤销', 'Somebody has been there already'] : undefined,
  },
  completes: ['amount'],
  before: [check],
  after: [tellOrder],
  handlers: {
    agree,
    quote,
    refuse,
    visit,
    result,
    returned,
    received,
    sent,
    bearer,
    refund,
    withdraw,
    overdue,
  },
  present: (rows) => {
    for (const row of rows)
      if (row.deadline instanceof Date && row.deadline.getUTCFullYear() > 2100) row.deadline = null;
    return Promise.resolve();
  },
  endpoints: [
    endpoint({
      method: 'GET',
      path: `${ROOT}/:id/book`,
      title: ['上门与退款', 'Visits and refunds'],
      access: { code: DECOR_CASE_MENU },
      handle: async (call): Promise<DecorCaseBook> => {
        const id = idOf(call.params.id);
        await bound.find(call, id);
        return bookOf(call.platform.database.db, id);
      },
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/:id/refundable`,
      title: ['可退金额与结算影响', 'What may go back and what settlement loses'],
      access: { anyOf: [`${DECOR_CASE_MENU}:btn_agree`, `${DECOR_CASE_MENU}:btn_refund`] },
      query: z.strictObject({
        amount: z
          .string()
          .regex(/^\d{1,9}(\.\d{1,2})?$/)
          .optional(),
      }),
      handle: async (call): Promise<DecorCaseRefund> => {
        const id = idOf(call.params.id);
        await bound.find(call, id);
        const asked = call.query.amount === undefined ? null : fenFromYuan(call.query.amount);
        return refundOf(call.platform.database.db, id, asked ?? null);
      },
    }),
  ],
  also: {
    sights: [decorCaseSight],
    options: [decorCaseOrders],
    jobs: [slaJob(() => bound)],
    invariants: decorCaseInvariants,
    todos: [
      todo(
        'decor_case',
        ['美居售后待处理', 'Decor cases to answer'],
        'state=applied',
        `t.state = 'applied'`,
        23,
      ),
      todo(
        'decor_case_late',
        ['美居售后平台跟进', 'Decor cases with the desk'],
        'escalated=true',
        't.escalated AND after_sale_is_live(t.state)',
        24,
        true,
      ),
    ],
  },
});

/** Cases of decor orders. */
export const registration = bound.registration;

/** A to-do of cases; the desk has one of its own. */
function todo(
  kind: string,
  label: Label,
  query: string,
  when: string,
  order: number,
  desk = false,
): TodoKind {
  return {
    kind,
    label,
    menu: DECOR_CASE_MENU,
    route: `/mercureManager/${DECOR_CASE_MENU}?${query}`,
    order,
    count: async ({ caller, platform }) => {
      if (desk && caller.tenantKind === 2) return { count: 0, oldest: null, overdue: 0 };
      const parameters = new Parameters();
      const row = await runOne<{ count: number; oldest: Date | null; overdue: number }>(
        platform.database.db,
        `SELECT count(*) AS count, min(t.applied_at) AS oldest, count(*) FILTER (WHERE ${OVERDUE}) AS overdue
           FROM after_sale t WHERE ${OF_DECOR} AND ${when} AND ${scopeCondition(caller, DECOR_CASE_MENU, CASE_SCOPE, parameters)}`,
        parameters.values,
      );
      return row!;
    },
  };
}

async function bookOf(db: Executor, id: number): Promise<DecorCaseBook> {
  const visits = await run<{
    id: number;
    person: string;
    from: Date;
    to: Date;
    state: DecorCaseBook['visits'][number]['state'];
    note: string;
    files: readonly FileValue[];
  }>(
    db,
    `SELECT v.id, s.name AS person, v.starts_at AS "from", v.ends_at AS "to", v.state, v.note,
            ${picturesOf('array_remove(v.photo_ids || v.signature_id, NULL)')} AS files
       FROM after_sale_visit v JOIN staff s ON s.id = v.staff_id WHERE v.after_sale_id = $1 ORDER BY v.id DESC`,
    [id],
  );
  const refunds = await run<{
    code: string;
    cash: number;
    state: DecorCaseBook['refunds'][number]['state'];
    parts: { receipt: string; amount: number }[];
  }>(
    db,
    `SELECT f.code, f.cash, f.state, coalesce((SELECT jsonb_agg(jsonb_build_object('receipt', c.code, 'amount', p.amount) ORDER BY c.received_on DESC, c.id DESC)
              FROM refund_part p JOIN receipt c ON c.id = p.receipt_id WHERE p.refund_id = f.id), '[]') AS parts
       FROM refund f WHERE f.after_sale_id = $1 ORDER BY f.id DESC`,
    [id],
  );
  return {
    visits: visits.map((row) => ({
      ...row,
      id: String(row.id),
      from: isoInstant(row.from),
      to: isoInstant(row.to),
    })),
    refunds: refunds.map(({ code, cash, state, parts }) => ({
      code,
      state,
      amount: yuanFromFen(cash),
      parts: parts.map((one) => ({ receipt: one.receipt, amount: yuanFromFen(one.amount) })),
    })),
  };
}

async function refundOf(db: Executor, id: number, asked: number | null): Promise<DecorCaseRefund> {
  const row = (await runOne<DecorCaseRow>(db, 'SELECT * FROM after_sale WHERE id = $1', [id]))!;
  const { received, refunded, refunding } = await moneyOf(db, row.decor_order_id);
  const most = Math.max(0, await refundable(db, row.order_id, id));
  const amount = row.type === 'refund_only' ? row.applied_cash : asked;
  const rests = await receiptRests(db, { kind: 'decor', id: row.decor_order_id });
  const parts = amount === null || amount > most ? [] : refundParts(rests, amount);
  const terms = await runOne<{ bp: number }>(
    db,
    'SELECT commission_bp AS bp FROM merchant_agreement WHERE tenant_id = $1 ORDER BY agreement_version DESC LIMIT 1',
    [row.tenant_id],
  );
  const bp = terms?.bp ?? 0;
  return {
    paid: yuanFromFen(received),
    refunded: yuanFromFen(refunded),
    inProgress: yuanFromFen(refunding),
    refundable: yuanFromFen(most),
    amount: amount === null ? null : yuanFromFen(amount),
    parts: parts.map((part) => ({
      receipt: rests.find((one) => one.id === part.id)!.code,
      amount: yuanFromFen(part.amount),
    })),
    commission: (bp / 100).toString(),
    settlement:
      amount === null
        ? null
        : yuanFromFen(row.bearer === 'platform' ? 0 : amount - shareOf(amount, bp, 10_000)),
  };
}
