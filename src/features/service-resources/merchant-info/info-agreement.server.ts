import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { agreementBinding } from '../merchant/agreement-binding.server.ts';
import { infoAgreement } from './merchant-info.contract.ts';

/** Agreements on the merchant's own page, to read only. */
export const registration = bindResource(infoAgreement, {
  ...agreementBinding,
  before: [],
  after: [],
  handlers: {},
}).registration;
