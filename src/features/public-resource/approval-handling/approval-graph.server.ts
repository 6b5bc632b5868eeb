import { businessTimeText } from '../../../kernel/contract/time.rules.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { nodesOf, subjectOf, type Instance } from '../../../domain/approval/flow.server.ts';
import {
  counterText,
  placeKey,
  progressOf,
  type NodeProgress,
} from '../../../domain/approval/node-progress.server.ts';
import { predict, type Predicted } from '../../../domain/approval/predict.server.ts';
import { isBranching, type ProcessNode } from '../../../domain/approval/process.rules.ts';
import { adminOf } from '../../../domain/approval/seats.server.ts';
import { businessMinutesTo } from '../../../domain/business-calendar/business-hours.server.ts';

/** A node of the flow as the page draws it. */
export interface GraphNode {
  readonly key: string;
  readonly name: string;
  readonly type: ProcessNode['type'];
  /** What became of it; `future` may still come, `skipped` will not. */
  readonly state: 'passed' | 'current' | 'refused' | 'returned' | 'future' | 'skipped';
  readonly people: readonly {
    readonly name: string;
    readonly instead?: string;
    /** How the seat came to who sits on it now. */
    readonly via?: string;
    readonly state?: string;
    readonly reason?: string;
    readonly minutes?: number;
  }[];
  readonly counter?: string;
  readonly due?: string;
  /** Business minutes left, below zero when past. */
  readonly minutes?: number;
  readonly automatic?: string;
  readonly branches: readonly {
    readonly key: string;
    readonly name: string;
    readonly taken: boolean | undefined;
    readonly nodes: readonly GraphNode[];
  }[];
}

interface RunRow {
  readonly node: string;
  readonly state: string;
  readonly branches: readonly string[];
  readonly dueAt: Date | null;
}

interface SeatRow {
  readonly node: string;
  readonly name: string;
  readonly first: string;
  readonly via: string;
  readonly state: string;
  readonly dueAt: Date | null;
}

/** The flow in its current round: what is passed, where it stands with whom, and who would be asked after that. */
export async function graphOf(
  db: Executor,
  platform: Platform,
  instance: Instance,
  now: Date,
  at: 0 | 1,
): Promise<readonly GraphNode[]> {
  const nodes = await nodesOf(db, instance.processId);
  const runs = new Map(
    (
      await run<RunRow>(
        db,
        'SELECT node, state, branches, due_at AS "dueAt" FROM approval_node_run WHERE instance_id = $1 AND round = $2',
        [instance.id, instance.round],
      )
    ).map((row) => [row.node, row]),
  );
  const seats = await run<SeatRow>(
    db,
    `SELECT k.node, s.name, f.name AS first, k.via, k.state, k.due_at AS "dueAt" FROM approval_task k JOIN staff s ON s.id = k.assignee_id JOIN staff f ON f.id = k.first_assignee_id
      WHERE k.instance_id = $1 AND k.round = $2 AND k.state NOT IN ('cancelled', 'transferred') ORDER BY k.seat, k.id`,
    [instance.id, instance.round],
  );
  const places = [...runs.keys()].map((node) => ({ instanceId: instance.id, round: instance.round, node }));
  const progress = await progressOf(db, places);
  const running = instance.state === 'running';
  const future = running
    ? await predict(db, platform, nodes, subjectOf(instance), {
        adminId: await adminOf(db, instance.processId),
        at: now,
        passed: new Set(runs.keys()),
      })
    : [];
  const ends = [
    ...seats.filter((seat) => seat.state === 'pending').map((seat) => seat.dueAt),
    ...[...runs.values()].filter((one) => one.state === 'active').map((one) => one.dueAt),
  ].filter((one) => one !== null);
  const left = await businessMinutesTo(db, now, ends);
  const minutesOf = (due: Date | null): { minutes?: number } => {
    const index = ends.findIndex((one) => one.getTime() === due?.getTime());
    return index < 0 ? {} : { minutes: left[index]! };
  };
  const known: Known = {
    runs,
    seats,
    running,
    predicted: new Map(future.map((one) => [one.node, one])),
    progress: (node) => progress.get(placeKey({ instanceId: instance.id, round: instance.round, node })),
    minutesOf,
    at,
  };
  return nodes.map((node) => shown(known, node, true));
}

interface Known {
  readonly runs: ReadonlyMap<string, RunRow>;
  readonly seats: readonly SeatRow[];
  readonly running: boolean;
  readonly predicted: ReadonlyMap<string, Predicted>;
  readonly progress: (node: string) => NodeProgress | undefined;
  readonly minutesOf: (due: Date | null) => { minutes?: number };
  readonly at: 0 | 1;
}

function shown(known: Known, node: ProcessNode, reached: boolean): GraphNode {
  const { at } = known;
  const own = known.runs.get(node.key);
  const coming = known.predicted.get(node.key);
  const counter = own && known.progress(node.key);
  const words = counter && counterText(counter)?.[at];
  const seats = known.seats.filter((seat) => seat.node === node.key);
  const asked = seats.flatMap((seat) => (seat.state === 'pending' && seat.dueAt ? [seat.dueAt] : []));
  asked.sort((a, b) => a.getTime() - b.getTime());
  const due = own ? (own.dueAt ?? asked[0]) : coming?.dueAt;
  const taken = own?.branches ?? coming?.branches;
  return {
    key: node.key,
    name: node.name,
    type: node.type,
    state: stateOf(known, own, reached && (coming !== undefined || own !== undefined)),
    people: own
      ? seats.map((seat) => ({
          name: seat.name,
          ...(seat.first === seat.name ? {} : { instead: seat.first, via: seat.via }),
          state: seat.state,
          ...(seat.state === 'pending' ? known.minutesOf(seat.dueAt) : {}),
        }))
      : (coming?.people ?? []).map((one) => ({ name: one.name, reason: one.reason[at] })),
    ...(words ? { counter: words } : {}),
    ...(due ? { due: businessTimeText(due) } : {}),
    ...(own?.state === 'active' ? known.minutesOf(own.dueAt) : {}),
    ...(coming?.automatic ? { automatic: coming.automatic } : {}),
    branches: isBranching(node)
      ? node.branches.map((branch) => ({
          key: branch.key,
          name: branch.name,
          taken: taken?.includes(branch.key),
          nodes: branch.nodes.map((one) =>
            shown(known, one, reached && taken?.includes(branch.key) === true),
          ),
        }))
      : [],
  };
}

function stateOf(known: Known, own: RunRow | undefined, reached: boolean): GraphNode['state'] {
  if (!own) return known.running && reached ? 'future' : 'skipped';
  if (own.state === 'active') return 'current';
  if (own.state === 'passed' || own.state === 'refused' || own.state === 'returned') return own.state;
  return 'skipped';
}
