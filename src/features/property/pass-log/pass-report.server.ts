import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { z } from 'zod';
import { GATE_VENDORS, type GateVendorCode } from '../../../domain/road-gate/road-gate.rules.ts';
import { visitOfPass } from '../../../domain/visitor/visit-pass.server.ts';
import { runOne, transaction, type Tx } from '../../../kernel/server/database.ts';
import { fileTypeOf } from '../../../kernel/server/files/file-type.ts';
import { openFileStore } from '../../../kernel/server/files/file-store.ts';
import { insertStoredFile } from '../../../kernel/server/files/files.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { GATE_SCOPE } from '../../system/road-gate/gate-report.server.ts';
import { noteVisitorPassage } from '../visitor/visitor.server.ts';

/** How late an event may come. Source: group 06, cs_passLog. */
const OLDEST = 72 * 3_600_000;
/** How far ahead the clock of a device may be. */
const AHEAD = 60_000;
const PHOTO_BYTES = 200 * 1024;

const report = z.strictObject({
  deviceNo: z.string().min(2).max(40),
  /** The device's number of the event: told again, it is kept once. */
  eventId: z.string().min(1).max(64),
  /** When it happened; absent: now. */
  at: z.iso.datetime({ offset: true }).optional(),
  direction: z.enum(['in', 'out']),
  method: z.enum(['qr', 'card', 'face', 'remote']),
  result: z.enum(['succeeded', 'failed']),
  /** Why it failed. */
  reason: z.string().max(100).optional(),
  /** Text of a visitor's QR code. */
  pass: z.string().max(200).optional(),
  /** Phone of the resident whose card or face it was. */
  phone: z.string().max(20).optional(),
  /** JPEG or PNG as base64, 200 KB at most. */
  photo: z
    .base64()
    .max(Math.ceil((PHOTO_BYTES * 4) / 3) + 4)
    .optional(),
});

type Report = z.infer<typeof report>;
type Became = 'accepted' | 'duplicate' | 'late' | 'unknown';

/** Where devices tell of passages, with the credential of a client that has the scope of gates. */
export const passReports = endpoint({
  method: 'POST',
  path: '/jinmao/web/passLog/report',
  title: ['通行上报', 'Reports of passages'],
  access: { program: GATE_SCOPE },
  body: z.strictObject({
    vendor: z.enum(Object.keys(GATE_VENDORS) as [GateVendorCode]),
    events: z.array(report).min(1).max(100),
  }),
  handle: async ({ platform, body: { vendor, events } }) => {
    const answer = { accepted: 0, duplicate: 0, late: 0, unknown: [] as string[] };
    for (const one of events) {
      const became = await transaction(platform.database.db, (tx) => take(tx, platform, vendor, one));
      if (became === 'unknown') answer.unknown.push(one.deviceNo);
      else answer[became]++;
    }
    if (answer.accepted > 0)
      for (const name of ['passLog', 'visitPassage', 'visitor']) platform.changed(name);
    return answer;
  },
});

async function take(tx: Tx, platform: Platform, vendor: GateVendorCode, one: Report): Promise<Became> {
  const gate = await runOne<{ id: number; name: string; project_id: number; now: Date }>(
    tx,
    'SELECT id, name, project_id, clock_timestamp() AS now FROM road_gate WHERE vendor = $1 AND lower(device_no) = lower($2)',
    [vendor, one.deviceNo],
  );
  if (!gate) return 'unknown';
  const at = one.at ? new Date(one.at) : gate.now;
  if (at.getTime() < gate.now.getTime() - OLDEST || at.getTime() > gate.now.getTime() + AHEAD) return 'late';
  const fresh = await runOne(
    tx,
    'INSERT INTO pass_event (device, event_id, at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING 1 AS fresh',
    [`${vendor}:${one.deviceNo.toLowerCase()}`, one.eventId, at],
  );
  if (!fresh) return 'duplicate';
  const person = await personOf(tx, platform, one, gate.project_id, at);
  const reason = one.result === 'failed' ? one.reason || '设备拒绝' : '';
  await runOne(
    tx,
    `INSERT INTO pass_log (at, received_at, project_id, gate_id, address, direction, method, result, reason, member_id, user_name, phone, visit_id, visitor, photo_id)
     VALUES ($1, clock_timestamp(), $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
    [
      at,
      gate.project_id,
      gate.id,
      gate.name,
      one.direction,
      one.method,
      one.result,
      reason,
      person.memberId,
      person.name,
      person.phone,
      person.visitId,
      person.visitor,
      one.photo ? await keepPhoto(tx, platform, one.photo) : null,
    ],
  );
  if (person.visitId !== null && one.result === 'succeeded')
    await noteVisitorPassage(tx, platform, person.visitId, one.direction, at);
  return 'accepted';
}

interface Person {
  readonly memberId: number | null;
  readonly name: string;
  readonly phone: string;
  readonly visitId: number | null;
  readonly visitor: string;
}

/** Who passed: a visitor by a pass of the same project, with the inviter as user, or a resident by the phone; else nobody known. */
async function personOf(
  tx: Tx,
  platform: Platform,
  one: Report,
  projectId: number,
  at: Date,
): Promise<Person> {
  const nobody = { memberId: null, name: '', phone: one.phone ?? '', visitId: null, visitor: '' };
  const visitId = one.pass ? visitOfPass(platform.config, one.pass, at.getTime()) : undefined;
  if (visitId !== undefined) {
    const visit = await runOne<{ id: number; name: string; phone: string; visitor: string }>(
      tx,
      `SELECT m.id, coalesce(nullif(m.name, ''), m.nickname) AS name, m.phone, v.visitor FROM visitor_registration v
         JOIN household hh ON hh.id = v.household_id JOIN member m ON m.id = hh.member_id WHERE v.id = $1 AND v.project_id = $2`,
      [visitId, projectId],
    );
    if (visit)
      return { memberId: visit.id, name: visit.name, phone: visit.phone, visitId, visitor: visit.visitor };
  }
  if (!one.phone) return nobody;
  const member = await runOne<{ id: number; name: string }>(
    tx,
    `SELECT m.id, coalesce(nullif(m.name, ''), m.nickname) AS name FROM member m WHERE m.phone = $1
        AND EXISTS (SELECT FROM household hh JOIN house x ON x.id = hh.house_id WHERE hh.member_id = m.id AND x.project_id = $2)`,
    [one.phone, projectId],
  );
  return member ? { ...nobody, memberId: member.id, name: member.name } : nobody;
}

/** Keeps the photo of a device as a private file; what is no picture is dropped, the passage stays. */
async function keepPhoto(tx: Tx, platform: Platform, base64: string): Promise<string | null> {
  const content = Buffer.from(base64, 'base64');
  const type = fileTypeOf(content);
  if (!type || type.kind !== 'image' || content.length > PHOTO_BYTES) return null;
  const draft = await openFileStore(platform.config).create(PHOTO_BYTES);
  await finished(Readable.from([content]).pipe(draft.stream));
  const { storageKey, size, sha256 } = await draft.commit();
  return insertStoredFile(tx, {
    name: `pass${type.ending}`,
    type: type.type,
    size,
    sha256,
    storageKey,
    access: 'private',
    owner_id: null,
  });
}
