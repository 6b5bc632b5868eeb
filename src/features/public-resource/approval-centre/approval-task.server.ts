import type { Label } from '../../../kernel/contract/label.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { runOne } from '../../../kernel/server/database.ts';
import { notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import { isRefused, readIds } from '../../../kernel/server/resource/list-query.ts';
import type { Binding, DbRow } from '../../../kernel/server/resource/binding.ts';
import type { Executor } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { approvalKind } from '../../../domain/approval/approval-kind.server.ts';
import { decidableAmong, decideApproval, HANDLED } from '../../../domain/approval/approve.server.ts';
import { nodesOf, readInstance } from '../../../domain/approval/flow.server.ts';
import { hiddenInSummaries } from '../../../domain/approval/instance-sight.server.ts';
import { placeKey, progressOf, type NodeProgress } from '../../../domain/approval/node-progress.server.ts';
import { asks, nodeOf } from '../../../domain/approval/process.rules.ts';
import { approvalTask } from './approval-task.contract.ts';
import {
  doneBy,
  nodeText,
  ownTasks,
  readable,
  showTimeLeft,
  summaryText,
  withAllTabs,
} from './centre-rows.server.ts';
import { taskEndpoints } from './task-endpoints.server.ts';

type Filter = NonNullable<Binding['filters']>[string];

/** A filter by ids that looks only into what the caller may read. */
const among =
  (column: string): Filter =>
  (value, parameters, caller, platform) => {
    const ids = readIds(value);
    if (isRefused(ids)) return ids;
    return `${column} = ANY(${parameters.bind(ids)}::bigint[]) AND ${readable(caller, parameters, platform)}`;
  };

const bound = bindResource(approvalTask, {
  table: 'approval_task',
  from: 'approval_task t LEFT JOIN approval_instance i ON i.id = t.instance_id LEFT JOIN project p ON p.id = i.project_id LEFT JOIN staff s ON s.id = i.starter_id LEFT JOIN staff f ON f.id = t.first_assignee_id',
  scope: { tenant: 'none', project: 'none', owner: 't.assignee_id', own: ownTasks },
  columns: {
    code: 'i.code',
    title: 'i.title_zh',
    titleEn: 'i.title_en',
    type: 'i.biz_type',
    summary: 'i.summary',
    project: { id: 'i.project_id', title: 'p.name' },
    starter: { id: 'i.starter_id', title: 's.name' },
    timeLeft: 'NULL::integer',
    overdue: `coalesce(t.state = 'pending' AND t.due_at < now(), false)`,
    approval: 't.instance_id::text',
    node: 'to_jsonb(t.node)',
    state: 'i.state',
    first: { id: 't.first_assignee_id', title: 'f.name' },
    result: 't.state',
    barred: 'false',
  },
  extra: {
    version: '1',
    open: `(t.state = 'pending')`,
    instanceId: 't.instance_id',
    round: 't.round',
    nodeKey: 't.node',
    bizId: 'i.biz_id',
    tenantId: 'i.tenant_id',
    starterId: 'i.starter_id',
    subjectId: 'i.subject_id',
  },
  keyword: (value, parameters, caller, platform) => {
    const like = parameters.bind(containing(value.toLowerCase()));
    return `(lower(i.code) LIKE ${like} OR (lower(i.title_zh || ' ' || i.title_en) LIKE ${like} AND ${readable(caller, parameters, platform)}))`;
  },
  tabs: {
    todo: (caller, parameters) =>
      `t.state = 'pending' AND t.kind <> 'copy' AND t.assignee_id = ${parameters.bind(caller.staffId)}`,
    done: (caller, parameters) => doneBy(parameters.bind(caller.staffId)),
    copied: (caller, parameters) => `t.kind = 'copy' AND t.assignee_id = ${parameters.bind(caller.staffId)}`,
  },
  filters: { project: among('i.project_id'), starter: among('i.starter_id') },
  ruleReads: ['open'],
  rowRules: { handle: (row) => (row.open === true ? undefined : HANDLED) },
  present,
  words: {
    title: (value, { language }, row) => String(language === 'zh' ? value : row.titleEn || value),
    summary: (value, { language }) => summaryText(value, language),
    node: (value, { language }) => (value ? nodeText(value as NodeProgress, language) : ''),
  },
  handlers: {
    // The page decides; the button only opens it.
    handle: () => Promise.reject(notFound()),
    approve: async ({ tx, platform, caller, facts, id, row, input }) => {
      const instance = (await readInstance(tx, Number(row.instance_id)))!;
      if (row.state !== 'pending') throw ruleBroken(HANDLED);
      const node = nodeOf(await nodesOf(tx, instance.processId), String(row.node));
      if (!asks(node) || !node.batch) throw ruleBroken(['该节点不允许批量处理', 'Not allowed in bulk']);
      await decideApproval(tx, platform, {
        kind: instance.kind,
        bizId: instance.bizId,
        taskId: id,
        caller,
        facts,
        approved: true,
        opinion: String(input.opinion ?? ''),
      });
      platform.changed(approvalKind(platform, instance.kind).entity);
      platform.changed('approvalInstance');
      return { told: true };
    },
  },
  endpoints: taskEndpoints,
});

/** Tasks of the caller: what waits for it, what it decided, what it was sent. */
export const registration = withAllTabs(bound.registration, '/jinmao/web/approvalTask');

/** Node and time left of each row; of what the caller may not decide (any more) nothing but type and number stays. */
async function present(rows: DbRow[], db: Executor, caller: Caller, platform: Platform): Promise<void> {
  const places = rows.map((row) => ({
    instanceId: Number(row.instanceId),
    round: Number(row.round),
    node: String(row.nodeKey),
  }));
  const progress = await progressOf(db, places);
  const open = rows
    .filter((row) => row.open === true)
    .map((row) => ({
      row,
      kind: String(row.type),
      bizId: Number(row.bizId),
      tenantId: Number(row.tenantId),
      starterId: Number(row.starterId),
      subjectId: row.subjectId === null ? null : Number(row.subjectId),
    }));
  const may = await decidableAmong(db, platform, caller, open);
  await showTimeLeft(rows, db);
  rows.forEach((row, index) => (row.node = progress.get(placeKey(places[index]!))));
  for (const one of open) if (!may.has(one) && !(await decidesOwn(db, one.row, caller))) hide(one.row);
  const hidden = await hiddenInSummaries(db, platform, caller, [
    ...new Set(places.map((place) => place.instanceId)),
  ]);
  for (const row of rows) {
    const labels = hidden.get(Number(row.instanceId));
    if (labels)
      row.summary = ((row.summary ?? []) as readonly { readonly label: Label }[]).filter(
        (fact) => !labels.has(fact.label[0]),
      );
  }
}

/** The starter at a node that lets starters decide about the own. */
async function decidesOwn(db: Executor, row: DbRow, caller: Caller): Promise<boolean> {
  if (row.starterId !== caller.staffId || row.subjectId !== null) return false;
  const found = await runOne<{ process: number | null }>(
    db,
    'SELECT process_id AS process FROM approval_instance WHERE id = $1',
    [row.instanceId],
  );
  const node = nodeOf(await nodesOf(db, found!.process), String(row.nodeKey));
  return asks(node) && node.starterRule === 'self';
}

function hide(row: DbRow): void {
  Object.assign(row, {
    barred: true,
    title: '',
    titleEn: '',
    summary: [],
    project: null,
    starter: null,
    first: null,
    node: null,
    dueAt: null,
    timeLeft: null,
  });
}
