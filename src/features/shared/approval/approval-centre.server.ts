import { z } from 'zod';
import type { Label } from '../../../kernel/contract/label.ts';
import { businessTimeText } from '../../../kernel/contract/time.rules.ts';
import { idOf } from '../../../kernel/server/bind-resource.ts';
import type { Caller } from '../../../kernel/server/caller.ts';
import { run, runOne, transaction, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { notFound, ruleBroken } from '../../../kernel/server/errors.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/scope.ts';
import { defineService, endpoint } from '../../../kernel/server/service.ts';
import { approvalKind } from './approval-kind.server.ts';
import { leadersAbove } from './approvers.server.ts';
import { APPROVALS_MENU, APPROVALS_ROUTE, decideApproval } from './approve.server.ts';

const OPEN = `approval_task k JOIN approval_instance i ON i.id = k.instance_id WHERE k.state = 'pending' AND i.state = 'running' AND k.assignee_id = $1`;

interface TaskRow {
  readonly id: number;
  readonly code: string;
  readonly biz_type: string;
  readonly biz_id: number;
  readonly title_zh: string;
  readonly title_en: string;
  readonly summary: readonly { label: Label; value: Label }[];
  readonly starter: string;
  readonly arrived_at: Date;
}

/** What waits for the caller's decision, whatever group it comes from. Being assigned is the right to decide. */
export const service = defineService({
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/admin/approval/mine',
      title: ['待我审批', 'Waiting for my decision'],
      access: 'staff',
      handle: async (call) => {
        const rows = await run<TaskRow>(
          call.platform.database.db,
          `SELECT k.id, i.code, i.biz_type, i.biz_id, i.title_zh, i.title_en, i.summary, (SELECT name FROM staff s WHERE s.id = i.starter_id) AS starter, k.arrived_at
             FROM ${OPEN} ORDER BY k.arrived_at, k.id LIMIT 200`,
          [call.caller.staffId],
        );
        const word = (label: Label) => label[call.facts.language === 'zh' ? 0 : 1];
        return rows.map((row) => {
          const kind = approvalKind(call.platform, row.biz_type);
          return {
            id: String(row.id),
            code: row.code,
            kind: row.biz_type,
            kindName: word(kind.label),
            title: word([row.title_zh, row.title_en]),
            summary: row.summary.map((fact) => ({ label: word(fact.label), value: word(fact.value) })),
            starter: row.starter,
            arrivedAt: businessTimeText(row.arrived_at),
            route: kind.route(row.biz_id),
          };
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
        call.platform.changed(kind);
        return true;
      },
    }),
  ],
  todos: [
    {
      kind: 'approval',
      label: ['待我审批', 'Waiting for my approval'],
      // The approval centre of group 17 brings a menu of its own.
      menu: APPROVALS_MENU,
      route: APPROVALS_ROUTE,
      order: 20,
      count: async (call) => {
        const row = await runOne<{ n: number; oldest: Date | null; overdue: number }>(
          call.platform.database.db,
          `SELECT count(*) AS n, min(k.arrived_at) AS oldest, count(*) FILTER (WHERE k.due_at < now()) AS overdue FROM ${OPEN}`,
          [call.caller.staffId],
        );
        return { count: row!.n, oldest: row!.oldest, overdue: row!.overdue };
      },
    },
  ],
  handovers: [{ kind: 'approval', label: ['审批', 'Approvals'], count: openTasks, move: moveTasks }],
});

async function openTasks(db: Executor, staffId: number): Promise<number> {
  return (await runOne<{ n: number }>(db, `SELECT count(*) AS n FROM ${OPEN}`, [staffId]))!.n;
}

/** Gives the open tasks to somebody else; one that person may not decide goes to the next leader above instead. */
async function moveTasks(tx: Tx, from: number, to: number, caller: Caller): Promise<string[]> {
  if (to === caller.staffId) await requireSubjectsSeen(tx, caller, from);
  const tasks = await run<{ id: number; code: string; starter_id: number; subject_id: number | null }>(
    tx,
    `SELECT k.id, i.code, i.starter_id, i.subject_id FROM ${OPEN} ORDER BY k.id FOR UPDATE OF k`,
    [from],
  );
  for (const task of tasks) {
    const barred = [task.starter_id, ...(task.subject_id === null ? [] : [task.subject_id])];
    const receiver = barred.includes(to) ? (await leadersAbove(tx, to, [...barred, from]))[0] : to;
    await run(
      tx,
      `UPDATE approval_task SET assignee_id = $2, via = 'replacement', arrived_at = now() WHERE id = $1`,
      [task.id, receiver ?? to],
    );
  }
  return tasks.map((task) => task.code);
}

/** Refuses (30101) to take approvals over oneself about staff whose records one does not see. */
async function requireSubjectsSeen(tx: Tx, caller: Caller, from: number): Promise<void> {
  const parameters = new Parameters();
  // The place of `$1` in OPEN.
  parameters.bind(from);
  const scope = scopeCondition(
    caller,
    APPROVALS_MENU,
    {
      tenant: 'i.tenant_id',
      project: 'none',
      owner: 'coalesce(i.subject_id, i.starter_id)',
      ownTenant: true,
    },
    parameters,
  );
  const unseen = await run<{ code: string }>(
    tx,
    `SELECT i.code FROM ${OPEN} AND (${scope}) IS NOT TRUE ORDER BY k.id LIMIT 5`,
    parameters.values,
  );
  if (unseen.length === 0) return;
  const codes = unseen.map((one) => one.code).join('、');
  throw ruleBroken([
    `不能把您数据范围外的审批交接给自己，请由其他管理员操作：${codes}`,
    `You cannot hand approvals outside your data scope to yourself, another administrator has to: ${codes}`,
  ]);
}
