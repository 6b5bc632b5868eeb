import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { agreementsOf } from './agreement-binding.server.ts';
import { selfAgreement } from './merchant-agreement.contract.ts';

/** Agreements of self-operated merchants. */
export const registration = bindResource(selfAgreement, agreementsOf('self')).registration;
