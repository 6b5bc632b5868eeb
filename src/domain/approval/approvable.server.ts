import type { Label } from '../../kernel/contract/label.ts';
import { withReads } from '../../kernel/server/resource/abilities/enabled-flag.ts';
import type { Ability, Binding } from '../../kernel/server/resource/binding.ts';
import type { ActionContext, ActionResult } from '../../kernel/server/resource/run-action.ts';
import { approversSql, decideApproval, decisionRule, withdrawApproval } from './approve.server.ts';

/** States a resource goes to by an approval, beside the one it waits in. */
export interface ApprovalStates {
  readonly waiting: string;
  readonly passed: string;
  readonly refused: string;
}

/** What the actions are called, where not `approve`, `reject` and `withdraw`. */
export interface ApprovalActions {
  readonly approve?: string;
  readonly reject?: string;
  readonly withdraw?: string;
}

/**
 * What a resource whose rows are approved needs in its binding: `abilities: [approval.ability]` brings the work of its actions
 * `approve`, `reject` and `withdraw` and, behind the rules the binding has for them, who may decide. `handlers` are for bindings
 * that do more, `waitsFor` is the condition of a tab of what waits for the caller. Where others are asked too the row stays in
 * its state.
 */
export function approvable(kind: string, states: ApprovalStates, names: ApprovalActions = {}) {
  const decide =
    (approved: boolean) =>
    async ({ tx, platform, id, caller, facts, input }: ActionContext): Promise<ActionResult> => {
      const opinion = String(input.opinion ?? '');
      const step = { kind, bizId: id, caller, facts, approved, opinion, insideAction: true };
      const result = await decideApproval(tx, platform, step);
      if (result) return { remark: opinion, to: states[result] };
      return { remark: opinion, to: states.waiting, event: approved ? AGREED : REFUSED };
    };
  const handlers = {
    approve: decide(true),
    reject: decide(false),
    withdraw: async ({ tx, platform, id, caller, facts }: ActionContext) => {
      await withdrawApproval(tx, platform, { kind, bizId: id, caller, facts, insideAction: true });
    },
  };
  const ability: Ability = (resource, binding) => {
    const work: Record<string, NonNullable<Binding['handlers']>[string]> = {};
    const rules: Record<string, NonNullable<Binding['rowRules']>[string]> = {};
    for (const step of ['approve', 'reject', 'withdraw'] as const) {
      const name = names[step] ?? step;
      if (!resource.actions?.[name]) continue;
      work[name] = handlers[step];
      if (step === 'withdraw') continue;
      const own = binding.rowRules?.[name];
      rules[name] = (row, caller) => own?.(row, caller) ?? decisionRule(row, caller);
    }
    const worked = { ...binding, handlers: { ...work, ...binding.handlers } };
    if (Object.keys(rules).length === 0) return worked;
    return {
      ...worked,
      extra: { approvers: approversSql(kind, 't.id'), ...binding.extra },
      rowRules: { ...binding.rowRules, ...rules },
      ...withReads(binding, ['approvers']),
    };
  };
  return {
    ability,
    handlers,
    waitsFor: (staff: string) =>
      `t.id IN (SELECT i.biz_id FROM approval_instance i JOIN approval_task k ON k.instance_id = i.id AND k.state = 'pending'
         WHERE i.biz_type = '${kind}' AND i.state = 'running' AND k.assignee_id = ${staff})`,
  };
}

const AGREED: Label = ['同意，待他人审批', 'Agreed, others are still asked'];
const REFUSED: Label = ['不同意，待他人审批', 'Refused, others are still asked'];
