import type { Label } from '../../../kernel/contract/label.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import { MINE_SCOPE } from '../../../domain/contract/contract-sight.server.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { contractBinding } from './contract-binding.server.ts';
import { contractMine } from './contract.contract.ts';

const NOT_OWNER: Label = ['只有负责人可以操作', 'Only its owner does this'];
type Rule = (row: DbRow, caller: Caller) => Label | undefined;
/** Those who take part, and the leader of the owner, look on: what binds is the owner's. Source: group 17, pr_contractMineManagement. */
const byOwner =
  (rule: Rule): Rule =>
  (row, caller) =>
    Number(row.ownerId) === caller.staffId ? rule(row, caller) : NOT_OWNER;
const { rowRules } = contractBinding;

/** Contracts of the caller and of those it leads. */
export const registration = bindResource(contractMine, {
  ...contractBinding,
  scope: MINE_SCOPE,
  rowRules: {
    ...rowRules,
    submit: byOwner(rowRules.submit),
    remove: byOwner(rowRules.remove),
    changeTerm: byOwner(rowRules.changeTerm),
    changePrice: byOwner(rowRules.changePrice),
    changePositions: byOwner(rowRules.changePositions),
    changeParty: byOwner(rowRules.changeParty),
    terminate: byOwner(rowRules.terminate),
    withdrawChange: byOwner(rowRules.withdrawChange),
    renew: byOwner(rowRules.renew),
  },
}).registration;
