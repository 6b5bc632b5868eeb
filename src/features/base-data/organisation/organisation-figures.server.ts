import { endOfBusinessDay } from '../../../kernel/contract/time.rules.ts';
import { run } from '../../../kernel/server/database.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { bindReport } from '../../../kernel/server/report/bind.ts';
import { NODE_SCOPE } from '../../../domain/places/node-scope.server.ts';
import { placeFigures } from '../../../domain/places/place-figures.server.ts';
import { chainOf, treeAt } from '../../../domain/places/places-at.server.ts';
import { isFound } from '../../../domain/places/spelling.server.ts';
import { organisationFigures } from './organisation-figures.contract.ts';

interface Node {
  readonly id: number;
  readonly code: string;
  readonly name: string;
  readonly kind: string;
  readonly position: number;
}

/** The table of organisations: rows in the order of the tree, sums over its roots. */
export const registration = bindReport(organisationFigures, {
  compute: async ({ caller, platform }, request) => {
    const { db } = platform.database;
    const parameters = new Parameters();
    const nodes = await run<Node>(
      db,
      `SELECT t.id, t.code, t.name, t.kind, t.position FROM organisation t WHERE ${scopeCondition(caller, organisationFigures.menu, NODE_SCOPE, parameters)} ORDER BY t.position, t.id`,
      parameters.values,
    );
    const end = endOfBusinessDay(request.to);
    // What has not ended yet is asked as it stands.
    const at = end.getTime() < Date.now() ? new Date(end.getTime() - 1) : undefined;
    const tree = await treeAt(db, at);
    const figures = await placeFigures(db, caller.projectIds, at);
    const before = new Date(endOfBusinessDay(request.previousTo).getTime() - 1);
    const earlier = await placeFigures(db, caller.projectIds, before);
    const byId = new Map(nodes.map((node) => [node.id, node]));
    const parentOf = (id: number) => {
      const above = chainOf(tree, id)[1];
      return above === undefined ? undefined : byId.get(above);
    };
    const ordered: Node[] = [];
    const place = (parent: number | undefined) => {
      for (const node of nodes)
        if (parentOf(node.id)?.id === parent) {
          ordered.push(node);
          place(node.id);
        }
    };
    place(undefined);
    const roots = nodes.filter((node) => parentOf(node.id) === undefined);
    const sum = (name: 'projects' | 'houses' | 'staff', of: typeof figures) =>
      roots.reduce((total, node) => total + of.of(node.id)[name], 0);
    const wanted = ordered.filter(
      (node) =>
        (!request.parameters.kind || node.kind === request.parameters.kind) &&
        isFound([node.name, node.code], request.parameters.keyword ?? ''),
    );
    const drill = (id: number) => ({ parent: `below:${id}` });
    return {
      figures: Object.fromEntries(
        (['projects', 'houses', 'staff'] as const).map((name) => [
          name,
          { value: sum(name, figures), previous: sum(name, earlier), spark: [] },
        ]),
      ),
      charts: {
        centres: ordered
          .filter((node) => node.kind === 'centre_city')
          .map((node) => {
            const { projects, houses, staff } = figures.of(node.id);
            return { key: String(node.id), label: node.name, values: { houses, projects, staff } };
          }),
      },
      rows: wanted.map((node) => ({
        id: node.id,
        place: `${'　'.repeat(chainOf(tree, node.id).filter((one) => byId.has(one)).length - 1)}${node.name}`,
        code: node.code,
        kind: node.kind,
        parent: parentOf(node.id)?.name ?? '',
        order: ordered.indexOf(node),
        ...figures.of(node.id),
        drill: { projects: drill(node.id), houses: drill(node.id), staff: drill(node.id) },
      })),
      sums: {
        projects: sum('projects', figures),
        houses: sum('houses', figures),
        staff: sum('staff', figures),
      },
    };
  },
});
