import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import {
  beginVerification,
  replacePayoutAccount,
} from '../../../domain/merchant/payee-verification.server.ts';
import { merchantFund } from '../boss-account/boss-account.contract.ts';

const BANKS = ['中国工商银行', '中国建设银行', '招商银行', '交通银行', '中国农业银行'];
const DAY = 86_400_000;

/** Payout accounts of resident merchants: most verified long ago, one cooling down, one awaiting the amount, one not verified. */
export const demo = defineDemo({
  key: 'merchantPayees',
  after: ['merchants'],
  run: async ({ tx, tell, now, as, platform }) => {
    const author = as('mall1');
    const merchants = await run<{ id: number; name: string; state: string }>(
      tx,
      `SELECT id, name, merchant_state AS state FROM tenant t WHERE kind = 2 AND merchant_kind = 'resident'
          AND merchant_state IN ('to_activate', 'operating', 'suspended', 'closing')
          AND NOT EXISTS (SELECT FROM payee_account y WHERE y.tenant_id = t.id AND y.purpose = 'payout') ORDER BY id`,
    );
    for (const [index, merchant] of merchants.entries()) {
      const id = await replacePayoutAccount(tx, platform, merchant.id, {
        holder: merchant.name,
        bank: BANKS[index % BANKS.length]!,
        branch: '上海浦东支行',
        number: `622202100112${String(1_000 + ((merchant.id * 7_919) % 9_000)).padStart(7, '0')}`,
      });
      const verify = {
        entity: merchantFund.name,
        entityId: merchant.id,
        caller: author,
        action: 'verifyPayee',
      };
      const label = merchantFund.actions!.verifyPayee.label;
      if (merchant.state === 'to_activate') continue;
      if (index === merchants.length - 1) {
        await beginVerification(tx, platform, merchant.id, author.staffId);
        const at = new Date(now.getTime() - 2 * 3_600_000);
        await run(tx, 'UPDATE payee_account SET verify_sent_at = $2 WHERE id = $1', [id, at]);
        await tell({ ...verify, label, at });
        continue;
      }
      const cools = index === merchants.length - 2;
      const at = new Date(now.getTime() - (cools ? 0.3 : 40 + index) * DAY);
      await run(
        tx,
        `UPDATE payee_account SET verify_state = 'verified', verify_sent_at = $2, usable_from = $3 WHERE id = $1`,
        [id, at, new Date(at.getTime() + DAY)],
      );
      await tell({ ...verify, label, at });
    }
  },
});
