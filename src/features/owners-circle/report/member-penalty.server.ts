import { approvable } from '../../../domain/approval/approvable.server.ts';
import { run } from '../../../kernel/server/database.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { dueJob } from '../../../kernel/server/resource/due-job.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import {
  dropApproval,
  penaltyApproval,
  PENALTY_APPROVAL,
  PENALTY_SCOPE,
  penaltySight,
} from './penalty-approval.server.ts';
import { memberPenalty } from './report.contract.ts';

const approval = approvable(PENALTY_APPROVAL, { waiting: 'waiting', passed: 'running', refused: 'running' });

/** Ends the approval that nobody decided, behind the state that is written first. */
async function closed(context: ActionContext, state: 'lifted' | 'ended'): Promise<void> {
  await run(context.tx, 'UPDATE member_penalty SET state = $2 WHERE id = $1', [context.id, state]);
  await dropApproval(context, context.id);
}

const bound: BoundResource = bindResource(memberPenalty, {
  table: 'member_penalty',
  from: `member_penalty t LEFT JOIN report_case c ON c.id = t.case_id LEFT JOIN member m ON m.id = t.member_id`,
  joins: {
    creator: { table: 'staff', column: 'created_by' },
    approver: { table: 'staff', column: 'approver_id' },
  },
  columns: { case: { id: 't.case_id', title: 'c.code' }, member: 'm.name' },
  scope: PENALTY_SCOPE,
  abilities: [approval.ability],
  extra: { recorderId: 't.created_by' },
  ruleReads: ['recorderId'],
  handlers: {
    lift: async (context) => {
      await closed(context, 'lifted');
      return { remark: String(context.input.reason), set: { lift_reason: context.input.reason } };
    },
    end: (context) => closed(context, 'ended'),
  },
  also: {
    approvals: [penaltyApproval],
    sights: [penaltySight],
    jobs: [
      dueJob(() => bound, {
        name: 'penalty.end',
        title: ['处罚到期解除', 'Penalties that are over'],
        cron: '* * * * *',
        action: 'end',
        when: 't.until_at <= now()',
      }),
    ],
  },
});

/** Penalties of members. */
export const registration = bound.registration;
