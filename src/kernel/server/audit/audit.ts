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
  await run(
    tx,
    `INSERT INTO audit_record (staff_id, staff_name, tenant_id, address, menu, action, entity, entity_id, before, after, trace_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
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
    ],
  );
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
  await run(
    tx,
    `INSERT INTO entity_event (entity, entity_id, staff_id, who, action, label_zh, label_en, from_state, to_state, remark, changes, at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, coalesce($12, clock_timestamp()))`,
    [
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
    ],
  );
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
