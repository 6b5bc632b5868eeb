import { FUND_COLUMNS, WALLET, WALLET_FROZEN } from '../../../domain/merchant/funds.server.ts';
import { beginVerification, PAYEE_COLUMNS } from '../../../domain/merchant/payee-verification.server.ts';
import {
  DEPOSIT_TAKEN,
  enterByAction,
  SELF_OPERATED,
} from '../../../domain/settlement/deposit-entry.server.ts';
import type { Tx } from '../../../kernel/server/database.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { fundsOf } from '../../../domain/merchant/funds.server.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import { MERCHANT_SCOPE } from '../merchant/merchant-approval.server.ts';
import { merchantFund } from './boss-account.contract.ts';

const ofResident = (row: DbRow) => (row.selfOperated === true ? SELF_OPERATED : undefined);

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
  extra: { selfOperated: `t.merchant_kind IS NOT DISTINCT FROM 'self'` },
  ruleReads: ['frozen', 'payeeState', 'selfOperated'],
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
    receive: ofResident,
    deduct: ofResident,
    giveBack: ofResident,
    freeze: (row) => (row.frozen ? ['资金已冻结', 'It is frozen'] : undefined),
    unfreeze: (row) => (row.frozen ? undefined : ['资金未冻结', 'It is not frozen']),
  },
  sets: { unfreeze: { settlement_frozen: false, freeze_reason: '' } },
  unique: DEPOSIT_TAKEN,
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
    // What needs a second person is checked at the finance desk.
    receive: (context) => enterByAction(context, 'receive', context.input.voucher),
    deduct: (context) => enterByAction(context, 'deduct', context.input.voucher),
    giveBack: (context) => enterByAction(context, 'return', context.input.voucher),
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

/** Stops payouts and withdrawals of a merchant in the name of the product. */
export async function freezeFunds(
  tx: Tx,
  platform: Platform,
  tenantId: number,
  reason: string,
  evidence: string,
): Promise<void> {
  await bound.actAsSystem(tx, platform, 'freeze', tenantId, { reason, evidence: evidence.slice(0, 500) });
}
