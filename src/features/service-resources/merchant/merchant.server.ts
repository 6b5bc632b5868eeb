import { run } from '../../../kernel/server/database.ts';
import type { Registration } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import { onboardingApproval } from './merchant-approval.server.ts';
import { merchantEndpoints, merchantBinding } from './merchant-binding.server.ts';
import { merchantJobs, ownTermsSight, termsSight } from './merchant-jobs.server.ts';
import { merchant } from './merchant.contract.ts';

/** All merchants, for what acts on them. */
export const boundMerchant: BoundResource = bindResource(merchant, {
  ...merchantBinding,
  endpoints: merchantEndpoints('/jinmao/web/merchant', merchant.menu, () => boundMerchant),
  also: {
    approvals: [onboardingApproval],
    sights: [onboardingApproval.sights.outcome, termsSight, ownTermsSight],
    jobs: merchantJobs(() => boundMerchant),
    options: [
      {
        target: 'company',
        anyOf: ['ssm_merchantManager', 'selfMerchants', 'cs_propertyChargingBill'],
        find: async ({ platform, caller }, query) =>
          (
            await run<{ id: number; title: string; note: string }>(
              platform.database.db,
              `SELECT id, name AS title, account AS note FROM tenant WHERE kind = 1 AND ($5::bigint IS NULL OR id = $5)
                  AND CASE WHEN cardinality($1::bigint[]) > 0 THEN id = ANY($1::bigint[]) ELSE enabled AND (name || ' ' || account) ILIKE $2 END
                ORDER BY account LIMIT $3 OFFSET $4`,
              [
                query.ids.map(Number),
                containing(query.searchVal),
                query.limit,
                query.offset,
                caller.tenantKind === 3 ? null : caller.tenantId,
              ],
            )
          ).map((row) => ({ ...row, id: String(row.id) })),
      },
    ],
  },
});

/** Merchants of both kinds; their picker is that of the merchant list. */
export const registration: Registration = {
  ...boundMerchant.registration,
  options: boundMerchant.registration.options?.filter((one) => one.target === 'company') ?? [],
};
