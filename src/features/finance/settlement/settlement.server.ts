import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { filesById } from '../../../kernel/server/files/files.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { CALLER, fromInput } from '../../../kernel/server/resource/abilities/sets.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { endpoint, type TodoKind } from '../../../kernel/server/registration.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import {
  addVouchers,
  MAKER,
  payeeOf,
  payOffline,
  voidConfirmed,
} from '../../../domain/settlement/life-cycle.server.ts';
import { ruleBroken } from '../../../kernel/server/http/errors.ts';
import { tellMerchant } from '../../../domain/statement/statement-notice.server.ts';
import { releaseRows, STATEMENT } from '../../../domain/statement/draft-statement.server.ts';
import { statementScope } from '../../../domain/statement/statement-scope.server.ts';
import { bookToWallet } from '../../../domain/settlement/statement-money.server.ts';
import { filteredProjects } from '../../../domain/permission/project-reach.server.ts';
import { FROZEN, makeBatch, PAYOUT_MODE } from './make-batch.server.ts';
import { PAYOUT_FROM, PAYOUT_SCOPE } from './payout-scope.server.ts';
import { payoutBatch, settlement, SETTLEMENT_MENU } from './settlement.contract.ts';
import { bookingsOf, disputesOf } from '../statement-facts.server.ts';
import { eligibleFigure, OWED_BACK, settlementFigures } from './settlement-figures.server.ts';
import { PAYEE_PARTS, showPayees } from './payee-text.server.ts';
import { printedRows } from '../../mall/account-statement/printed-rows.server.ts';
import { financeDoctor } from './finance-doctor.server.ts';
import { settlementInvariants } from './settlement-invariants.server.ts';

const PLATFORM: Label = ['仅平台财务可以操作', 'Only the finance desk of the platform does this'];
const UNKNOWN: Label = ['结果未明，不能重新付款，请先查证', 'Outcome unknown, query first'];

const ofPlatform = (caller: Caller): Label | undefined => (caller.tenantKind === 3 ? undefined : PLATFORM);
const notMaker = (row: DbRow, caller: Caller): Label | undefined =>
  Number(row.makerId) === caller.staffId || Number(row.submitterId) === caller.staffId ? MAKER : undefined;

/** Settlements, for the folder's own payouts. */
export const bound: BoundResource = bindResource(settlement, {
  table: 'statement',
  entity: STATEMENT,
  from: 'statement t LEFT JOIN tenant m ON m.id = t.tenant_id',
  where: `(t.state IN ('to_pay', 'paying', 'failed', 'settled') OR (t.state = 'void' AND t.confirmed_at IS NOT NULL))`,
  scope: statementScope('t'),
  search: `lower(t.code || ' ' || t.receipt_no)`,
  columns: {
    merchant: { id: 't.tenant_id', title: 'm.name' },
    licenceNo: 'm.licence_no',
    period: `to_char(t.period_from, 'YYYY-MM-DD') || ' ~ ' || to_char(t.period_to, 'YYYY-MM-DD')`,
    payee: PAYEE_PARTS,
    payeeType: '(SELECT y.channel FROM payee_account y WHERE y.id = t.payee_account_id)',
    noPayment: `(t.state = 'settled' AND t.pay_amount = 0)`,
    hasClawBack: `EXISTS (SELECT FROM statement_line c WHERE c.statement_id = t.id AND c.row_kind IN ('refund', 'refund_freight') AND c.first_statement_id IS NOT NULL)`,
    freight: `(SELECT coalesce(sum(l.cash), 0)::bigint FROM statement_line l WHERE l.statement_id = t.id AND l.row_kind = 'freight')`,
    voucherCount: 'cardinality(t.voucher_ids)',
    vouchers: 't.voucher_ids::text[]',
    receiptNo: `nullif(t.receipt_no, '')`,
    paidTo: `nullif(t.paid_to, '')`,
    voidReason: `nullif(t.void_reason, '')`,
  },
  links: {
    projects: { table: 'statement_project', own: 'statement_id', other: 'project_id', to: 'project' },
  },
  filters: {
    projects: (value, parameters, caller) =>
      `EXISTS (SELECT FROM statement_project x WHERE x.statement_id = t.id AND x.project_id = ANY(${parameters.bind(filteredProjects(caller, 'projects', value))}::bigint[]))`,
  },
  writes: { vouchers: false },
  extra: {
    makerId: 't.maker_id',
    submitterId: 't.submitter_id',
    voidAskedBy: 't.void_asked_by',
    toWallet: `coalesce(${PAYOUT_MODE('t.tenant_id')} = 'wallet', false)`,
  },
  ruleReads: ['makerId', 'submitterId', 'voidAskedBy', 'noPayment', 'toWallet'],
  rowRules: {
    payOffline: (row, caller) => ofPlatform(caller) ?? notMaker(row, caller),
    payWallet: (row, caller) =>
      ofPlatform(caller) ??
      notMaker(row, caller) ??
      (row.toWallet ? undefined : ['该商户的协议不结算到钱包', 'The merchant is not settled to a wallet']),
    repay: (row, caller) => ofPlatform(caller) ?? (row.state === 'paying' ? UNKNOWN : undefined),
    addVoucher: (row, caller) =>
      ofPlatform(caller) ?? (row.noPayment ? ['该结算单无需付款', 'Nothing was to be paid'] : undefined),
    askVoid: (row, caller) =>
      ofPlatform(caller) ?? (row.voidAskedBy ? ['已有人申请作废', 'It was asked for already'] : undefined),
    voidConfirmed: (row, caller) =>
      ofPlatform(caller) ??
      (row.voidAskedBy
        ? Number(row.voidAskedBy) === caller.staffId
          ? ['须由另一人作废', 'Somebody else has to void it']
          : undefined
        : ['请先申请作废', 'Ask for it first']),
  },
  // Merchants read what was said to them and what their own accounts hold; who of the platform did it stays inside.
  detail: async (db, id, _row, caller) => {
    const inside = caller.tenantKind === 3;
    const [disputes, bookings] = [await disputesOf(db, id), await bookingsOf(db, id)];
    return {
      disputes: inside ? disputes : disputes.map((one) => ({ ...one, answered_by: '' })),
      bookings: inside ? bookings : bookings.filter((one) => one.own).map((one) => ({ ...one, by: '' })),
    };
  },
  tabs: { owedBack: () => OWED_BACK },
  endpoints: [
    settlementFigures,
    eligibleFigure,
    endpoint({
      method: 'GET',
      path: '/jinmao/web/settlement/:id/print',
      title: ['打印结算单', 'Print a statement'],
      access: { code: `${SETTLEMENT_MENU}:btn_pdf` },
      handle: async (call) => {
        const id = idOf(call.params.id);
        return { bill: await bound.detail(call, id), rows: await printedRows(call.platform.database.db, id) };
      },
    }),
  ],
  unique: { statement_receipt_once: ['该回单号已用于其他账单', 'The receipt no. stands on another bill'] },
  sets: { askVoid: { void_asked_by: CALLER, void_reason: fromInput('reason') } },
  handlers: {
    payOffline: (context) =>
      payOffline(context, (asked, due) => [
        `凭证金额 ${yuanFromFen(asked)} 与应付 ${yuanFromFen(due)} 不一致`,
        `Voucher of ${yuanFromFen(asked)} differs from ${yuanFromFen(due)} due`,
      ]),
    payWallet,
    repay,
    addVoucher: addVouchers,
    voidConfirmed,
    paid: ({ row }) =>
      Promise.resolve({
        set: {
          pay_way: 'channel',
          paid_at: new Date(),
          paid_on: businessDayOf(new Date()),
          paid_to: payeeOf(row),
        },
      }),
  },
  after: [
    async ({ action, tx }, id) => {
      if (action === 'voidConfirmed') await releaseRows(tx, id);
      return [];
    },
  ],
  present: async (rows, db) => {
    showPayees(rows);
    await showVouchers(rows, db);
  },
  also: { jobs: [financeDoctor], invariants: settlementInvariants, todos: [payoutsWithoutResult()] },
});

/** Statements as the cashier pays them. */
export const registration = bound.registration;

/** What is due stands in the merchant's wallet at once: nothing leaves the platform. */
async function payWallet({ tx, id, row, caller, platform }: ActionContext): Promise<ActionResult> {
  const tenantId = Number(row.tenant_id);
  const [stopped] = await run<{ frozen: boolean; live: boolean }>(
    tx,
    `SELECT settlement_frozen AS frozen, EXISTS (SELECT FROM payout p WHERE p.statement_id = $2 AND p.state NOT IN ('failed', 'cancelled')) AS live
       FROM tenant WHERE id = $1 FOR SHARE`,
    [tenantId, id],
  );
  if (stopped!.frozen) throw ruleBroken(FROZEN);
  if (stopped!.live) throw ruleBroken(['该结算单已在付款批次中', 'The statement stands in a payment batch']);
  await bookToWallet(tx, {
    tenantId,
    amount: Number(row.pay_amount),
    source: { type: 'statement', id },
    staffId: caller.staffId,
  });
  await tellMerchant(tx, row, ['账单已付到钱包', 'The bill was paid into the wallet']);
  platform.changed('merchantFund');
  return {
    set: {
      pay_way: 'wallet',
      paid_by: caller.staffId,
      paid_at: new Date(),
      paid_on: businessDayOf(new Date()),
      paid_to: '钱包',
    },
  };
}

/** A new batch of one after the channel has refused the last. */
async function repay({ tx, id, caller, platform }: ActionContext): Promise<ActionResult> {
  const batch = await makeBatch(tx, caller, { statements: [id] }, '');
  platform.changed(payoutBatch.name);
  return { remark: batch.code, result: { batch: batch.code } };
}

async function showVouchers(rows: DbRow[], db: Executor): Promise<void> {
  const files = await filesById(
    db,
    rows.flatMap((row) => (row.vouchers as string[] | undefined) ?? []),
  );
  for (const row of rows)
    if (row.vouchers) row.vouchers = (row.vouchers as string[]).flatMap((id) => files.get(id) ?? []);
}

/** Payouts the channel has said nothing of; after a day somebody has to ask there. Source: group 13, Channel payment. */
function payoutsWithoutResult(): TodoKind {
  return {
    kind: 'payoutUnknown',
    label: ['付款待渠道结果', 'Payouts without a result'],
    menu: SETTLEMENT_MENU,
    route: `/financialManage/${SETTLEMENT_MENU}?as=payouts&state=sent,unknown`,
    order: 175,
    count: async ({ caller, platform }) => {
      const parameters = new Parameters();
      const seen = scopeCondition(caller, SETTLEMENT_MENU, PAYOUT_SCOPE, parameters);
      const row = await runOne<{ count: number; oldest: Date | null; overdue: number }>(
        platform.database.db,
        `SELECT count(*)::int AS count, min(t.sent_at) AS oldest, (count(*) FILTER (WHERE t.sent_at < now() - interval '1 day'))::int AS overdue FROM ${PAYOUT_FROM}
          WHERE t.state IN ('sent', 'unknown') AND ${seen}`,
        parameters.values,
      );
      return row!;
    },
  };
}
