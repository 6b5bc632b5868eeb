import type { Label } from '../../kernel/contract/label.ts';
import type { Executor } from '../../kernel/server/database.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { dueOf } from './flow.server.ts';
import { asks, branchesTaken, isBranching, needOf, type AskNode, type ProcessNode } from './process.rules.ts';
import { namesOf, seatsOf, type SeatSubject } from './seats.server.ts';

/** What would happen at a node if everybody agreed: who is asked and why, which branches are taken, until when. */
export interface Predicted {
  readonly node: string;
  readonly name: string;
  readonly type: ProcessNode['type'];
  readonly people: readonly { readonly id: string; readonly name: string; readonly reason: Label }[];
  readonly branches: readonly string[];
  readonly need: number;
  readonly dueAt: Date | null;
  /** Nobody would be asked: the node ends by itself. */
  readonly automatic?: 'auto_pass' | 'auto_refuse';
}

/**
 * Walks a process as if everybody agreed, from its start or over what has passed already, and writes nothing. Ends at a
 * node that would refuse by itself. Source: group 17, trial run, and the predicted people of the handling page.
 */
export async function predict(
  db: Executor,
  platform: Pick<Platform, 'registrations'>,
  nodes: readonly ProcessNode[],
  subject: SeatSubject,
  options: { readonly adminId: number | null; readonly at: Date; readonly passed?: ReadonlySet<string> },
): Promise<Predicted[]> {
  const found: Predicted[] = [];
  await walk(nodes);
  return found;

  async function walk(list: readonly ProcessNode[]): Promise<boolean> {
    for (const node of list) {
      if (isBranching(node)) {
        const taken = branchesTaken(node, subject.facts);
        if (!options.passed?.has(node.key))
          found.push({ ...blank(node), branches: taken.map((branch) => branch.key) });
        for (const branch of taken) if (!(await walk(branch.nodes))) return false;
      } else if (!options.passed?.has(node.key) && !(await one(node))) return false;
    }
    return true;
  }

  async function one(node: Exclude<ProcessNode, { branches: unknown }>): Promise<boolean> {
    if (node.type === 'delay') {
      const dueAt =
        node.until === undefined ? new Date(options.at.getTime() + (node.hours ?? 0) * 3_600_000) : null;
      found.push({ ...blank(node), dueAt });
      return true;
    }
    const { seats, automatic } = await seatsOf(db, platform, subject, node, options.adminId, options.at);
    const names = await namesOf(
      db,
      seats.map((seat) => seat.staffId),
    );
    found.push({
      ...blank(node),
      people: seats.map((seat) => ({
        id: String(seat.staffId),
        name: names.get(seat.staffId) ?? '',
        reason: seat.reason,
      })),
      need: asks(node) ? needed(node, seats.length) : 0,
      dueAt: asks(node) ? await dueOf(db, node, options.at) : null,
      ...(automatic ? { automatic } : {}),
    });
    return automatic !== 'auto_refuse';
  }
}

function needed(node: AskNode, seats: number): number {
  if (node.mode === 'ratio') return needOf(seats, node.ratio ?? 100);
  return node.mode === 'order' ? seats : Math.min(1, seats);
}

function blank(node: ProcessNode): Predicted {
  return { node: node.key, name: node.name, type: node.type, people: [], branches: [], need: 0, dueAt: null };
}
