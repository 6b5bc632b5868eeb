import { fill, type Label } from '../../kernel/contract/label.ts';
import type { Caller } from '../../kernel/server/people/caller.ts';
import { staffIdOf } from '../../kernel/server/people/caller.ts';
import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';
import { invalid, notFound, ruleBroken } from '../../kernel/server/http/errors.ts';
import { notifyStaffChanged } from '../../kernel/server/people/session-changes.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import {
  consequencesOf,
  planOf,
  treeNode,
  type Consequences,
  type Plan,
  type Rearrangement,
  type TreeNode,
} from './consequences.server.ts';
import { COMPANY_LEVELS, kindsBelow, WRONG_PARENT } from './organisation.rules.ts';

const PARENT_STOPPED: Label = ['上级机构已停用', 'The parent is stopped'];
const TOO_DEEP: Label = [
  `公司最多 ${COMPANY_LEVELS} 级`,
  `Companies stand at most ${COMPANY_LEVELS} levels deep`,
];

/** One change of the tree at a time: two at once could make a ring, or tell of consequences that are no longer true. */
export async function lockTree(tx: Tx): Promise<void> {
  await run(tx, 'LOCK TABLE organisation IN SHARE ROW EXCLUSIVE MODE');
}

/** Refuses what the tree does not allow. */
export async function checkRearrangement(tx: Executor, change: Rearrangement): Promise<void> {
  const node = await treeNode(tx, change.node);
  switch (change.kind) {
    case 'move': {
      const parent = change.parent === null ? undefined : await treeNode(tx, change.parent);
      const problem = await placeProblem(tx, node, parent);
      if (problem) throw invalid({ parent: problem }, problem);
      if (change.parent === node.parentId)
        throw invalid({ parent: ['机构已在此上级之下', 'It stands below this parent already'] });
      return;
    }
    case 'merge': {
      const into = await treeNode(tx, change.into);
      const problem: Label | undefined =
        into.id === node.id || into.kind !== node.kind
          ? ['只能合并到同类型的其他机构', 'Only into another organisation of the same kind']
          : into.state !== 'enabled'
            ? ['目标机构已停用', 'The other organisation is stopped']
            : into.path.includes(node.id)
              ? WRONG_PARENT
              : undefined;
      if (problem) throw invalid({ into: problem }, problem);
      return;
    }
    case 'stop': {
      const left = await runOne<{ n: number }>(
        tx,
        `SELECT (SELECT count(*) FROM organisation WHERE parent_id = $1 AND enabled) + (SELECT count(*) FROM project WHERE unit_id = $1 AND enabled) AS n`,
        [node.id],
      );
      if (left!.n > 0)
        throw ruleBroken(
          fill(['机构下仍有 {n} 个启用的下级或项目', '{n} enabled children or projects remain'], {
            n: left!.n,
          }),
        );
      return;
    }
    case 'hang': {
      if (node.kind !== 'management_unit')
        throw ruleBroken(['项目只能挂在管理单元下', 'Projects hang below management units only']);
      if (node.state !== 'enabled') throw ruleBroken(['机构已停用', 'The organisation is stopped']);
      return;
    }
  }
}

/** Why a node cannot stand below another one (undefined: at the top); undefined when it can. */
export async function placeProblem(
  tx: Executor,
  node: Pick<TreeNode, 'kind'> & { readonly id?: number },
  parent: TreeNode | undefined,
): Promise<Label | undefined> {
  if (!kindsBelow(parent?.kind).includes(node.kind)) return WRONG_PARENT;
  if (node.id !== undefined && parent?.path.includes(node.id)) return WRONG_PARENT;
  if (parent && parent.state !== 'enabled') return PARENT_STOPPED;
  if (node.kind !== 'company' || !parent) return undefined;
  const height = node.id === undefined ? 1 : await companyHeight(tx, node.id);
  return parent.path.length + height > COMPANY_LEVELS ? TOO_DEEP : undefined;
}

/**
 * Carries a rearrangement out in one transaction: tree, data scope of the tenants concerned, history with everything it means.
 * When staff lose rows the name of the node must have been typed. Names that clash are refused by the database.
 */
export async function rearrange(
  tx: Tx,
  platform: Platform,
  caller: Caller,
  change: Rearrangement,
  said: { readonly reason: string; readonly confirmName: string },
): Promise<{ readonly plan: Plan; readonly consequences: Consequences }> {
  await lockTree(tx);
  if (change.kind === 'hang') {
    const known = await run(
      tx,
      'SELECT id FROM project WHERE id = ANY($1::bigint[]) ORDER BY id FOR NO KEY UPDATE',
      [change.projects],
    );
    if (known.length < new Set(change.projects).size) throw notFound();
  }
  await checkRearrangement(tx, change);
  const plan = await planOf(tx, change);
  const consequences = await consequencesOf(tx, platform, plan);
  if (consequences.lose.length > 0 && said.confirmName.trim() !== plan.node.name)
    throw invalid({
      confirmName: fill(
        [
          '{n} 名员工将失去数据，请输入机构名称「{name}」确认',
          '{n} staff lose rows: type the name "{name}" to confirm',
        ],
        { n: consequences.lose.length, name: plan.node.name },
      ),
    });
  await carryOut(tx, change);
  await followProjects(tx, plan);
  await noteChange(tx, caller, {
    node: plan.node.id,
    kind: change.kind,
    from: plan.from,
    to: plan.to,
    consequences,
    reason: said.reason,
  });
  return { plan, consequences };
}

/** Writes a line of the history of a node. */
export async function noteChange(
  tx: Tx,
  caller: Caller,
  change: {
    readonly node: number;
    readonly kind: 'move' | 'merge' | 'stop' | 'enable' | 'hang';
    readonly from?: number | null;
    readonly to?: number | null;
    readonly consequences?: Consequences;
    readonly reason: string;
  },
): Promise<void> {
  await run(
    tx,
    'INSERT INTO organisation_change (organisation_id, kind, from_id, to_id, consequences, reason, by) VALUES ($1, $2, $3, $4, $5, $6, $7)',
    [
      change.node,
      change.kind,
      change.from ?? null,
      change.to ?? null,
      JSON.stringify(change.consequences ?? {}),
      change.reason,
      staffIdOf(caller),
    ],
  );
}

async function carryOut(tx: Tx, change: Rearrangement): Promise<void> {
  const last = (parent: string) =>
    `least(9999, (SELECT coalesce(max(position), 0) FROM organisation WHERE parent_id IS NOT DISTINCT FROM ${parent}))`;
  switch (change.kind) {
    case 'move':
      await run(
        tx,
        `UPDATE organisation SET parent_id = $2, position = least(9999, ${last('$2::bigint')} + 1) WHERE id = $1`,
        [change.node, change.parent],
      );
      return;
    case 'merge':
      await run(
        tx,
        `UPDATE organisation o SET parent_id = $2, position = least(9999, n.position + n.nth), version = version + 1
           FROM (SELECT id, row_number() OVER (ORDER BY position, id) AS nth, ${last('$2::bigint')} AS position FROM organisation WHERE parent_id = $1) n
          WHERE o.id = n.id`,
        [change.node, change.into],
      );
      await run(tx, 'UPDATE project SET unit_id = $2, version = version + 1 WHERE unit_id = $1', [
        change.node,
        change.into,
      ]);
      return;
    case 'hang':
      await run(
        tx,
        'UPDATE project SET unit_id = $1, version = version + 1 WHERE id = ANY($2::bigint[]) AND unit_id <> $1',
        [change.node, change.projects],
      );
      return;
    case 'stop':
      return;
  }
}

/** The projects of a tenant with a node are those below it: whoever loses or gains some sees it within a second. */
async function followProjects(tx: Tx, { tenants }: Plan): Promise<void> {
  const inOrder = [...tenants].sort(([a], [b]) => a - b);
  // A project is one centre city's: whoever loses it does so before another one gains it.
  for (const [tenant, { lose }] of inOrder)
    if (lose.length > 0)
      await run(tx, 'DELETE FROM tenant_project WHERE tenant_id = $1 AND project_id = ANY($2::bigint[])', [
        tenant,
        lose,
      ]);
  for (const [tenant, { gain }] of inOrder)
    if (gain.length > 0)
      await run(
        tx,
        'INSERT INTO tenant_project (tenant_id, project_id) SELECT $1, unnest($2::bigint[]) ON CONFLICT DO NOTHING',
        [tenant, gain],
      );
  if (tenants.size === 0) return;
  const staff = await run<{ id: number }>(
    tx,
    `SELECT id FROM staff WHERE tenant_id = ANY($1::bigint[]) AND state <> 'left' ORDER BY id`,
    [[...tenants.keys()]],
  );
  await notifyStaffChanged(
    tx,
    staff.map((one) => one.id),
  );
}

async function companyHeight(tx: Executor, id: number): Promise<number> {
  const row = await runOne<{ n: number }>(
    tx,
    `SELECT max(cardinality(c.path)) - min(cardinality(o.path)) + 1 AS n FROM organisation o JOIN organisation c ON c.path @> ARRAY[o.id] AND c.kind = 'company' WHERE o.id = $1`,
    [id],
  );
  return row!.n;
}
