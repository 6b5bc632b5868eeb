import { PAYEE_CHANNELS } from '../../../domain/payee/payee.rules.ts';
import { accountProblemSql } from '../../../domain/payee/resolve-payee.server.ts';
import { textOf } from '../../../kernel/contract/label.ts';
import { run } from '../../../kernel/server/database.ts';
import { defineRegistration, endpoint } from '../../../kernel/server/registration.ts';

/** Ways to pay that are switched on in the mall: the platform's, and those of the caller's own tenant. */
export const registration = defineRegistration({
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/jinmao/shoppingMall/getPayType',
      title: ['支付方式', 'Pay ways'],
      access: 'staff',
      handle: async ({ caller, platform, facts }) => {
        const rows = await run<{ channel: keyof typeof PAYEE_CHANNELS }>(
          platform.database.db,
          `SELECT DISTINCT a.channel FROM payee_account a JOIN tenant t ON t.id = a.tenant_id
            WHERE a.is_pay_in_mall AND a.mall_enabled AND ${accountProblemSql('now()')} IS NULL AND (t.kind = 3 OR a.tenant_id = $1)`,
          [caller.tenantId],
        );
        return rows
          .map(({ channel }) => ({
            id: PAYEE_CHANNELS[channel].code,
            name: textOf(PAYEE_CHANNELS[channel].label, facts.language),
          }))
          .sort((a, b) => a.id - b.id);
      },
    }),
  ],
});
