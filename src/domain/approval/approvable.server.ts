import type { Label } from '../../kernel/contract/label.ts';
import type { Binding } from '../../kernel/server/resource/binding.ts';
import type { ActionContext, ActionResult } from '../../kernel/server/resource/run-action.ts';
import { approversSql, decideApproval, decisionRule, withdrawApproval } from './approve.server.ts';

/** States a resource goes to by an approval, beside the one it waits in. */
export interface ApprovalStates {
  readonly waiting: string;
  readonly passed: string;
  readonly refused: string;
}

/**
 * What a resource whose rows are approved needs in its binding: who may decide (`extra`, `rules`), the work of the actions
 * `approve`, `reject` and `withdraw`, and the condition of a tab of what waits for the caller. Where others are asked too
 * the row stays in its state.
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
  return {
    extra: { approvers: approversSql(kind, 't.id') },
    ruleReads: ['approvers'],
    rules: { approve: decisionRule, reject: decisionRule } satisfies Binding['rowRules'],
    handlers: {
      approve: decide(true),
      reject: decide(false),
      withdraw: async ({ tx, platform, id, caller, facts }: ActionContext) => {
        await withdrawApproval(tx, platform, { kind, bizId: id, caller, facts, insideAction: true });
      },
    },
    waitsFor: (staff: string) =>
      `t.id IN (SELECT i.biz_id FROM approval_instance i JOIN approval_task k ON k.instance_id = i.id AND k.state = 'pending'
         WHERE i.biz_type = '${kind}' AND i.state = 'running' AND k.assignee_id = ${staff})`,
  };
}

const AGREED: Label = ['同意，待他人审批', 'Agreed, others are still asked'];
const REFUSED: Label = ['不同意，待他人审批', 'Refused, others are still asked'];
