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

/**
 * What a resource whose rows are approved needs in its binding. `abilities: [approval.ability]` brings the work of its actions
 * `approve`, `reject` and `withdraw` and who may decide; `extra`, `rules` and `handlers` are the same by parts, for bindings
 * that do more. `waitsFor` is the condition of a tab of what waits for the caller. Where others are asked too the row stays in
 * its state.
 */
export function approvable(kind: string, states: ApprovalStates) {
  const decide =
    (approved: boolean) =>
    async ({ tx, platform, id, caller, facts, input }: ActionContext): Promise<ActionResult> => {
      const opinion = String(input.opinion ?? '');
      const step = { kind, bizId: id, caller, facts, approved, opinion, insideAction: true };
      const result = await decideApproval(tx, platform, step);
      if (result) return { remark: opinion, to: states[result] };
      return { remark: opinion, to: states.waiting, event: approved ? AGREED : REFUSED };
    };
  const extra = { approvers: approversSql(kind, 't.id') };
  const rules = { approve: decisionRule, reject: decisionRule } satisfies Binding['rowRules'];
  const decides = ['approve', 'reject'];
  const handlers = {
    approve: decide(true),
    reject: decide(false),
    withdraw: async ({ tx, platform, id, caller, facts }: ActionContext) => {
      await withdrawApproval(tx, platform, { kind, bizId: id, caller, facts, insideAction: true });
    },
  };
  const ability: Ability = (resource, binding) => {
    const offered = <T>(work: Readonly<Record<string, T>>) =>
      Object.fromEntries(Object.entries(work).filter(([name]) => resource.actions?.[name]));
    const own = { ...binding, handlers: { ...offered(handlers), ...binding.handlers } };
    if (!decides.some((name) => resource.actions?.[name])) return own;
    return {
      ...own,
      extra: { ...extra, ...binding.extra },
      rowRules: { ...offered(rules), ...binding.rowRules },
      ...withReads(binding, ['approvers']),
    };
  };
  return {
    ability,
    extra,
    ruleReads: ['approvers'],
    rules,
    handlers,
    waitsFor: (staff: string) =>
      `t.id IN (SELECT i.biz_id FROM approval_instance i JOIN approval_task k ON k.instance_id = i.id AND k.state = 'pending'
         WHERE i.biz_type = '${kind}' AND i.state = 'running' AND k.assignee_id = ${staff})`,
  };
}

const AGREED: Label = ['同意，待他人审批', 'Agreed, others are still asked'];
const REFUSED: Label = ['不同意，待他人审批', 'Refused, others are still asked'];
