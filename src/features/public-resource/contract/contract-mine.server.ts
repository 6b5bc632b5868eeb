import { MINE_SCOPE } from '../../../domain/contract/contract-sight.server.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { contractBinding } from './contract-binding.server.ts';
import { contractMine } from './contract.contract.ts';

/** Contracts of the caller and of those it leads. */
export const registration = bindResource(contractMine, {
  ...contractBinding,
  scope: MINE_SCOPE,
}).registration;
