import type { FileValue } from '../../../kernel/contract/fields.ts';
import { businessTimeText } from '../../../kernel/contract/time.rules.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import { fileValue, type StoredFile } from '../../../kernel/server/files/files.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { allNodes } from '../../../domain/approval/process.rules.ts';
import { nodesOf } from '../../../domain/approval/flow.server.ts';
import { businessMinutesBetween } from '../../../domain/business-calendar/business-hours.server.ts';

/** One line of the history: a decision, a copy, or something that happened to the whole. */
export interface RoundEntry {
  readonly key: string;
  readonly at: string;
  readonly node?: string;
  /** Null: the product itself. */
  readonly who: string | null;
  /** Whose seat it was, where somebody else sat on it. */
  readonly instead?: string;
  readonly via?: string;
  readonly kind?: string;
  readonly result?: string;
  readonly label?: string;
  readonly rule?: string;
  readonly opinion: string;
  readonly files: readonly FileValue[];
  /** Business minutes from arrival to decision. */
  readonly minutes?: number;
}

interface DecidedRow {
  readonly id: number;
  readonly round: number;
  readonly node: string;
  readonly kind: string;
  readonly state: string;
  readonly via: string;
  readonly rule: string;
  readonly opinion: string;
  readonly files: readonly string[];
  readonly assignee: string;
  readonly first: string;
  readonly decider: string | null;
  readonly arrivedAt: Date;
  readonly decidedAt: Date | null;
}

interface EventRow {
  readonly id: number;
  readonly at: Date;
  readonly who: string;
  readonly staff: number | null;
  readonly action: string;
  readonly zh: string;
  readonly en: string;
  readonly remark: string;
}

/** Told by the task itself. */
const BY_TASK = ['return', 'transfer', 'timeout'];

/** What happened, round by round, the newest round first: who, via whom, result, opinion, files and how long it took. */
export async function roundsOf(
  db: Executor,
  platform: Platform,
  caller: Caller,
  instanceId: number,
  at: 0 | 1,
): Promise<readonly { readonly round: number; readonly entries: readonly RoundEntry[] }[]> {
  const tasks = await run<DecidedRow>(
    db,
    `SELECT k.id, k.round, k.node, k.kind, k.state, k.via, k.rule, k.opinion, k.attachments AS files, a.name AS assignee, f.name AS first, d.name AS decider,
            k.arrived_at AS "arrivedAt", k.decided_at AS "decidedAt"
       FROM approval_task k JOIN staff a ON a.id = k.assignee_id JOIN staff f ON f.id = k.first_assignee_id LEFT JOIN staff d ON d.id = k.decided_by
      WHERE k.instance_id = $1 AND (k.kind = 'copy' OR k.state IN ('approved', 'refused', 'returned', 'transferred')) ORDER BY k.id`,
    [instanceId],
  );
  const events = await run<EventRow>(
    db,
    `SELECT id, at, who, staff_id AS staff, action, label_zh AS zh, label_en AS en, remark FROM entity_event
      WHERE entity = 'approvalInstance' AND entity_id = $1 AND action <> ALL($2) ORDER BY at, id LIMIT 500`,
    [instanceId, BY_TASK],
  );
  const starts = await run<{ round: number; at: Date }>(
    db,
    'SELECT round, min(arrived_at) AS at FROM approval_node_run WHERE instance_id = $1 GROUP BY round ORDER BY round',
    [instanceId],
  );
  const process = await run<{ id: number | null }>(
    db,
    'SELECT process_id AS id FROM approval_instance WHERE id = $1',
    [instanceId],
  );
  const names = new Map(allNodes(await nodesOf(db, process[0]!.id)).map((node) => [node.key, node.name]));
  const files = await filesOf(
    db,
    platform,
    caller,
    tasks.flatMap((task) => task.files),
  );
  const rounds = new Map<number, { time: number; entry: RoundEntry }[]>();
  const put = (round: number, time: Date, entry: RoundEntry) =>
    rounds.set(round, [...(rounds.get(round) ?? []), { time: time.getTime(), entry }]);
  for (const task of tasks) {
    const time = task.decidedAt ?? task.arrivedAt;
    put(task.round, time, {
      key: `t${task.id}`,
      at: businessTimeText(time),
      node: names.get(task.node) ?? '',
      who: task.kind === 'copy' ? task.assignee : task.decider,
      ...(task.first === (task.decider ?? task.assignee) ? {} : { instead: task.first }),
      via: task.via,
      kind: task.kind,
      result: task.state,
      rule: task.rule,
      opinion: task.opinion,
      files: task.files.flatMap((id) => files.get(id) ?? []),
      ...(task.decidedAt && task.kind !== 'copy'
        ? { minutes: await businessMinutesBetween(db, task.arrivedAt, task.decidedAt) }
        : {}),
    });
  }
  for (const event of events) {
    const round = starts.filter((one) => one.at <= event.at).at(-1)?.round ?? 1;
    put(round, event.at, {
      key: `e${event.id}`,
      at: businessTimeText(event.at),
      who: event.staff === null ? null : event.who,
      label: at === 0 ? event.zh : event.en,
      opinion: ['passed', 'refused'].includes(event.action) ? '' : event.remark,
      files: [],
    });
  }
  return [...rounds]
    .sort(([a], [b]) => b - a)
    .map(([round, entries]) => ({
      round,
      entries: entries.sort((a, b) => a.time - b.time).map(({ entry }) => entry),
    }));
}

/** Files that were handed in with opinions; who reads the opinion may open them. */
async function filesOf(
  db: Executor,
  platform: Platform,
  caller: Caller,
  ids: readonly string[],
): Promise<ReadonlyMap<string, FileValue>> {
  if (ids.length === 0) return new Map();
  const rows = await run<Pick<StoredFile, 'id' | 'name' | 'type' | 'size' | 'access'>>(
    db,
    'SELECT id, name, type, size, access FROM stored_file WHERE id::text = ANY($1)',
    [ids],
  );
  return new Map(rows.map((file) => [file.id, fileValue(platform, caller, file)]));
}
