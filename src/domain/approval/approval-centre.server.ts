import { z } from 'zod';
import type { Label } from '../../kernel/contract/label.ts';
import { businessTimeText } from '../../kernel/contract/time.rules.ts';
import { idOf } from '../../kernel/server/http/call-parts.ts';
import type { Caller } from '../../kernel/server/people/caller.ts';
import { run, runOne, transaction, type Executor, type Tx } from '../../kernel/server/database.ts';
import { notFound, ruleBroken } from '../../kernel/server/http/errors.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { defineRegistration, endpoint } from '../../kernel/server/registration.ts';
import { approvalJobs } from './approval-jobs.server.ts';
import { approvalKind, type Decider } from './approval-kind.server.ts';
import { deciderOf } from './approvers.server.ts';
import { hiddenInSummaries } from './instance-sight.server.ts';
import {
  APPROVALS_MENU,
  APPROVALS_ROUTE,
  CENTRE_MENU,
  CENTRE_ROUTE,
  approversOf,
  decidableAmong,
  decideApproval,
  giveTask,
  NOT_ANY_MORE,
  type OpenApproval,
} from './approve.server.ts';

const OPEN = `approval_task k JOIN approval_instance i ON i.id = k.instance_id WHERE k.state = 'pending' AND i.state = 'running' AND k.assignee_id = $1`;
/** Rows of the list at most. */
const SHOWN = 200;

/** A task somebody is assigned, with what decides whether it may be read. */
interface OpenTask extends OpenApproval {
  readonly id: number;
  readonly instanceId: number;
  readonly code: string;
  readonly titleZh: string;
  readonly titleEn: string;
  readonly summary: readonly { label: Label; value: Label }[];
  readonly starter: string;
  readonly arrivedAt: Date;
  readonly dueAt: Date | null;
}

/**
 * What waits for the caller's decision, whatever group it comes from. Tasks it is assigned but may not decide (any more)
 * are named by kind and code alone, so that none is stuck unseen.
 */
export const registration = defineRegistration({
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/admin/approval/mine',
      title: ['待我审批', 'Waiting for my decision'],
      access: 'staff',
      handle: async (call) => {
        const { db } = call.platform.database;
        const tasks = await openTasksOf(db, call.caller.staffId);
        const mine = await decidableAmong(db, call.platform, call.caller, tasks);
        const word = (label: Label) => label[call.facts.language === 'zh' ? 0 : 1];
        const shown = [
          ...tasks.filter((task) => mine.has(task)),
          ...tasks.filter((task) => !mine.has(task)),
        ].slice(0, SHOWN);
        const hidden = await hiddenInSummaries(
          db,
          call.platform,
          call.caller,
          shown.map((task) => task.instanceId),
        );
        return shown.map((task) => {
          const kind = approvalKind(call.platform, task.kind);
          const common = {
            id: String(task.id),
            code: task.code,
            kind: task.kind,
            kindName: word(kind.label),
            arrivedAt: businessTimeText(task.arrivedAt),
          };
          return mine.has(task)
            ? {
                ...common,
                decidable: true,
                approval: String(task.instanceId),
                title: word([task.titleZh, task.titleEn]),
                summary: task.summary
                  .filter((fact) => !hidden.get(task.instanceId)?.has(fact.label[0]))
                  .map((fact) => ({ label: word(fact.label), value: word(fact.value) })),
                starter: task.starter,
                route: kind.route(task.bizId),
              }
            : { ...common, decidable: false, note: word(NOT_ANY_MORE) };
        });
      },
    }),
    endpoint({
      method: 'POST',
      path: '/admin/approval/:id/decide',
      title: ['审批', 'Decide'],
      access: 'staff',
      body: z.strictObject({ approved: z.boolean(), opinion: z.string().trim().max(500).default('') }),
      handle: async (call) => {
        const id = idOf(call.params.id);
        const kind = await transaction(call.platform.database.db, async (tx) => {
          // Someone else's task and none at all are not told apart.
          const task = await runOne<{ kind: string; biz_id: number }>(
            tx,
            'SELECT i.biz_type AS kind, i.biz_id FROM approval_task k JOIN approval_instance i ON i.id = k.instance_id WHERE k.id = $1 AND k.assignee_id = $2',
            [id, call.caller.staffId],
          );
          if (!task) throw notFound();
          await decideApproval(tx, call.platform, {
            kind: task.kind,
            bizId: task.biz_id,
            taskId: id,
            caller: call.caller,
            facts: call.facts,
            ...call.body,
          });
          return task.kind;
        });
        call.platform.changed(approvalKind(call.platform, kind).entity);
        call.platform.changed('approvalTask');
        call.platform.changed('approvalInstance');
        return true;
      },
    }),
  ],
  todos: [
    {
      kind: 'approval',
      label: ['待我审批', 'Waiting for my approval'],
      menu: APPROVALS_MENU,
      route: APPROVALS_ROUTE,
      rather: { menu: CENTRE_MENU, route: CENTRE_ROUTE },
      keepMs: 1_000,
      order: 20,
      count: async (call) => {
        const { db } = call.platform.database;
        const tasks = await openTasksOf(db, call.caller.staffId);
        const mine = [...(await decidableAmong(db, call.platform, call.caller, tasks))];
        const now = Date.now();
        return {
          count: mine.length,
          oldest: mine[0]?.arrivedAt ?? null,
          overdue: mine.filter((task) => task.dueAt !== null && task.dueAt.getTime() < now).length,
        };
      },
    },
  ],
  jobs: approvalJobs,
  handovers: [{ kind: 'approval', label: ['审批', 'Approvals'], count: openTasks, move: moveTasks }],
});

async function openTasks(db: Executor, staffId: number): Promise<number> {
  return (await runOne<{ n: number }>(db, `SELECT count(*) AS n FROM ${OPEN}`, [staffId]))!.n;
}

/** Tasks somebody is assigned, oldest first. */
async function openTasksOf(db: Executor, staffId: number): Promise<OpenTask[]> {
  return run<OpenTask>(
    db,
    `SELECT k.id, i.id AS "instanceId", i.code, i.biz_type AS kind, i.biz_id AS "bizId", i.tenant_id AS "tenantId", i.starter_id AS "starterId", i.subject_id AS "subjectId",
            i.title_zh AS "titleZh", i.title_en AS "titleEn", i.summary, (SELECT name FROM staff s WHERE s.id = i.starter_id) AS starter,
            k.arrived_at AS "arrivedAt", k.due_at AS "dueAt"
       FROM ${OPEN} ORDER BY k.arrived_at, k.id`,
    [staffId],
  );
}

/**
 * Gives the open tasks to somebody else; one that person may not decide as its starter or subject goes to the next
 * approver instead. Refuses (30101) to give tasks to who could not decide them: they would be read by nobody.
 */
async function moveTasks(
  tx: Tx,
  from: number,
  to: number,
  doing: { readonly caller: Caller; readonly platform: Platform },
): Promise<string[]> {
  // As decisions do: whoever decides at the same moment is waited for.
  await run(tx, `SELECT i.id FROM ${OPEN} ORDER BY i.id FOR UPDATE OF i`, [from]);
  const tasks = await openTasksOf(tx, from);
  const deciders = new Map<number, Decider>();
  const may = async (id: number, task: OpenTask) => {
    if (!deciders.has(id)) deciders.set(id, await deciderOf(tx, id));
    return (await decidableAmong(tx, doing.platform, deciders.get(id)!, [task])).size > 0;
  };
  const stuck: string[] = [];
  for (const task of tasks) {
    const barred = to === task.starterId || to === task.subjectId;
    const wanted = barred ? (await approversOf(tx, doing.platform, task)).filter((id) => id !== from) : [to];
    let receiver: number | undefined;
    for (const id of wanted) if (receiver === undefined && (await may(id, task))) receiver = id;
    if (receiver === undefined) stuck.push(task.code);
    else await giveTask(tx, doing, task, receiver, 'replacement');
  }
  if (stuck.length > 0)
    throw ruleBroken([
      `接收人没有审批权限或不负责相关员工，请改选接收人，或先将部门负责人一并交接：${stuck.join('、')}`,
      `The receiver may not approve, or is not responsible for the staff. Choose another one, or hand the department leadership over with them: ${stuck.join(', ')}`,
    ]);
  return tasks.map((task) => task.code);
}
