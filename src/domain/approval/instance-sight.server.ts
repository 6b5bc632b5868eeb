import { run, type Executor } from '../../kernel/server/database.ts';
import type { Caller } from '../../kernel/server/people/caller.ts';
import { Parameters } from '../../kernel/server/people/scope.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { approvalKind, type ApprovalKind } from './approval-kind.server.ts';
import { decidableAmong } from './approve.server.ts';
import { nodesOf, readInstance, type Instance } from './flow.server.ts';
import { asks, nodeOf } from './process.rules.ts';

/** How much of an approval somebody sees: all but some fields, or type and number only, or that it is there. */
export type InstanceSight =
  | { readonly kind: 'none' }
  /** Asked, but not with the right to decide (any more). */
  | { readonly kind: 'barred' }
  | { readonly kind: 'full'; readonly hidden: ReadonlySet<string> };

interface OwnTask {
  readonly node: string;
  readonly round: number;
  readonly kind: string;
  readonly state: string;
  readonly mine: boolean;
  readonly decided: boolean;
}

/**
 * What a caller sees of an approval: the starter, every assignee past or present, who was sent a copy, the administrator
 * of the process, and who sees the object under its own menu. `looksAfter`: the caller administers approvals it sees.
 * Source: group 17, who may see.
 */
export async function sightOf(
  db: Executor,
  platform: Platform,
  caller: Caller,
  instance: Instance,
  looksAfter: boolean,
): Promise<InstanceSight> {
  const tasks = await run<OwnTask>(
    db,
    `SELECT node, round, kind, state, assignee_id = $2 AS mine, decided_by = $2 AS decided FROM approval_task
      WHERE instance_id = $1 AND (assignee_id = $2 OR first_assignee_id = $2 OR decided_by = $2)
        AND (state <> 'waiting' OR kind = 'copy' OR parent_id IS NULL)`,
    [instance.id, caller.staffId],
  );
  const everything = { kind: 'full', hidden: new Set<string>() } as const;
  if (instance.starterId === caller.staffId || instance.subjectId === caller.staffId || looksAfter)
    return everything;
  if (await isAdmin(db, instance, caller.staffId)) return everything;
  if (await seesObject(db, platform, caller, instance)) return everything;
  if (tasks.length === 0) return { kind: 'none' };
  const open = tasks.filter((task) => task.mine && task.state === 'pending' && task.kind !== 'copy');
  const may = (await decidableAmong(db, platform, caller, [instance])).size > 0;
  const told = tasks.some((task) => task.decided === true || task.kind === 'copy');
  if (!may && !told) return { kind: 'barred' };
  if (!may && open.length > 0) return { kind: 'barred' };
  const nodes = await nodesOf(db, instance.processId);
  const hidden = new Set<string>();
  for (const task of open.length > 0 ? open : tasks) {
    const node = nodeOf(nodes, task.node);
    if (asks(node)) for (const field of node.hidden) hidden.add(field);
  }
  return { kind: 'full', hidden };
}

/** Labels (in Chinese, which names them) of what a summary says of hidden fields. */
async function labelsOf(
  db: Executor,
  kind: ApprovalKind,
  bizId: number,
  hidden: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const shown = ((await kind.snapshot?.(db, bizId)) ?? []).flatMap((part) => part.values);
  return new Set([
    ...(kind.fields ?? []).filter((field) => hidden.has(field.name)).map((field) => field.label[0]),
    ...shown.filter((one) => hidden.has(one.field)).map((one) => one.label[0]),
  ]);
}

/** Of some approvals those whose nodes hide fields from the caller, with the labels a list leaves out of their summaries. */
export async function hiddenInSummaries(
  db: Executor,
  platform: Platform,
  caller: Caller,
  instanceIds: readonly number[],
): Promise<ReadonlyMap<number, ReadonlySet<string>>> {
  const found = new Map<number, ReadonlySet<string>>();
  if (instanceIds.length === 0) return found;
  const hiding = await run<{ id: number }>(
    db,
    `SELECT i.id FROM approval_instance i JOIN approval_process p ON p.id = i.process_id
      WHERE i.id = ANY($1::bigint[]) AND jsonb_path_exists(p.nodes, '$.**.hidden[*]')`,
    [instanceIds],
  );
  for (const { id } of hiding) {
    const instance = (await readInstance(db, id))!;
    const sight = await sightOf(db, platform, caller, instance, false);
    if (sight.kind === 'full' && sight.hidden.size > 0)
      found.set(id, await labelsOf(db, approvalKind(platform, instance.kind), instance.bizId, sight.hidden));
  }
  return found;
}

async function isAdmin(db: Executor, instance: Instance, staffId: number): Promise<boolean> {
  if (instance.processId === null) return false;
  const rows = await run(db, 'SELECT 1 FROM approval_process WHERE id = $1 AND admin_id = $2', [
    instance.processId,
    staffId,
  ]);
  return rows.length > 0;
}

/** Whether the object itself is open to the caller: by the sight its group declares for outcomes. */
async function seesObject(
  db: Executor,
  platform: Platform,
  caller: Caller,
  instance: Instance,
): Promise<boolean> {
  const { outcome } = approvalKind(platform, instance.kind).sights;
  if (!caller.menus.has(outcome.menu)) return false;
  const parameters = new Parameters();
  const id = `${parameters.bind(instance.bizId)}::bigint`;
  const [row] = await run<{ seen: boolean | null }>(
    db,
    `SELECT (${outcome.condition(caller, id, parameters)}) AS seen`,
    parameters.values,
  );
  return row!.seen === true;
}
