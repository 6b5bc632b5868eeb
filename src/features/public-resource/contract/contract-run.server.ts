import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { contractBinding } from './contract-binding.server.ts';
import { contractRun } from './contract.contract.ts';

/** Contracts in execution; whatever was decided, drafts are none of them. */
export const registration = bindResource(contractRun, {
  ...contractBinding,
  where: `t.state IN ('active', 'expiring', 'expired', 'terminated')`,
}).registration;
