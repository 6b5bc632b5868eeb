import { run, type Executor } from '../../kernel/server/database.ts';
import { BUILT_IN, asks, nodeOf, type AskNode, type ProcessNode } from './process.rules.ts';
import { resultOf, type TaskRow } from './flow.server.ts';

/** How far a node has come: seats by what they said, and how many have to agree. */
export interface NodeProgress {
  readonly key: string;
  readonly name: string;
  readonly mode: AskNode['mode'] | null;
  readonly agreed: number;
  readonly refused: number;
  readonly open: number;
  readonly need: number;
}

/** Which node of which round is asked about. */
export interface NodePlace {
  readonly instanceId: number;
  readonly round: number;
  readonly node: string;
}

/** Text that names a place in the answer of `progressOf`. */
export const placeKey = ({ instanceId, round, node }: NodePlace): string => `${instanceId}/${round}/${node}`;

/** How far some nodes have come, by `placeKey`: three statements however many there are. */
export async function progressOf(
  db: Executor,
  places: readonly NodePlace[],
): Promise<ReadonlyMap<string, NodeProgress>> {
  const ids = [...new Set(places.map((one) => one.instanceId))];
  if (ids.length === 0) return new Map();
  const instances = await run<{ id: number; nodes: ProcessNode[] | null }>(
    db,
    'SELECT i.id, p.nodes FROM approval_instance i LEFT JOIN approval_process p ON p.id = i.process_id WHERE i.id = ANY($1::bigint[])',
    [ids],
  );
  const runs = await run<{ instanceId: number; round: number; node: string; need: number }>(
    db,
    'SELECT instance_id AS "instanceId", round, node, need FROM approval_node_run WHERE instance_id = ANY($1::bigint[])',
    [ids],
  );
  const tasks = await run<TaskRow & { readonly instanceId: number; readonly round: number }>(
    db,
    `SELECT instance_id AS "instanceId", round, id, node, seat, kind, state, assignee_id AS "assigneeId", parent_id AS "parentId" FROM approval_task
      WHERE instance_id = ANY($1::bigint[]) AND kind <> 'copy' AND state NOT IN ('cancelled', 'transferred', 'returned')`,
    [ids],
  );
  const nodes = new Map(instances.map((one) => [one.id, one.nodes ?? BUILT_IN]));
  const needs = new Map(runs.map((one) => [placeKey(one), one.need]));
  const byPlace = new Map<string, TaskRow[]>();
  for (const task of tasks) byPlace.set(placeKey(task), [...(byPlace.get(placeKey(task)) ?? []), task]);
  return new Map(
    places.map((place) => {
      const node = nodeOf(nodes.get(place.instanceId)!, place.node);
      const own = byPlace.get(placeKey(place)) ?? [];
      const results = own.filter((task) => task.parentId === null).map((task) => resultOf(task, own));
      const count = (word: string) => results.filter((one) => one === word).length;
      return [
        placeKey(place),
        {
          key: node.key,
          name: node.name,
          mode: asks(node) ? node.mode : null,
          agreed: count('approved'),
          refused: count('refused'),
          open: count('open'),
          need: needs.get(placeKey(place)) ?? 0,
        },
      ];
    }),
  );
}

/** The counter of a ratio node in words: `同意 2 · 不同意 1 · 待处理 2 · 需 3`. Source: group 17, ratio. */
export function counterText(progress: NodeProgress): readonly [zh: string, en: string] | undefined {
  if (progress.mode !== 'ratio') return undefined;
  const { agreed, refused, open, need } = progress;
  return [
    `同意 ${agreed} · 不同意 ${refused} · 待处理 ${open} · 需 ${need}`,
    `Agreed ${agreed} · refused ${refused} · open ${open} · needed ${need}`,
  ];
}
