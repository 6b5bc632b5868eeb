import {
  bookDeposit,
  requireFreshVoucher,
  type DepositMove,
} from '../../../domain/merchant/deposit.server.ts';
import { FUND_COLUMNS, WALLET, WALLET_FROZEN } from '../../../domain/merchant/funds.server.ts';
import { beginVerification, PAYEE_COLUMNS } from '../../../domain/merchant/payee-verification.server.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { fundsOf } from '../../../domain/merchant/funds.server.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { MERCHANT_SCOPE } from '../merchant/merchant-approval.server.ts';
import { merchantFund } from './boss-account.contract.ts';

const bound: BoundResource = bindResource(merchantFund, {
  table: 'tenant',
  entity: 'merchantFund',
  where: 't.kind = 2',
  scope: MERCHANT_SCOPE,
  keyword: (value, parameters) =>
    `position(lower(${parameters.bind(value)}) IN lower(t.account || ' ' || t.name)) > 0`,
  columns: {
    ...FUND_COLUMNS,
    ...PAYEE_COLUMNS,
    wallet: WALLET,
    walletFrozen: WALLET_FROZEN,
    lastBill: `(SELECT s.code FROM statement s WHERE s.tenant_id = t.id AND s.state <> 'void' ORDER BY s.period_to DESC, s.id DESC LIMIT 1)`,
    frozen: 't.settlement_frozen',
  },
  ruleReads: ['frozen', 'payeeState'],
  rowRules: {
    verifyPayee: (row) =>
      ({
        none: ['商户尚未登记收款账户', 'The merchant has no payee account'] as const,
        verified: ['收款账户已验证', 'The payee account is verified'] as const,
        verifying: [
          '已打款，等待商户回填金额',
          'The transfer is made, the merchant enters the amount',
        ] as const,
      })[String(row.payeeState)],
    freeze: (row) => (row.frozen ? ['资金已冻结', 'It is frozen'] : undefined),
    unfreeze: (row) => (row.frozen ? undefined : ['资金未冻结', 'It is not frozen']),
  },
  sets: { unfreeze: { settlement_frozen: false, freeze_reason: '' } },
  handlers: {
    verifyPayee: async ({ tx, platform, id, caller }) => {
      const { amount, ...account } = await beginVerification(tx, platform, id, caller.staffId);
      const yuan = yuanFromFen(amount);
      return {
        // Nobody reads it again, and the transfer is made from it.
        result: {
          ...account,
          amount: yuan,
          toldOnce: `${account.holder} ${account.bank} ****${account.tail} ¥${yuan}`,
        },
        remark: `****${account.tail}`,
      };
    },
    freeze: ({ input }) =>
      Promise.resolve({
        set: { settlement_frozen: true, freeze_reason: String(input.reason) },
        remark: `${String(input.reason)}；${String(input.evidence)}`,
      }),
    receive: (context) => book(context, 'receive'),
    deduct: (context) => book(context, 'deduct'),
    giveBack: (context) => book(context, 'return'),
  },
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/jinmao/web/merchantFund/:id/funds',
      title: ['商户资金流水', 'Ledger entries of a merchant'],
      access: { code: merchantFund.menu },
      handle: async (call) => {
        const id = idOf(call.params.id);
        await bound.find(call, id);
        return fundsOf(call.platform.database.db, id);
      },
    }),
  ],
});

/** Money of merchants, as their bills and the ledger of deposits say it. */
export const registration = bound.registration;

/** Books money of a deposit; a voucher is booked once. */
async function book({ tx, id, input, caller }: ActionContext, move: DepositMove): Promise<ActionResult> {
  const note = String(input.reason ?? input.note ?? '');
  const voucher = { tenantId: id, move, reference: String(input.voucher) };
  await requireFreshVoucher(tx, voucher);
  await bookDeposit(tx, {
    ...voucher,
    amount: Number(input.amount),
    staffId: caller.staffId,
    note,
  });
  return { remark: [String(input.voucher), note].filter((one) => one !== '').join(' ') };
}
