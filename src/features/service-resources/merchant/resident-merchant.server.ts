import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { holds } from '../../../kernel/server/people/caller.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { lookAtApplication } from './application-look.server.ts';
import { waitsForReview } from './merchant-approval.server.ts';
import { merchantEndpoints, merchantBinding } from './merchant-binding.server.ts';
import { residentMerchant } from './merchant.contract.ts';

const ROOT = '/jinmao/web/residentMerchant';
const AUDIT = `${residentMerchant.menu}:btn_audit`;

const bound: BoundResource = bindResource(residentMerchant, {
  ...merchantBinding,
  tabs: {
    ...merchantBinding.tabs,
    // Reviewers find what they can decide, everybody else what is being reviewed.
    review: (caller, parameters) =>
      holds(caller, AUDIT)
        ? `t.merchant_state = 'in_review' AND ${waitsForReview(parameters.bind(caller.staffId))}`
        : `t.merchant_state = 'in_review'`,
  },
  endpoints: [
    ...merchantEndpoints(ROOT, residentMerchant.menu, () => bound),
    endpoint({
      method: 'GET',
      path: `${ROOT}/:id/application`,
      title: ['入驻申请核对', 'What the reviewer of an application sees'],
      access: { code: AUDIT },
      handle: async (call) => {
        const id = idOf(call.params.id);
        await bound.find(call, id);
        return lookAtApplication(call.platform, call.caller, residentMerchant.menu, id);
      },
    }),
  ],
});

/** Resident merchants. */
export const registration = bound.registration;
