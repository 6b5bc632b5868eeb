import { z } from 'zod';
import {
  GATE_VENDORS,
  type GateEventKind,
  type GateVendorCode,
} from '../../../domain/road-gate/road-gate.rules.ts';
import { run, runOne, transaction, type Tx } from '../../../kernel/server/database.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { endpoint, type Endpoint } from '../../../kernel/server/registration.ts';
import type { BoundResource } from '../../../kernel/server/resource/bind.ts';

/** What a program of a maker needs to report. */
export const GATE_SCOPE = 'gate';

const report = z.strictObject({
  deviceNo: z.string().min(2).max(40),
  kind: z.enum(['heartbeat', 'enter', 'exit', 'open', 'close', 'fault', 'back']),
  /** When it happened; absent: now. */
  at: z.iso.datetime({ offset: true }).optional(),
  /** The maker's number: sent again, an event is kept once. */
  eventNo: z.string().min(1).max(64).optional(),
  plate: z
    .string()
    .regex(/^[\p{L}\p{N}]{5,10}$/u)
    .optional(),
});

const body = z.strictObject({
  vendor: z.enum(Object.keys(GATE_VENDORS) as [GateVendorCode]),
  events: z.array(report).min(1).max(100),
});

type Report = z.infer<typeof report>;

/** How far back an event may lie, and how far ahead a clock may be. */
const OLDEST = 24 * 3_600_000;
const AHEAD = 60_000;

/** Where makers of gates tell of heartbeats and events, with the credential of a client that has the scope. */
export function gateReports(bound: () => BoundResource): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/jinmao/web/roadGate/report',
    title: ['道闸上报', 'Reports of gates'],
    access: { program: GATE_SCOPE },
    body,
    handle: async ({ platform, body: { vendor, events } }) => {
      const answer = { accepted: 0, duplicate: 0, late: 0, unknown: [] as string[] };
      for (const one of events) {
        const became = await transaction(platform.database.db, (tx) =>
          take(tx, platform, bound(), vendor, one),
        );
        if (became === 'unknown') answer.unknown.push(one.deviceNo);
        else answer[became]++;
      }
      if (answer.accepted > 0) {
        platform.changed('roadGate');
        platform.changed('roadGateEvent');
      }
      return answer;
    },
  });
}

async function take(
  tx: Tx,
  platform: Platform,
  bound: BoundResource,
  vendor: GateVendorCode,
  one: Report,
): Promise<'accepted' | 'duplicate' | 'late' | 'unknown'> {
  const gate = await runOne<{ id: number; state: string; now: Date }>(
    tx,
    `SELECT id, state, clock_timestamp() AS now FROM road_gate WHERE vendor = $1 AND lower(device_no) = lower($2) FOR NO KEY UPDATE`,
    [vendor, one.deviceNo],
  );
  if (!gate) return 'unknown';
  const at = one.at ? new Date(one.at) : gate.now;
  if (at.getTime() < gate.now.getTime() - OLDEST || at.getTime() > gate.now.getTime() + AHEAD) return 'late';
  const known =
    one.eventNo !== undefined &&
    (await runOne(tx, 'SELECT FROM road_gate_event WHERE gate_id = $1 AND event_no = $2', [
      gate.id,
      one.eventNo,
    ]));
  if (known) return 'duplicate';
  const tellsState = one.kind === 'fault' || one.kind === 'back';
  if (tellsState && (await isOver(tx, gate.id, one, at))) return 'duplicate';
  // Whatever a device says, it is there.
  await run(
    tx,
    'UPDATE road_gate SET last_heartbeat_at = greatest(last_heartbeat_at, least($2::timestamptz, clock_timestamp())) WHERE id = $1',
    [gate.id, at],
  );
  if (one.kind === 'fault') {
    if (gate.state === 'fault') return (await noteAgain(tx, gate.id, one.eventNo), 'duplicate');
    if (gate.state === 'offline' && (await isFaulty(tx, gate.id))) {
      await comeBack(tx, platform, bound, gate.id);
      await noteAgain(tx, gate.id, one.eventNo);
      return 'accepted';
    }
    await bound.actAsSystem(tx, platform, 'fail', gate.id, {});
    await nameEvent(tx, gate.id, one, at);
  } else if (one.kind === 'back' && gate.state !== 'online') {
    await bound.actAsSystem(tx, platform, 'recover', gate.id, {});
    await nameEvent(tx, gate.id, one, at);
    // Told late: what came back behind the end had no fault any more.
    await run(
      tx,
      `UPDATE road_gate_event SET kind = 'back' WHERE gate_id = $1 AND kind = 'backFaulty' AND at > $2`,
      [gate.id, at],
    );
  } else if (gate.state === 'offline') await comeBack(tx, platform, bound, gate.id);
  // What changes the state writes its event with the change.
  if (one.kind !== 'heartbeat' && one.kind !== 'back' && one.kind !== 'fault')
    await addGateEvent(tx, gate.id, { kind: one.kind, at, plate: one.plate, eventNo: one.eventNo });
  return 'accepted';
}

/** A silent gate is heard of again: it is as it was before, a fault lasts until its end is told. */
export async function comeBack(
  tx: Tx,
  platform: Platform,
  bound: BoundResource,
  gateId: number,
): Promise<void> {
  const action = (await isFaulty(tx, gateId)) ? 'recoverFaulty' : 'recover';
  await bound.actAsSystem(tx, platform, action, gateId, {});
}

/** True while the last of faults and their ends, in the order they were taken, is a fault. */
async function isFaulty(tx: Tx, gateId: number): Promise<boolean> {
  const last = await runOne<{ kind: string }>(
    tx,
    `SELECT kind FROM road_gate_event WHERE gate_id = $1 AND kind IN ('fault', 'back') ORDER BY id DESC LIMIT 1`,
    [gateId],
  );
  return last?.kind === 'fault';
}

/**
 * True for a fault or its end that something told later has overtaken, or that was told under this number while the fault was
 * open. That a silent gate came back by itself overtakes nothing: what it could not tell meanwhile still holds.
 */
async function isOver(tx: Tx, gateId: number, one: Report, at: Date): Promise<boolean> {
  const row = await runOne(
    tx,
    `SELECT FROM road_gate_event WHERE gate_id = $1 AND kind IN ('fault', 'back')
        AND (($2::boolean AND at > $3 AND (kind = 'fault' OR event_no <> '')) OR (kind = 'fault' AND $4 <> '' AND $4 = ANY(told_again))) LIMIT 1`,
    [gateId, one.at !== undefined, at, one.eventNo ?? ''],
  );
  return row !== undefined;
}

/** The open fault told once more: one fault, whose other numbers are remembered. */
async function noteAgain(tx: Tx, gateId: number, eventNo: string | undefined): Promise<void> {
  if (eventNo === undefined) return;
  await run(
    tx,
    `UPDATE road_gate_event SET told_again = (told_again || $2::text)[greatest(1, cardinality(told_again) - 98):]
      WHERE id = (SELECT id FROM road_gate_event WHERE gate_id = $1 AND kind = 'fault' ORDER BY id DESC LIMIT 1)`,
    [gateId, eventNo],
  );
}

/** The event a change of the state has written gets the maker's time and number. */
async function nameEvent(tx: Tx, gateId: number, one: Report, at: Date): Promise<void> {
  await run(
    tx,
    `UPDATE road_gate_event SET at = $2, event_no = $3
      WHERE id = (SELECT id FROM road_gate_event WHERE gate_id = $1 AND kind = $4 ORDER BY id DESC LIMIT 1)`,
    [gateId, at, one.eventNo ?? '', one.kind],
  );
}

/** Writes an event of a gate, which becomes its last one unless a later one is known; returns its id. */
export async function addGateEvent(
  tx: Tx,
  gateId: number,
  event: {
    readonly kind: GateEventKind;
    readonly at?: Date | undefined;
    readonly plate?: string | undefined;
    readonly eventNo?: string | undefined;
    readonly operatorId?: number;
    readonly reason?: string;
    readonly outcome?: string;
  },
): Promise<number> {
  const row = await runOne<{ id: number; at: Date }>(
    tx,
    `INSERT INTO road_gate_event (gate_id, at, kind, plate, event_no, operator_id, reason, outcome)
     VALUES ($1, coalesce($2, clock_timestamp()), $3, $4, $5, $6, $7, $8) RETURNING id, at`,
    [
      gateId,
      event.at ?? null,
      event.kind,
      event.plate?.toUpperCase() ?? '',
      event.eventNo ?? '',
      event.operatorId ?? null,
      event.reason ?? '',
      event.outcome ?? '',
    ],
  );
  await run(
    tx,
    'UPDATE road_gate SET last_event_at = $2, last_event_kind = $3 WHERE id = $1 AND (last_event_at IS NULL OR last_event_at <= $2)',
    [gateId, row!.at, event.kind],
  );
  return row!.id;
}
