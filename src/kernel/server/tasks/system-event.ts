import os from 'node:os';
import type { Label } from '../../contract/label.ts';
import { runOne, type Executor } from '../database.ts';
import { addEffect } from './outbox.ts';

/** What happened to the system itself, as ssm_systemLog shows it. */
export interface SystemEvent {
  readonly kind: 'start' | 'stop' | 'migration' | 'setting' | 'backup' | 'doctor' | 'job_dead' | 'cert';
  readonly level?: 'info' | 'warning' | 'error';
  readonly text: Label;
  /** Facts beside the text; no personal data and no secrets. */
  readonly detail?: Readonly<Record<string, unknown>>;
  readonly instance?: string;
  /** Tells the platform administrators, and these staff, once. */
  readonly alert?: boolean | { readonly staffIds: readonly number[] };
}

/** Effect that tells people of an event; its payload is `{ eventId, staffIds }`. The feature of the system log delivers it. */
export const TELL_EVENT = 'systemEvent.tell';

/** Name of this process in runs and events. */
export const INSTANCE = `${os.hostname()}:${process.pid}`;

/** Writes an event in the caller's transaction and returns its number. Events are never changed or removed. */
export async function writeSystemEvent(tx: Executor, event: SystemEvent): Promise<number> {
  const row = await runOne<{ id: number }>(
    tx,
    `INSERT INTO system_event (kind, level, text, text_en, detail, instance) VALUES ($1, $2, $3, $4, $5::jsonb, $6) RETURNING id`,
    [
      event.kind,
      event.level ?? 'info',
      event.text[0],
      event.text[1],
      JSON.stringify(event.detail ?? {}),
      event.instance ?? INSTANCE,
    ],
  );
  if (event.alert)
    await addEffect(
      tx,
      TELL_EVENT,
      { eventId: row!.id, staffIds: event.alert === true ? [] : event.alert.staffIds },
      { key: `${TELL_EVENT}:${row!.id}` },
    );
  return row!.id;
}
