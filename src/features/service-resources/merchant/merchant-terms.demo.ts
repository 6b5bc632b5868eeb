import { run, runOne } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { bookDeposit } from '../../../domain/merchant/deposit.server.ts';

const DAY = 86_400_000;

/** Name, deposit asked for and booked in fen, days until the agreement ends. */
const TERMS = [
  ['暖心月嫂服务部', 500_000, 200_000, 350],
  ['老巷口面馆', 300_000, 300_000, 41],
  ['云栖花艺坊', 200_000, 200_000, 12],
] as const;

/** Agreements of newcomers, with deposits that are enough, short, and still to be returned. */
export const demo = defineDemo({
  key: 'merchant-terms',
  after: ['merchants'],
  run: async ({ tx, insert, now, as }) => {
    const author = as('mall1');
    for (const [index, [name, asked, booked, days]] of TERMS.entries()) {
      const merchant = await runOne<{ id: number }>(
        tx,
        'SELECT id FROM tenant WHERE kind = 2 AND name = $1',
        [name],
      );
      if (!merchant) continue;
      const known = await run(tx, 'SELECT FROM merchant_agreement WHERE tenant_id = $1', [merchant.id]);
      if (known.length > 0) continue;
      await insert('merchant_agreement', [
        {
          tenant_id: merchant.id,
          agreement_version: 1,
          commission_bp: 600 + index * 200,
          signed_on: new Date(now.getTime() - 15 * DAY).toISOString().slice(0, 10),
          effective_from: new Date(now.getTime() - (365 - days) * DAY),
          effective_to: new Date(now.getTime() + days * DAY),
          deposit: asked,
          annual_fee: 120_000,
          created_by: author.staffId,
          updated_by: author.staffId,
        },
      ]);
      // One renews on other terms, still a draft.
      if (name === '老巷口面馆')
        await insert('merchant_agreement', [
          {
            tenant_id: merchant.id,
            agreement_version: 2,
            state: 'draft',
            commission_bp: 1000,
            settlement_cycle: 'half_month',
            signed_on: now.toISOString().slice(0, 10),
            effective_from: new Date(now.getTime() + days * DAY),
            effective_to: new Date(now.getTime() + (365 + days) * DAY),
            deposit: asked,
            annual_fee: 150_000,
            created_by: author.staffId,
            updated_by: author.staffId,
          },
        ]);
      await bookDeposit(tx, {
        tenantId: merchant.id,
        move: 'receive',
        amount: booked,
        reference: `HD${2026_0001 + index}`,
        staffId: author.staffId,
        note: '银行回单',
      });
    }
  },
});
