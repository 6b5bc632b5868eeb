import type { Caller, RequestFacts } from '../people/caller.ts';
import { SYSTEM_NAME, staffIdOf } from '../people/caller.ts';
import type { Label } from '../../contract/label.ts';
import { run, type Executor } from '../database.ts';
import { currentTraceId } from '../http/tracing.ts';

/** One change, sign-in, reveal, export or grant. */
export interface AuditEntry {
  /** Absent: the system itself (job, effect). */
  readonly caller?: Pick<Caller, 'staffId' | 'name' | 'tenantId'>;
  readonly facts?: Pick<RequestFacts, 'address' | 'traceId'>;
  readonly menu?: string;
  readonly action: string;
  readonly entity: string;
  readonly entityId?: string | number;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** Writes one audit record in the caller's transaction. Values of secret fields must not be in `before` or `after`. */
export async function writeAudit(tx: Executor, entry: AuditEntry): Promise<void> {
  const values = [
    entry.caller ? staffIdOf(entry.caller) : null,
    entry.caller?.name ?? SYSTEM_NAME,
    entry.caller?.tenantId || null,
    entry.facts?.address ?? '',
    entry.menu ?? '',
    entry.action,
    entry.entity,
    String(entry.entityId ?? ''),
    entry.before === undefined ? null : JSON.stringify(entry.before),
    entry.after === undefined ? null : JSON.stringify(entry.after),
    entry.facts?.traceId ?? currentTraceId(),
  ];
  await insertOrHold(tx, AUDIT, values);
}

/** A table of records: its columns in the order of their values, and the SQL of a value that is not taken as it is given. */
interface Records {
  readonly table: string;
  readonly columns: readonly string[];
  readonly as?: Readonly<Record<string, (value: string) => string>>;
}

const AUDIT: Records = {
  table: 'audit_record',
  columns: [
    'staff_id',
    'staff_name',
    'tenant_id',
    'address',
    'menu',
    'action',
    'entity',
    'entity_id',
    'before',
    'after',
    'trace_id',
  ],
};
const TIMELINE: Records = {
  table: 'entity_event',
  columns: [
    'entity',
    'entity_id',
    'staff_id',
    'who',
    'action',
    'label_zh',
    'label_en',
    'from_state',
    'to_state',
    'remark',
    'changes',
    'at',
  ],
  as: { at: (value) => `coalesce(${value}, clock_timestamp())` },
};

type Values = readonly unknown[];
const held = new WeakMap<Executor, Map<Records, Values[]>>();

async function insertOrHold(tx: Executor, records: Records, values: Values): Promise<void> {
  const waiting = held.get(tx);
  if (!waiting) return insertRecords(tx, records, [values]);
  const rows = waiting.get(records);
  if (rows) rows.push(values);
  else waiting.set(records, [values]);
}

async function insertRecords(
  tx: Executor,
  { table, columns, as }: Records,
  rows: readonly Values[],
): Promise<void> {
  const lines = rows.map((_, row) =>
    columns.map((name, at) => {
      const value = `$${row * columns.length + at + 1}`;
      return as?.[name]?.(value) ?? value;
    }),
  );
  await run(
    tx,
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${lines.map((line) => `(${line.join(', ')})`).join(', ')}`,
    rows.flat(),
  );
}

/**
 * Runs work that writes many rows in one transaction; its timeline entries and audit records are written together at the end, in
 * their order, and none where it throws.
 */
export async function withRecordsTogether<T>(tx: Executor, work: () => Promise<T>): Promise<T> {
  const waiting = new Map<Records, Values[]>();
  held.set(tx, waiting);
  try {
    const result = await work();
    for (const [records, rows] of waiting) await insertRecords(tx, records, rows);
    return result;
  } finally {
    held.delete(tx);
  }
}

/** One line of a row's timeline. */
export interface TimelineEntry {
  readonly entity: string;
  readonly entityId: number;
  readonly caller?: Pick<Caller, 'staffId' | 'name'>;
  readonly action: string;
  /** When it happened; now when absent. Only demonstration rows have a past that was never lived. */
  readonly at?: Date;
  readonly label: Label;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly remark?: string;
  readonly changes?: readonly FieldChange[];
}

/** A field before and after a change, as stored values. */
export interface FieldChange {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Appends to a row's timeline in the caller's transaction. */
export async function writeTimeline(tx: Executor, entry: TimelineEntry): Promise<void> {
  await insertOrHold(tx, TIMELINE, [
    entry.entity,
    entry.entityId,
    entry.caller ? staffIdOf(entry.caller) : null,
    entry.caller?.name ?? SYSTEM_NAME,
    entry.action,
    entry.label[0],
    entry.label[1],
    entry.from ?? null,
    entry.to ?? null,
    entry.remark ?? '',
    entry.changes && entry.changes.length > 0 ? JSON.stringify(entry.changes) : null,
    entry.at ?? null,
  ]);
}

/** The fields whose stored value differs, dates compared by time. */
export function differences(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): FieldChange[] {
  const changes: FieldChange[] = [];
  for (const [field, value] of Object.entries(after)) {
    const old = before[field];
    if (JSON.stringify(old ?? null) !== JSON.stringify(value ?? null))
      changes.push({ field, before: old ?? null, after: value ?? null });
  }
  return changes;
}
