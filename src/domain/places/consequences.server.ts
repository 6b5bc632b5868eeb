import type { Label } from '../../kernel/contract/label.ts';
import { run, type Executor } from '../../kernel/server/database.ts';
import { notFound } from '../../kernel/server/http/errors.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import type { OrganisationKind } from './organisation.rules.ts';

/** What is going to happen to the tree. */
export type Rearrangement =
  | { readonly kind: 'move'; readonly node: number; readonly parent: number | null }
  | { readonly kind: 'merge'; readonly node: number; readonly into: number }
  | { readonly kind: 'stop'; readonly node: number }
  | { readonly kind: 'hang'; readonly node: number; readonly projects: readonly number[] };

/** A node as rearrangements need it. */
export interface TreeNode {
  readonly id: number;
  readonly kind: OrganisationKind;
  readonly name: string;
  readonly parentId: number | null;
  readonly tenantId: number | null;
  readonly path: readonly number[];
  readonly state: 'enabled' | 'stopped' | 'merged';
}

/** A project whose place is touched, with the nodes above it from the top down. */
export interface TouchedProject {
  readonly id: number;
  readonly name: string;
  readonly before: readonly number[];
  readonly after: readonly number[];
}

/** A rearrangement worked out: which projects come to stand where. */
export interface Plan {
  readonly change: Rearrangement;
  readonly node: TreeNode;
  /** Where it comes from and where it goes, as the history tells it. */
  readonly from: number | null;
  readonly to: number | null;
  readonly projects: readonly TouchedProject[];
  /** Tenants of nodes that projects leave and come under. */
  readonly tenants: ReadonlyMap<
    number,
    { readonly lose: readonly number[]; readonly gain: readonly number[] }
  >;
}

/** A staff whose rows change: how many projects before and after, and the names of those that go or come. */
export interface StaffChange {
  readonly id: number;
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly projects: readonly string[];
}

/** Something else that follows, told by the feature that owns it: payee assignments, contracts, statements. */
export interface Consequence {
  readonly title: Label;
  readonly lines: readonly Label[];
}

/** Everything a rearrangement means, as it is shown before and kept afterwards. */
export interface Consequences {
  readonly projects: readonly {
    readonly id: string;
    readonly name: string;
    /** Management units it leaves and comes under; equal when only something above it moves. */
    readonly from: string;
    readonly to: string;
  }[];
  readonly lose: readonly StaffChange[];
  readonly gain: readonly StaffChange[];
  readonly others: readonly Consequence[];
}

/** A feature that has something hanging on places. It says what a rearrangement means for it; without lines nothing is shown. */
export interface ConsequenceSource {
  readonly title: Label;
  find(db: Executor, plan: Plan): Promise<readonly Label[]>;
}

declare module '../../kernel/server/registration.ts' {
  interface Registration {
    /** What follows for rows of this group when the organisation tree changes. */
    readonly placeConsequences?: readonly ConsequenceSource[];
  }
}

/** Reads a node. Throws 404. */
export async function treeNode(db: Executor, id: number): Promise<TreeNode> {
  const [node] = await run<TreeNode>(db, `${NODE} WHERE o.id = $1`, [id]);
  if (!node) throw notFound();
  return node;
}

/** Works out which projects a rearrangement touches. It checks nothing: rules belong to the commands. */
export async function planOf(db: Executor, change: Rearrangement): Promise<Plan> {
  const node = await treeNode(db, change.node);
  const target =
    change.kind === 'move' && change.parent !== null
      ? await treeNode(db, change.parent)
      : change.kind === 'merge'
        ? await treeNode(db, change.into)
        : undefined;
  const rows = await run<{ id: number; name: string; path: number[] }>(
    db,
    `SELECT p.id, p.name, u.path FROM project p JOIN organisation u ON u.id = p.unit_id WHERE ${change.kind === 'hang' ? 'p.id = ANY($1::bigint[])' : 'u.path @> ARRAY[$1::bigint]'} ORDER BY p.id`,
    [change.kind === 'hang' ? change.projects : change.node],
  );
  const after = (path: readonly number[]): readonly number[] => {
    const at = path.indexOf(node.id);
    switch (change.kind) {
      case 'move':
        return [...(target?.path ?? []), ...path.slice(at)];
      case 'merge':
        return [...target!.path, ...path.slice(at + 1)];
      case 'hang':
        return node.path;
      case 'stop':
        return path;
    }
  };
  const projects = rows.map((row) => ({
    id: row.id,
    name: row.name,
    before: row.path,
    after: after(row.path),
  }));
  return {
    change,
    node,
    from: change.kind === 'move' ? node.parentId : null,
    to: target?.id ?? null,
    projects: change.kind === 'hang' ? projects.filter((one) => one.before.at(-1) !== node.id) : projects,
    tenants: await tenantChanges(db, projects),
  };
}

/** What a plan means: for whose rows, and for what other features have hanging on the places. */
export async function consequencesOf(
  db: Executor,
  platform: Pick<Platform, 'registrations'>,
  plan: Plan,
): Promise<Consequences> {
  const staff = await staffChanges(db, plan);
  const others: Consequence[] = [];
  for (const source of platform.registrations.flatMap((one) => one.placeConsequences ?? [])) {
    const lines = await source.find(db, plan);
    if (lines.length > 0) others.push({ title: source.title, lines });
  }
  const names = await run<{ id: number; name: string }>(
    db,
    'SELECT id, name FROM organisation WHERE id = ANY($1::bigint[])',
    [plan.projects.flatMap((one) => [one.before.at(-1), one.after.at(-1)])],
  );
  const nameOf = new Map(names.map((row) => [row.id, row.name]));
  const unitName = (path: readonly number[]) => nameOf.get(path.at(-1) ?? 0) ?? '';
  return {
    projects: plan.projects.map(({ id, name, before, after }) => ({
      id: String(id),
      name,
      from: unitName(before),
      to: unitName(after),
    })),
    ...staff,
    others,
  };
}

const NODE = `SELECT o.id, o.kind, o.name, o.parent_id AS "parentId", o.tenant_id AS "tenantId", o.path, o.state FROM organisation o`;

async function tenantChanges(
  db: Executor,
  projects: readonly TouchedProject[],
): Promise<Map<number, { lose: number[]; gain: number[] }>> {
  const nodes = [...new Set(projects.flatMap((one) => [...one.before, ...one.after]))];
  const rows = await run<{ id: number; tenant: number }>(
    db,
    'SELECT id, tenant_id AS tenant FROM organisation WHERE id = ANY($1::bigint[]) AND tenant_id IS NOT NULL',
    [nodes],
  );
  const tenantOf = new Map(rows.map((row) => [row.id, row.tenant]));
  const changes = new Map<number, { lose: number[]; gain: number[] }>();
  const note = (tenant: number, side: 'lose' | 'gain', project: number) => {
    const entry = changes.get(tenant) ?? { lose: [], gain: [] };
    changes.set(tenant, entry);
    entry[side].push(project);
  };
  const tenantsOf = (path: readonly number[]) => new Set(path.flatMap((node) => tenantOf.get(node) ?? []));
  for (const project of projects) {
    const [before, after] = [tenantsOf(project.before), tenantsOf(project.after)];
    for (const tenant of before) if (!after.has(tenant)) note(tenant, 'lose', project.id);
    for (const tenant of after) if (!before.has(tenant)) note(tenant, 'gain', project.id);
  }
  return changes;
}

/** Staff at work of the tenants whose projects change, as their own projects let them see it. */
async function staffChanges(
  db: Executor,
  plan: Plan,
): Promise<{ lose: readonly StaffChange[]; gain: readonly StaffChange[] }> {
  const lose: StaffChange[] = [];
  const gain: StaffChange[] = [];
  if (plan.tenants.size === 0) return { lose, gain };
  const tenants = [...plan.tenants.keys()];
  const held = await run<{ tenant: number; project: number }>(
    db,
    'SELECT tenant_id AS tenant, project_id AS project FROM tenant_project WHERE tenant_id = ANY($1::bigint[])',
    [tenants],
  );
  const staff = await run<{ id: number; name: string; tenant: number; every: boolean; own: number[] }>(
    db,
    `SELECT s.id, s.name, s.tenant_id AS tenant, s.all_projects AS every,
            ARRAY(SELECT project_id FROM staff_project p WHERE p.staff_id = s.id) AS own
       FROM staff s WHERE s.tenant_id = ANY($1::bigint[]) AND s.state = 'normal' ORDER BY s.tenant_id, s.id`,
    [tenants],
  );
  const nameOf = new Map(plan.projects.map((one) => [one.id, one.name]));
  for (const { id, name, tenant, every, own } of staff) {
    const change = plan.tenants.get(tenant)!;
    const sees = new Set(own);
    const before = new Set(
      held.flatMap((row) => (row.tenant === tenant && (every || sees.has(row.project)) ? [row.project] : [])),
    );
    const gone = change.lose.filter((project) => before.has(project));
    const come = change.gain.filter((project) => !before.has(project) && (every || sees.has(project)));
    const told = {
      id,
      name,
      from: before.size,
      to: before.size - gone.length + come.length,
    };
    if (gone.length > 0) lose.push({ ...told, projects: gone.map((one) => nameOf.get(one) ?? '') });
    if (come.length > 0) gain.push({ ...told, projects: come.map((one) => nameOf.get(one) ?? '') });
  }
  return { lose, gain };
}
