import {
  refundsOfProduct,
  refundsSoldAt,
  refundsSucceededAt,
} from '../../mall/sales-analysis/sales-drill.server.ts';
import { textOf, type Label } from '../../../kernel/contract/label.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import type { Binding } from '../../../kernel/server/resource/binding.ts';
import { holds } from '../../../kernel/server/people/caller.ts';
import { runOne, run } from '../../../kernel/server/database.ts';
import { Refusal, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { whereOf } from '../../../kernel/server/resource/list-query.ts';
import { Parameters } from '../../../kernel/server/people/scope.ts';
import type {
  Call,
  Endpoint,
  ExportSource,
  RecordPrefix,
  Registration,
  TodoKind,
} from '../../../kernel/server/registration.ts';
import { sandboxJobs } from '../../../domain/payment-channel/sandbox-channel.server.ts';
import { pointsInvariants } from '../../../domain/points-ledger/points-invariants.server.ts';
import { refund } from './refund.contract.ts';
import { handlers, rowRules, waitingForMe } from './refund-actions.server.ts';
import { refundSight, TRADE_SCOPE } from './refund-scope.server.ts';
import { askBefore } from './refund-asked.server.ts';
import { refundDetail } from './refund-detail.server.ts';
import { refundInvariants } from './refund-invariants.server.ts';
import { revealPaths } from './refund-wire.server.ts';
import { refundPaths } from './refund-paths.server.ts';
import { lateSuccessJob, queryJob, receiveChannelResult, sendEffect } from './refund-send.server.ts';
import { HANDLED, noticeEffect } from './refund-transition.server.ts';

/** Actions by which a failed refund may be given up. */
const GIVES_UP = /\/(reject|rejectFinance|offline|confirmOffline)$/;

const setting = (key: string, fallback: number) =>
  `coalesce((SELECT (value #>> '{}')::bigint FROM setting WHERE key = 'refund.${key}'), ${fallback})`;

const word = (column: string, words: readonly string[], first = 0) =>
  `CASE ${column} ${words.map((name, index) => `WHEN ${index + first} THEN '${name}'`).join(' ')} END`;

/** SQL: the money of a refund came in by receipts. */
const BY_RECEIPTS = 'p.by_receipts AND t.cash > 0';

const binding: Binding = {
  table: 'refund',
  from: `refund t LEFT JOIN sales_order o ON o.id = t.order_id LEFT JOIN payment p ON p.id = t.payment_id
    LEFT JOIN tenant mt ON mt.id = t.tenant_id LEFT JOIN project pj ON pj.id = t.project_id
    LEFT JOIN organisation cc ON cc.id = pj.centre_id LEFT JOIN member m ON m.id = t.member_id
    LEFT JOIN staff a1 ON a1.id = t.auditor1 LEFT JOIN staff a2 ON a2.id = t.auditor2`,
  columns: {
    orderCode: 'o.code',
    customer: `coalesce(nullif(m.name, ''), m.nickname)`,
    phone: 'm.phone',
    merchant: { id: 't.tenant_id', title: 'mt.name' },
    project: { id: 't.project_id', title: 'pj.name' },
    centreCity: { id: 'pj.centre_id', title: 'cc.name' },
    cost: 't.cash',
    businessType: word('t.business_type', ['original', 'goods', 'service']),
    // A buyer is named once, as the customer and by the one mask of names; staff and the system stand here.
    applicant: `CASE WHEN t.applicant_type <> 1 THEN t.applicant_name END`,
    applicantType: word('t.applicant_type', ['buyer', 'staff'], 1),
    appliedAt: 't.created_at',
    waitingMinutes: `CASE WHEN t.state = 'reviewing' THEN floor(extract(epoch FROM clock_timestamp() - t.created_at) / 60)::int END`,
    level: word('t.level', ['one', 'two'], 1),
    paymentCode: 'p.checkout_code',
    paid: 'o.payable',
    pointsBack: 't.points',
    failReason: `CASE t.state WHEN 'cancelled' THEN t.reject_reason WHEN 'failed' THEN t.channel_message ELSE '' END`,
    auditor: `coalesce(a2.name, a1.name, '')`,
    auditedAt: 'coalesce(t.auditor2_at, t.auditor1_at)',
    hasAfterSale: 't.after_sale_id IS NOT NULL',
    // Filters without a value of their own: a refund may hold several products.
    product: { id: 'NULL::bigint', title: 'NULL::text' },
    soldAt: 'NULL::timestamptz',
    backAt: 'NULL::timestamptz',
    payee: `nullif(t.offline_payee, '')`,
    offlineWaits: `(t.offline_by IS NOT NULL AND t.state IN ('reviewing', 'failed'))`,
  },
  extra: {
    levelNo: 't.level',
    orderId: 't.order_id',
    orderTitle: 'o.title',
    orderCreatedAt: 'o.created_at',
    orderRefundStatus: 'o.refund_status',
    paymentId: 't.payment_id',
    memberId: 't.member_id',
    coins: 't.coins',
    applicantId: 't.applicant_id',
    applicantName: 't.applicant_name',
    auditor1Id: 't.auditor1',
    offlineBy: 't.offline_by',
    byReceipts: `(${BY_RECEIPTS})`,
    // The fallbacks are the defaults of settings.csv: a row rule cannot ask the settings reader.
    channelForbidden: `(${BY_RECEIPTS} OR p.channel <> 0 AND t.cash > 0 AND (clock_timestamp() > p.paid_at + make_interval(days => ${setting('channel_days', 365)}::int)
      OR (SELECT count(*) FROM refund x WHERE x.payment_id = t.payment_id AND x.id <> t.id AND x.attempts > 0) >= ${setting('channel_max_parts', 50)}))`,
  },
  scope: TRADE_SCOPE,
  search: 't.search',
  searchExact: ['o.code', 'm.name', 'm.nickname', 'm.phone', 't.channel_refund_no', 'p.checkout_code'],
  tabs: { mine: waitingForMe },
  filters: {
    // Names only the specification's own search knows; the values were checked there.
    ids: (value, parameters) => `t.id = ANY(${parameters.bind(value.split(',').map(Number))}::bigint[])`,
    subIds: (value, parameters) =>
      `t.order_id = ANY(${parameters.bind(value.split(',').map(Number))}::bigint[])`,
    product: refundsOfProduct,
    backAt: refundsSucceededAt,
    soldAt: refundsSoldAt,
    afterSale: (value) => `(t.after_sale_id IS NOT NULL) = ${value === 'true'}`,
  },
  rowRules,
  ruleReads: ['levelNo', 'applicantId', 'auditor1Id', 'offlineBy', 'channelForbidden', 'byReceipts'],
  handlers,
  detail: refundDetail,
};

const todos: readonly TodoKind[] = [
  {
    kind: 'refund_audit',
    label: ['退款待审核', 'Refunds to audit'],
    menu: 'mm_orderRefund',
    route: '/service/mm_orderRefund?tab=mine',
    order: 10,
    count: (call) => countTodo(call, 'mine', `interval '24 hours'`),
  },
  {
    kind: 'refund_failed',
    label: ['退款失败待处理', 'Failed refunds'],
    menu: 'mm_orderRefund',
    route: '/service/mm_orderRefund?tab=failed',
    order: 11,
    count: async (call) => {
      const concerned = ['btn_restart', 'btn_offline'].some((element) =>
        holds(call.caller, `mm_orderRefund:${element}`),
      );
      return concerned
        ? countTodo(call, 'failed', `interval '30 minutes'`)
        : { count: 0, oldest: null, overdue: 0 };
    },
  },
];

const prefixes: readonly RecordPrefix[] = [
  {
    prefix: 'RF',
    menu: 'mm_orderRefund',
    label: ['退款单', 'Refund'],
    find: async (call, number) => {
      const parameters = new Parameters();
      const where = await whereOf(
        refund,
        binding,
        bound.columns,
        call,
        refund.menu,
        { searchVal: '', tab: undefined, filters: {} },
        parameters,
      );
      const full = number.toUpperCase();
      const condition = full.startsWith('RF')
        ? `t.code LIKE ${parameters.bind(`${full.replace(/[\\%_]/g, '')}%`)}`
        : `right(t.code, ${Math.min(number.length, 20)}) = ${parameters.bind(number.slice(-20))}`;
      const rows = await run<{ id: number; code: string; title: string }>(
        call.platform.database.db,
        `SELECT t.id, t.code, t.product_name AS title FROM ${bound.columns.from} WHERE ${where} AND ${condition} ORDER BY t.id DESC LIMIT 8`,
        parameters.values,
      );
      return rows.map((row) => ({
        code: row.code,
        title: row.title,
        route: `/service/mm_orderRefund?tab=all&detail=${row.id}`,
      }));
    },
  },
];

const bound = bindResource(refund, {
  ...binding,
  revealPaths,
  also: {
    effects: [sendEffect, noticeEffect],
    sights: [refundSight],
    jobs: [queryJob, lateSuccessJob, ...sandboxJobs(receiveChannelResult)],
    invariants: [...refundInvariants, ...pointsInvariants],
    todos,
    prefixes,
  },
});

/** Refunds: the audit screen, the paths of the specification, channel jobs and what must always hold. */
export const registration: Registration = {
  ...bound.registration,
  endpoints: [
    ...bound.registration.endpoints.map((one) => withLoserText(askingFirst(one))),
    ...refundPaths(bound, binding, (one) => withLoserText(askingFirst(one))),
  ],
  exports: bound.registration.exports!.map(numbered),
};

const ROW_NUMBER: Label = ['序号', 'No.'];

/** 序号 in front: rows are counted over all batches. */
function numbered(source: ExportSource): ExportSource {
  return {
    ...source,
    columns: (language) => [
      { title: textOf(ROW_NUMBER, language), kind: 'integer' },
      ...source.columns(language),
    ],
    async *read(call, query) {
      let number = 0;
      for await (const rows of source.read(call, query)) yield rows.map((row) => [++number, ...row]);
    },
  };
}

/** Asks the channel before the transaction of an endpoint that may give a failed refund up begins. */
function askingFirst(one: Endpoint): Endpoint {
  const audits = one.path.endsWith('/bizRefundAudit/audit');
  if (one.method !== 'POST' || !(audits || GIVES_UP.test(one.path))) return one;
  return {
    ...one,
    handle: async (call) => {
      const body = call.body as { readonly auditId?: string; readonly isPass?: number } | undefined;
      if (!audits || body?.isPass === 2) {
        const id = idOf(audits ? body?.auditId : call.params.id);
        await bound.find(call, id);
        await askBefore(call, id);
      }
      return one.handle(call);
    },
  };
}

/** The loser of two people at once reads 该退款已被处理 instead of the engine's words about states. */
function withLoserText(one: Endpoint): Endpoint {
  if (one.method === 'GET' && !one.path.includes('restartRefund')) return one;
  return {
    ...one,
    handle: async (call) => {
      try {
        return await one.handle(call);
      } catch (error) {
        if (error instanceof Refusal && error.status === 30101 && error.label[1].startsWith('The state is "'))
          throw ruleBroken(HANDLED);
        throw error;
      }
    },
  };
}

async function countTodo(
  call: Pick<Call, 'caller' | 'platform'>,
  tab: string,
  due: string,
): Promise<{ count: number; oldest: Date | null; overdue: number }> {
  const parameters = new Parameters();
  const where = await whereOf(
    refund,
    binding,
    bound.columns,
    call,
    refund.menu,
    { searchVal: '', tab, filters: {} },
    parameters,
  );
  const row = await runOne<{ count: number; oldest: Date | null; overdue: number }>(
    call.platform.database.db,
    `SELECT count(*) AS count, min(t.created_at) AS oldest,
            count(*) FILTER (WHERE t.updated_at < clock_timestamp() - ${due}) AS overdue FROM ${bound.columns.from} WHERE ${where}`,
    parameters.values,
  );
  return row!;
}
