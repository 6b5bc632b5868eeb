import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { agreementsOf } from './agreement-binding.server.ts';
import { residentAgreement } from './merchant-agreement.contract.ts';

/** Agreements of resident merchants. */
export const registration = bindResource(residentAgreement, agreementsOf('resident')).registration;
