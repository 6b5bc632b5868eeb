import { run, type Executor } from '../../kernel/server/database.ts';
import { chainOf, treeAt, type TreeAt } from './places-at.server.ts';

/** What hangs below a node. */
export interface PlaceFigures {
  readonly projects: number;
  readonly houses: number;
  /** Staff at work whose place is this node or one below it. Everybody counts once, so that figures add up. */
  readonly staff: number;
  /** Those of them whose place is this node itself. */
  readonly ownStaff: number;
}

const NOTHING: PlaceFigures = { projects: 0, houses: 0, staff: 0, ownStaff: 0 };

/** Figures by node: those below count for all above. */
export interface FiguresOf {
  of(node: number): PlaceFigures;
  readonly staffAt: ReadonlyMap<number, readonly number[]>;
}

/**
 * Projects, houses and staff per node, as far as a caller's projects reach (null: all). The place of a staff is the lowest node that
 * holds all of its projects, the tenant's own node for who works in all of them; merchants and staff of the whole platform have none.
 * `at`: in the tree of that instant.
 */
export async function placeFigures(
  db: Executor,
  reach: readonly number[] | null,
  at?: Date,
): Promise<FiguresOf> {
  const tree = await treeAt(db, at);
  const figures = new Map<number, { -readonly [K in keyof PlaceFigures]: number }>();
  const add = (node: number | undefined, name: keyof PlaceFigures, count: number) => {
    for (const one of chainOf(tree, node)) {
      const entry = figures.get(one) ?? { ...NOTHING };
      figures.set(one, entry);
      entry[name] += count;
    }
  };
  const houses = await run<{ id: number; houses: number }>(
    db,
    `SELECT p.id, (SELECT count(*)::int FROM house h WHERE h.project_id = p.id AND h.merged_into_id IS NULL) AS houses FROM project p WHERE $1::bigint[] IS NULL OR p.id = ANY($1)`,
    [reach],
  );
  for (const project of houses) {
    const unit = tree.unitOf.get(project.id);
    add(unit, 'projects', 1);
    add(unit, 'houses', project.houses);
  }
  const staffAt = new Map<number, number[]>();
  for (const { id, node } of await staffPlaces(db, tree, reach)) {
    add(node, 'staff', 1);
    staffAt.set(node, [...(staffAt.get(node) ?? []), id]);
  }
  for (const [node, ids] of staffAt) {
    const entry = figures.get(node);
    if (entry) entry.ownStaff = ids.length;
  }
  return { of: (node) => figures.get(node) ?? NOTHING, staffAt };
}

async function staffPlaces(
  db: Executor,
  tree: TreeAt,
  reach: readonly number[] | null,
): Promise<{ id: number; node: number }[]> {
  const rows = await run<{ id: number; home: number | null; every: boolean; projects: number[] }>(
    db,
    `SELECT s.id, o.id AS home, s.all_projects AS every,
            CASE WHEN n.kind = 3 THEN ARRAY(SELECT sp.project_id FROM staff_project sp WHERE sp.staff_id = s.id)
                 ELSE ARRAY(SELECT tp.project_id FROM tenant_project tp WHERE tp.tenant_id = s.tenant_id
                               AND (s.all_projects OR EXISTS (SELECT FROM staff_project sp WHERE sp.staff_id = s.id AND sp.project_id = tp.project_id))) END AS projects
       FROM staff s JOIN tenant n ON n.id = s.tenant_id LEFT JOIN organisation o ON o.tenant_id = n.id
      WHERE s.state = 'normal' AND n.kind <> 2 AND NOT (n.kind = 3 AND s.all_projects)`,
  );
  const seen = reach && new Set(reach);
  return rows.flatMap(({ id, home, every, projects }) => {
    if (seen && projects.length > 0 && !projects.some((project) => seen.has(project))) return [];
    const node = every && home !== null ? home : commonNode(tree, projects);
    return node === undefined ? [] : [{ id, node }];
  });
}

/** The lowest node above all of some projects. */
function commonNode(tree: TreeAt, projects: readonly number[]): number | undefined {
  let common: number[] | undefined;
  for (const unit of new Set(projects.map((project) => tree.unitOf.get(project)))) {
    const chain = chainOf(tree, unit);
    common = common === undefined ? chain : common.filter((node) => chain.includes(node));
  }
  return common?.[0];
}
