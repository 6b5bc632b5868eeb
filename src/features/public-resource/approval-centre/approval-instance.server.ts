import type { Label } from '../../../kernel/contract/label.ts';
import { run, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { Refusal, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { Parameters } from '../../../kernel/server/people/scope.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import { approvalKind } from '../../../domain/approval/approval-kind.server.ts';
import { approvalRoute, withdrawApproval } from '../../../domain/approval/approve.server.ts';
import { placeKey, progressOf, type NodeProgress } from '../../../domain/approval/node-progress.server.ts';
import {
  cancelInstance,
  OWN_REASSIGN,
  reassignTask,
  urgeTask,
} from '../../../domain/approval/task-commands.server.ts';
import { approvalInstance } from './approval-instance.contract.ts';
import {
  nodeText,
  seenInstances,
  showTimeLeft,
  summaryText,
  waitingFor,
  withAllTabs,
} from './centre-rows.server.ts';

/** Told to who started nothing here. */
const NOT_STARTER: Label = ['只有发起人可以操作', 'Only who started it may do this'];
const DUE = `(SELECT min(k.due_at) FROM approval_task k WHERE k.instance_id = t.id AND k.state = 'pending')`;

const starterOnly = (row: DbRow, caller: { readonly staffId: number }): Label | undefined =>
  Number(row.starterId) === caller.staffId ? undefined : NOT_STARTER;

const bound = bindResource(approvalInstance, {
  table: 'approval_instance',
  from: 'approval_instance t LEFT JOIN project p ON p.id = t.project_id LEFT JOIN staff s ON s.id = t.starter_id',
  scope: { tenant: 't.tenant_id', project: 't.project_id', owner: 't.starter_id', own: seenInstances },
  search: `lower(t.code || ' ' || t.title_zh || ' ' || t.title_en)`,
  columns: {
    title: 't.title_zh',
    type: 't.biz_type',
    project: { id: 't.project_id', title: 'p.name' },
    starter: { id: 't.starter_id', title: 's.name' },
    nodes: 'NULL::jsonb',
    waiting: 'NULL::jsonb',
    timeLeft: 'NULL::integer',
    overdue: `coalesce(${DUE} < now(), false)`,
  },
  extra: {
    starterId: 't.starter_id',
    bizId: 't.biz_id',
    dueAt: DUE,
    open: `(t.state = 'running')`,
    waits: `EXISTS (SELECT FROM approval_task k WHERE k.instance_id = t.id AND k.state = 'pending' AND k.kind <> 'copy')`,
    fixed: `(NOT t.awaits_starter AND EXISTS (SELECT FROM approval_process a WHERE a.id = t.process_id AND (a.withdraw_policy = 'never'
       OR (a.withdraw_policy = 'before_first_decision' AND EXISTS (SELECT FROM approval_task k WHERE k.instance_id = t.id AND k.decided_by IS NOT NULL)))))`,
  },
  tabs: {
    started: (caller, parameters) => `t.starter_id = ${parameters.bind(caller.staffId)}`,
    all: () => 'TRUE',
  },
  ruleReads: ['starterId', 'waits', 'fixed'],
  rowRules: {
    urge: (row, caller) =>
      starterOnly(row, caller) ??
      (row.waits === true ? undefined : ['没有待处理的任务', 'Nobody is asked at this moment']),
    withdraw: (row, caller) =>
      starterOnly(row, caller) ??
      (row.fixed === true ? ['已有审批意见，不能撤回', 'It cannot be withdrawn any more'] : undefined),
    reassign: (row, caller) =>
      Number(row.starterId) === caller.staffId
        ? OWN_REASSIGN
        : row.waits === true
          ? undefined
          : ['没有待处理的任务', 'Nobody is asked at this moment'],
  },
  present,
  words: {
    title: (value, { language }, row) => String(language === 'zh' ? value : row.titleEn || value),
    summary: (value, { language }) => summaryText(value, language),
    nodes: (value, { language }) =>
      ((value ?? []) as NodeProgress[]).map((node) => nodeText(node, language)).join('、'),
    waiting: (value) => ((value ?? []) as { name: string }[]).map((one) => one.name).join('、'),
  },
  handlers: {
    urge: (context) => change(context, urge),
    withdraw: (context) =>
      change(context, () =>
        withdrawApproval(context.tx, context.platform, {
          kind: String(context.row.biz_type),
          bizId: Number(context.row.biz_id),
          caller: context.caller,
          facts: context.facts,
        }),
      ),
    reassign: (context) => change(context, reassign),
    cancel: (context) =>
      change(context, ({ tx, platform, caller, facts, id, input }) =>
        cancelInstance(tx, platform, { caller, facts, instanceId: id, reason: String(input.reason) }),
      ),
  },
  also: {
    prefixes: [
      {
        prefix: 'AP',
        menu: approvalInstance.menu,
        label: ['审批', 'Approval'],
        find: async ({ caller, platform }, number) => {
          const parameters = new Parameters();
          const seen = seenInstances(caller, parameters);
          const rows = await run<{ id: number; code: string; title: string }>(
            platform.database.db,
            `SELECT t.id, t.code, t.title_zh AS title FROM approval_instance t WHERE (t.code = ${parameters.bind(number)} OR t.code LIKE ${parameters.bind(`%${number.replace(/^AP/i, '')}`)}) AND ${seen} ORDER BY t.id DESC LIMIT 5`,
            parameters.values,
          );
          return rows.map((row) => ({ ...row, route: approvalRoute(row.id) }));
        },
      },
    ],
  },
});

/** Approvals: those the caller started, and those it looks after. */
export const registration = withAllTabs(bound.registration, '/jinmao/web/approvalInstance');

/** The engine's own command is the work and the history of an action. */
async function change(
  context: ActionContext,
  work: (context: ActionContext) => Promise<unknown>,
): Promise<{ readonly told: true }> {
  await work(context);
  context.platform.changed(approvalKind(context.platform, String(context.row.biz_type)).entity);
  context.platform.changed('approvalTask');
  return { told: true };
}

/** Reminds everybody it waits for; refused only where none of them may be reminded yet. */
async function urge({ tx, platform, caller, facts, id }: ActionContext): Promise<void> {
  const tasks = await openTasks(tx, id);
  let refused: Refusal | undefined;
  let done = 0;
  for (const task of tasks)
    try {
      await urgeTask(tx, platform, { caller, facts, taskId: task.id });
      done += 1;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      refused ??= error;
    }
  if (done === 0) throw refused ?? ruleBroken(['没有待处理的任务', 'Nobody is asked at this moment']);
}

async function reassign({ tx, platform, caller, facts, id, input }: ActionContext): Promise<void> {
  const task = (await openTasks(tx, id)).find((one) => one.assignee === Number(input.from));
  if (!task) throw ruleBroken(['该人员没有待处理的任务', 'Nothing waits for this person']);
  await reassignTask(tx, platform, {
    caller,
    facts,
    taskId: task.id,
    to: Number(input.to),
    reason: String(input.reason),
  });
}

function openTasks(tx: Tx, id: number) {
  return run<{ id: number; assignee: number }>(
    tx,
    `SELECT id, assignee_id AS assignee FROM approval_task WHERE instance_id = $1 AND state = 'pending' AND kind <> 'copy' ORDER BY id`,
    [id],
  );
}

async function present(rows: DbRow[], db: Executor): Promise<void> {
  const ids = rows.map((row) => Number(row.id));
  const places = await run<{ instanceId: number; round: number; node: string }>(
    db,
    `SELECT r.instance_id AS "instanceId", r.round, r.node FROM approval_node_run r JOIN approval_instance i ON i.id = r.instance_id AND i.round = r.round
      WHERE i.id = ANY($1::bigint[]) AND i.state = 'running' AND r.state = 'active' AND cardinality(r.branches) = 0 ORDER BY r.step`,
    [ids],
  );
  const progress = await progressOf(db, places);
  const people = await waitingFor(db, ids);
  await showTimeLeft(rows, db);
  for (const row of rows) {
    row.nodes = places
      .filter((place) => place.instanceId === row.id)
      .map((place) => progress.get(placeKey(place)));
    row.waiting = people.get(Number(row.id)) ?? [];
  }
}
