import { createHash, randomInt } from 'node:crypto';
import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';
import { notFound, ruleBroken } from '../../kernel/server/http/errors.ts';

const LETTERS = 'ABCDEFGHJKMNPQRSTUVWXYZabcdefghjkmnpqrstuvwxyz23456789';
/** Days a link works. */
export const SHARE_DAYS = 90;
/** Visits of one address to one link in a minute that are looked at; more are a flood. */
const MOST_A_MINUTE = 60;
const BOTS = /bot|spider|crawl|slurp|headless|curl|wget|python-requests|monitor/i;

/** A random code of a link. */
export const shareCode = (): string =>
  Array.from({ length: 10 }, () => LETTERS[randomInt(LETTERS.length)]).join('');

/** What a butler shares. */
export interface NewShare {
  readonly housekeeperId: number;
  readonly projectId: number;
  readonly productId: number;
  readonly channel: 'link' | 'poster' | 'qr';
  readonly reminderId?: number | null;
  readonly taskId?: number | null;
}

/** A new link to goods that are open to butlers in the project. Throws 404 and 409. */
export async function makeShare(
  tx: Tx,
  given: NewShare,
): Promise<{ readonly id: number; readonly code: string }> {
  const butler = await runOne(
    tx,
    `SELECT 1 FROM housekeeper k JOIN staff s ON s.id = k.staff_id WHERE k.id = $1 AND k.left_at IS NULL AND s.state = 'normal'
        AND EXISTS (SELECT FROM housekeeper_house x JOIN house h ON h.id = x.house_id WHERE x.housekeeper_id = k.id AND h.project_id = $2
                     AND x.days @> (now() AT TIME ZONE 'Asia/Shanghai')::date)`,
    [given.housekeeperId, given.projectId],
  );
  if (!butler) throw notFound();
  const goods = await runOne<{ name: string }>(
    tx,
    `SELECT p.name FROM butler_goods g JOIN product p ON p.id = g.product_id WHERE g.product_id = $1 AND g.enabled AND p.status = 'published' AND p.recycled_at IS NULL
        AND g.valid_from <= (now() AT TIME ZONE 'Asia/Shanghai')::date AND (g.valid_to IS NULL OR g.valid_to >= (now() AT TIME ZONE 'Asia/Shanghai')::date)
        AND EXISTS (SELECT FROM butler_goods_project x WHERE x.goods_id = g.id AND x.project_id = $2)`,
    [given.productId, given.projectId],
  );
  if (!goods) throw ruleBroken(['该商品当前不可分享', 'These goods cannot be shared now']);
  if (given.reminderId) {
    const told = await runOne(
      tx,
      'SELECT 1 FROM butler_reminder_recipient WHERE reminder_id = $1 AND housekeeper_id = $2',
      [given.reminderId, given.housekeeperId],
    );
    if (!told) throw notFound();
  }
  if (given.taskId) {
    const takesPart = await runOne(
      tx,
      `SELECT 1 FROM butler_task_progress p JOIN butler_task t ON t.id = p.task_id AND t.state = 'running' WHERE p.task_id = $1 AND p.housekeeper_id = $2`,
      [given.taskId, given.housekeeperId],
    );
    if (!takesPart) throw notFound();
  }
  const row = await runOne<{ id: number; code: string }>(
    tx,
    `INSERT INTO butler_share (code, housekeeper_id, project_id, target_kind, product_id, target_id, target_name, reminder_id, channel, task_id, expires_at)
     VALUES ($1, $2, $3, 'product', $4, $4, $5, $6, $7, $8, now() + make_interval(days => ${SHARE_DAYS})) RETURNING id, code`,
    [
      shareCode(),
      given.housekeeperId,
      given.projectId,
      given.productId,
      goods.name,
      given.reminderId ?? null,
      given.channel,
      given.taskId ?? null,
    ],
  );
  return row!;
}

/** A visit as the app or the page behind the link reports it. */
export interface Visit {
  readonly code: string;
  readonly memberId?: number | null;
  /** What tells visitors without account apart: of the device, else address and agent. */
  readonly device?: string;
  readonly address: string;
  readonly agent: string;
  readonly source: 'link' | 'poster' | 'qr' | 'chat' | 'moments';
  /** Default: now. */
  readonly at?: Date;
}

/** What became of a visit; `substitute` when the goods are not sold any more. */
export interface VisitAnswer {
  readonly counted: boolean;
  readonly reason: string;
  readonly productId: number | null;
  readonly substitute: boolean;
}

const digest = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32);

/**
 * Stores a visit and says whether it counts: once per visitor and link in 30 minutes, which the exclusion of the table holds;
 * never the butler's own, of a machine, of a flood, of an ended link or of goods off the shelf. Source: group 12, butler_share.
 */
export async function recordVisit(tx: Tx, visit: Visit): Promise<VisitAnswer> {
  const at = visit.at ?? new Date();
  const link = await runOne<{
    id: number;
    productId: number | null;
    ended: boolean;
    offShelf: boolean;
    own: boolean;
  }>(
    tx,
    `SELECT s.id, s.product_id AS "productId", (s.disabled_at IS NOT NULL OR s.expires_at <= $2 OR k.left_at IS NOT NULL) AS ended,
            (s.target_kind = 'product' AND (p.status IS DISTINCT FROM 'published' OR p.recycled_at IS NOT NULL)) AS "offShelf",
            EXISTS (SELECT FROM member m JOIN staff f ON f.phone = m.phone WHERE m.id = $3 AND f.id = k.staff_id) AS own
       FROM butler_share s JOIN housekeeper k ON k.id = s.housekeeper_id LEFT JOIN product p ON p.id = s.product_id WHERE s.code = $1`,
    [visit.code, at, visit.memberId ?? null],
  );
  if (!link) throw notFound();
  const visitor = digest(
    visit.memberId
      ? `member ${visit.memberId}`
      : visit.device
        ? `device ${visit.device}`
        : `address ${visit.address} ${visit.agent}`,
  );
  const row = [link.id, visitor, visit.memberId ?? null, at, digest(`from ${visit.address}`), visit.source];
  const why = link.ended
    ? 'expired'
    : link.offShelf
      ? 'off_shelf'
      : link.own
        ? 'own'
        : BOTS.test(visit.agent)
          ? 'bot'
          : (await isFlood(tx, link.id, String(row[4]), at))
            ? 'flood'
            : '';
  const insert = (counted: boolean, reason: string) =>
    run(
      tx,
      `INSERT INTO butler_share_visit (share_id, visitor_key, member_id, at, until, address_key, source, counted, reason)
       VALUES ($1, $2, $3, $4, $4::timestamptz + interval '30 minutes', $5, $6, $7, $8) ON CONFLICT DO NOTHING RETURNING id`,
      [...row, counted, reason],
    );
  let reason = why;
  if (!reason && (await insert(true, '')).length === 0) reason = 'repeat';
  if (reason) await insert(false, reason);
  return {
    counted: reason === '',
    reason,
    productId: link.productId,
    substitute: link.offShelf,
  };
}

async function isFlood(db: Executor, shareId: number, address: string, at: Date): Promise<boolean> {
  const row = await runOne<{ many: number }>(
    db,
    `SELECT count(*)::int AS many FROM (SELECT 1 FROM butler_share_visit WHERE share_id = $1 AND address_key = $2 AND at > $3::timestamptz - interval '1 minute' AND at <= $3 LIMIT ${MOST_A_MINUTE}) x`,
    [shareId, address, at],
  );
  return row!.many >= MOST_A_MINUTE;
}
