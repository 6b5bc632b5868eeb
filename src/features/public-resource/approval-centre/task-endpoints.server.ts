import { z } from 'zod';
import type { Label } from '../../../kernel/contract/label.ts';
import { writeAudit } from '../../../kernel/server/audit/audit.ts';
import { runOne, type Tx } from '../../../kernel/server/database.ts';
import { checkAttachable } from '../../../kernel/server/files/files.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { notFound } from '../../../kernel/server/http/errors.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { endpoint, type Call, type Endpoint } from '../../../kernel/server/registration.ts';
import { CENTRE_MENU, decideApproval, type ApprovalBy } from '../../../domain/approval/approve.server.ts';
import {
  actOn,
  addSign,
  removeSign,
  requireOpinion,
  returnTask,
  transferTask,
  undoDecision,
  urgeTask,
} from '../../../domain/approval/task-commands.server.ts';

/** A task with what says whose it is. */
interface TaskOf {
  readonly id: number;
  readonly kind: string;
  readonly bizId: number;
  readonly instanceId: number;
  readonly assignee: number;
  readonly decidedBy: number | null;
  readonly starter: number;
  /** Who added it before or after the own decision. */
  readonly addedBy: number | null;
}

type Work<B> = (
  tx: Tx,
  platform: Platform,
  task: TaskOf,
  call: ApprovalBy & { readonly body: B },
) => Promise<unknown>;

/**
 * One act on a task, by the person it belongs to whatever menus it holds: being asked opens it. Someone else's task and
 * none at all are not told apart.
 */
function act<B>(
  name: string,
  title: Label,
  body: z.ZodType<B>,
  belongs: (task: TaskOf, staffId: number) => boolean,
  work: Work<B>,
): Endpoint {
  return endpoint({
    method: 'POST',
    path: `/jinmao/web/approvalTask/:id/${name}`,
    title,
    access: 'staff',
    body,
    handle: async (call: Call<unknown, B>) => {
      const id = idOf(call.params.id);
      const task = await taskOf(call.platform, id);
      if (!task || !belongs(task, call.caller.staffId)) throw notFound();
      await actOn(call.platform, task.kind, async (tx) => {
        await work(tx, call.platform, task, call);
        await writeAudit(tx, {
          caller: call.caller,
          facts: call.facts,
          menu: CENTRE_MENU,
          action: name,
          entity: 'approvalTask',
          entityId: id,
          after: call.body,
        });
      });
      return true;
    },
  });
}

function taskOf(platform: Platform, id: number): Promise<TaskOf | undefined> {
  return runOne<TaskOf>(
    platform.database.db,
    `SELECT k.id, i.biz_type AS kind, i.biz_id AS "bizId", i.id AS "instanceId", k.assignee_id AS assignee, k.decided_by AS "decidedBy", i.starter_id AS starter,
            coalesce(p.decided_by, p.assignee_id) AS "addedBy"
       FROM approval_task k JOIN approval_instance i ON i.id = k.instance_id LEFT JOIN approval_task p ON p.id = k.parent_id
      WHERE k.id = $1 AND k.kind <> 'copy'`,
    [id],
  );
}

const asked = (task: TaskOf, staffId: number) => task.assignee === staffId;
const opinion = z.string().trim().max(500).default('');
const attachments = z.array(z.uuid()).max(9).default([]);
const staff = z.string().regex(/^\d{1,15}$/);

const decide =
  (approved: boolean): Work<{ opinion: string; attachments: string[] }> =>
  async (tx, platform, task, { caller, facts, body }) => {
    if (!approved) requireOpinion(body.opinion);
    await checkAttachable(tx, caller, 'attachments', body.attachments);
    await decideApproval(tx, platform, {
      kind: task.kind,
      bizId: task.bizId,
      taskId: task.id,
      caller,
      facts,
      approved,
      ...body,
    });
  };

/** What can be done with a task. Source: group 17, approvalTask. */
export const taskEndpoints: readonly Endpoint[] = [
  act('approve', ['同意', 'Approve'], z.strictObject({ opinion, attachments }), asked, decide(true)),
  act('refuse', ['不同意', 'Reject'], z.strictObject({ opinion, attachments }), asked, decide(false)),
  act(
    'return',
    ['退回', 'Return'],
    z.strictObject({ to: z.string().max(60), opinion }),
    asked,
    (tx, platform, task, { caller, facts, body }) =>
      returnTask(tx, platform, { caller, facts, taskId: task.id, ...body }),
  ),
  act(
    'transfer',
    ['转办', 'Hand on'],
    z.strictObject({ to: staff, reason: opinion }),
    asked,
    (tx, platform, task, { caller, facts, body }) =>
      transferTask(tx, platform, {
        caller,
        facts,
        taskId: task.id,
        to: Number(body.to),
        reason: body.reason,
      }),
  ),
  act(
    'addSign',
    ['加签', 'Ask others too'],
    z.strictObject({ where: z.enum(['before', 'after']), staff: z.array(staff).max(20), opinion }),
    asked,
    (tx, platform, task, { caller, facts, body }) =>
      addSign(tx, platform, {
        caller,
        facts,
        taskId: task.id,
        where: body.where,
        staffIds: body.staff.map(Number),
        opinion: body.opinion,
      }),
  ),
  act(
    'removeSign',
    ['减签', 'Take back who was added'],
    z.strictObject({}),
    (task, staffId) => task.addedBy === staffId,
    (tx, platform, task, { caller, facts }) => removeSign(tx, platform, { caller, facts, taskId: task.id }),
  ),
  act(
    'undo',
    ['撤销处理', 'Take the decision back'],
    z.strictObject({}),
    (task, staffId) => task.decidedBy === staffId,
    (tx, platform, task, { caller, facts }) => undoDecision(tx, platform, { caller, facts, taskId: task.id }),
  ),
  act(
    'urge',
    ['催办', 'Urge'],
    z.strictObject({}),
    (task, staffId) => task.starter === staffId,
    (tx, platform, task, { caller, facts }) => urgeTask(tx, platform, { caller, facts, taskId: task.id }),
  ),
];
