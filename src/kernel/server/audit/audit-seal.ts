import { createHash } from 'node:crypto';
import { lastAnchor, writeAnchor } from './audit-anchor.ts';
import { run, runOne, transaction, type Db, type Executor } from '../database.ts';

/** Where the newest hash is also noted outside the database; without it, cutting off the end leaves no trace. */
export interface AnchorOptions {
  readonly dataDir?: string;
}

/** Which records are looked at, by number, both included; default all. */
export interface VerifyOptions extends AnchorOptions {
  readonly from?: number;
  readonly to?: number;
}

/** What verifying found. `checked` counts sealed records; every problem names a record or link of the chain. */
export interface AuditVerdict {
  readonly checked: number;
  /** Records not sealed yet; they are some seconds old at most while a worker runs. */
  readonly unsealed: number;
  /** At most 1,000. */
  readonly problems: readonly string[];
  /** Lowest number of a record a problem names; undefined where no problem names one. */
  readonly firstBroken?: number;
}

/** A record's place in the chain: the hash before it, its own, and whether record and hash still fit together. */
export interface AuditLink {
  readonly chainNo: number;
  readonly before: string;
  readonly hash: string;
  readonly sealedAt: Date;
  readonly intact: boolean;
}

/** The link of one record, or undefined while it is not sealed. */
export async function auditLink(db: Executor, recordId: number): Promise<AuditLink | undefined> {
  const row = await runOne<Seal & SealedRecord & { sealed_at: Date; before: Buffer | null }>(
    db,
    `SELECT s.chain_no, s.record_id, s.hash, s.sealed_at, b.hash AS before, ${CANONICAL}
       FROM audit_record r JOIN audit_seal s ON s.record_id = r.id LEFT JOIN audit_seal b ON b.chain_no = s.chain_no - 1
      WHERE r.id = $1`,
    [recordId],
  );
  if (!row) return undefined;
  const before = row.before ?? (row.chain_no === 1 ? GENESIS.hash : undefined);
  return {
    chainNo: row.chain_no,
    before: before?.toString('hex') ?? '',
    hash: row.hash.toString('hex'),
    sealedAt: row.sealed_at,
    intact: before !== undefined && linkHash(before, row).equals(row.hash),
  };
}

/**
 * Seals audit records that no running transaction can still precede, in the order of their ids: each seal is the SHA-256
 * of the seal before it and the record. Returns how many were sealed; one runner works at a time, others return 0.
 */
export async function sealAudit(db: Db, batch = 1000, options: AnchorOptions = {}): Promise<number> {
  const horizon = await settledHorizon(db);
  if (horizon === undefined) return 0;
  const sealed = await transaction(db, async (tx) => {
    const lock = await runOne<{ got: boolean }>(tx, `SELECT pg_try_advisory_xact_lock(${SEAL_LOCK}) AS got`);
    if (!lock!.got) return undefined;
    const last = await runOne<Seal>(
      tx,
      'SELECT chain_no, record_id, hash FROM audit_seal ORDER BY chain_no DESC LIMIT 1',
    );
    const records = await run<SealedRecord>(
      tx,
      `SELECT ${CANONICAL} FROM audit_record r WHERE r.id > $1 AND r.id <= $2 ORDER BY r.id LIMIT $3`,
      [last?.record_id ?? 0, horizon, batch],
    );
    if (records.length === 0) return undefined;
    const seals: Seal[] = [];
    let before = last ?? GENESIS;
    for (const record of records) {
      before = { chain_no: before.chain_no + 1, record_id: record.id, hash: linkHash(before.hash, record) };
      seals.push(before);
    }
    await run(
      tx,
      `INSERT INTO audit_seal (chain_no, record_id, hash) SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bytea[])`,
      [
        seals.map((seal) => seal.chain_no),
        seals.map((seal) => seal.record_id),
        seals.map((seal) => seal.hash),
      ],
    );
    return { count: seals.length, last: before };
  });
  if (!sealed) return 0;
  if (options.dataDir) await moveAnchor(db, options.dataDir, sealed.last);
  return sealed.count;
}

/**
 * Walks the whole chain and says what was changed, deleted, inserted or moved since it was sealed. With `dataDir` it also
 * finds a chain that was cut off or made anew. Reads in pieces; takes about a second per 100,000 records.
 */
export async function verifyAudit(db: Executor, options: VerifyOptions = {}): Promise<AuditVerdict> {
  const problems: string[] = [];
  let firstBroken: number | undefined;
  const note = (problem: string, recordId?: number) => {
    if (recordId !== undefined && (firstBroken === undefined || recordId < firstBroken))
      firstBroken = recordId;
    if (problems.length < 1000) problems.push(problem);
  };
  const { from = 0, to = Number.MAX_SAFE_INTEGER } = options;
  const whole = options.from === undefined && options.to === undefined;
  const anchor = options.dataDir && whole ? await lastAnchor(options.dataDir) : undefined;
  let anchorSeen = anchor === undefined;
  // A piece of the chain begins behind the seal before it.
  const start = from
    ? await runOne<Seal>(
        db,
        'SELECT chain_no, record_id, hash FROM audit_seal WHERE record_id < $1 ORDER BY record_id DESC LIMIT 1',
        [from],
      )
    : undefined;
  let before: Seal = start ?? GENESIS;
  let checked = 0;
  for (;;) {
    const piece = await run<Seal & SealedRecord & { found: boolean }>(
      db,
      `SELECT s.chain_no, s.record_id, s.hash, r.id IS NOT NULL AS found, ${CANONICAL}
         FROM audit_seal s LEFT JOIN audit_record r ON r.id = s.record_id
        WHERE s.chain_no > $1 AND s.record_id <= $2 ORDER BY s.chain_no LIMIT 5000`,
      [before.chain_no, to],
    );
    if (piece.length === 0) break;
    for (const seal of piece) {
      checked += 1;
      if (seal.chain_no !== before.chain_no + 1)
        note(`seals ${before.chain_no + 1} to ${seal.chain_no - 1} are missing`, seal.record_id);
      if (seal.record_id <= before.record_id)
        note(`record ${seal.record_id} stands out of order at seal ${seal.chain_no}`, seal.record_id);
      if (!seal.found) note(`record ${seal.record_id} was deleted`, seal.record_id);
      else if (seal.chain_no === before.chain_no + 1 && !linkHash(before.hash, seal).equals(seal.hash))
        note(`record ${seal.record_id} was changed`, seal.record_id);
      if (anchor?.chainNo === seal.chain_no) {
        anchorSeen = true;
        if (anchor.hash !== seal.hash.toString('hex'))
          note(`the chain was made anew before seal ${seal.chain_no}`);
      }
      // The stored hash goes on: one changed record is one problem, not thousands.
      before = { chain_no: seal.chain_no, record_id: seal.record_id, hash: seal.hash };
    }
  }
  if (!anchorSeen) note(`the chain ends at seal ${before.chain_no}, but seal ${anchor!.chainNo} was noted`);
  const inserted = await run<{ id: number }>(
    db,
    `SELECT r.id FROM audit_record r WHERE r.id <= $1 AND r.id >= $2 AND NOT EXISTS (SELECT FROM audit_seal s WHERE s.record_id = r.id)
      ORDER BY r.id LIMIT 1000`,
    [before.record_id, from],
  );
  for (const { id } of inserted) note(`record ${id} was inserted afterwards`, id);
  const rest = await runOne<{ count: number }>(
    db,
    'SELECT count(*) AS count FROM audit_record WHERE id > $1 AND id <= $2',
    [before.record_id, to],
  );
  return { checked, unsealed: rest!.count, problems, ...(firstBroken === undefined ? {} : { firstBroken }) };
}

/** Notes the newest link, unless the noted one is no longer in the chain: then the note is the proof and must stay. */
async function moveAnchor(db: Executor, dataDir: string, last: Seal): Promise<void> {
  const anchor = await lastAnchor(dataDir);
  if (anchor) {
    const row = await runOne<{ hash: Buffer }>(db, 'SELECT hash FROM audit_seal WHERE chain_no = $1', [
      anchor.chainNo,
    ]);
    if (row?.hash.toString('hex') !== anchor.hash) return;
  }
  await writeAnchor(dataDir, { chainNo: last.chain_no, hash: last.hash.toString('hex') });
}

interface Seal {
  readonly chain_no: number;
  readonly record_id: number;
  readonly hash: Buffer;
}

interface SealedRecord {
  readonly id: number;
  readonly parts: readonly (string | null)[];
}

const GENESIS: Seal = {
  chain_no: 0,
  record_id: 0,
  hash: createHash('sha256').update('audit chain').digest(),
};
/** Any number will do as long as nothing else in the product uses it. */
const SEAL_LOCK = 7_204_615_319;

// Microseconds, and jsonb in PostgreSQL's own text form, which is the same for equal values.
const CANONICAL = `r.id, ARRAY[r.id::text, (extract(epoch FROM r.at) * 1000000)::bigint::text, r.staff_id::text, r.staff_name, r.tenant_id::text,
  r.address, r.menu, r.action, r.entity, r.entity_id, r.before::text, r.after::text, r.trace_id] AS parts`;

/** Lengths in front of the values keep neighbours apart: `ab`+`c` is not `a`+`bc`, and nothing is not empty text. */
function linkHash(before: Buffer, record: SealedRecord): Buffer {
  const hash = createHash('sha256').update(before);
  for (const part of record.parts) hash.update(part === null ? '-;' : `${Buffer.byteLength(part)}:${part};`);
  return hash.digest();
}

/**
 * The highest id below which every record is there for good. Ids are taken before COMMIT, so a lower one may still
 * appear after a higher one; sealing it later would look like an insertion. Two looks settle it: the highest id now, and
 * then all transactions that were running at that moment must have ended. Undefined while one of them still runs.
 */
async function settledHorizon(db: Executor): Promise<number | undefined> {
  const first = await runOne<{ id: number | null }>(
    db,
    `SELECT max(id) AS id FROM audit_record WHERE at < clock_timestamp() - interval '1 second' AND id > coalesce((SELECT max(record_id) FROM audit_seal), 0)`,
  );
  if (!first?.id) return undefined;
  const second = await runOne<{ next: string }>(
    db,
    'SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS next',
  );
  for (let wait = 10; wait <= 640; wait *= 2) {
    const now = await runOne<{ settled: boolean }>(
      db,
      'SELECT pg_snapshot_xmin(pg_current_snapshot()) >= $1::xid8 AS settled',
      [second!.next],
    );
    if (now!.settled) return first.id;
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
  return undefined;
}
