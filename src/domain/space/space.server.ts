import type { Label } from '../../kernel/contract/label.ts';
import { run, runOne, type Tx } from '../../kernel/server/database.ts';
import { invalid, notFound, ruleBroken } from '../../kernel/server/http/errors.ts';
import { releaseExpired } from '../position/occupancy.server.ts';
import { TODAY } from '../../kernel/server/today.ts';

/** A space as its table has it. Areas in 0.01 m², rent in fen per m² and month. */
export interface Space {
  readonly id: number;
  readonly project_id: number;
  readonly building_id: number;
  readonly floor: number;
  readonly number: string;
  readonly kind: string;
  readonly built_area: number;
  readonly usable_area: number | null;
  readonly format_id: number | null;
  readonly facilities: string;
  readonly rent: number;
  readonly rent_min: number;
  readonly delivered_on: string | null;
  readonly opens_on: string | null;
  readonly closed_on: string | null;
}

/** What the position of a space is made from. */
type Placed = Pick<Space, 'project_id' | 'building_id' | 'number' | 'built_area' | 'rent' | 'rent_min'>;

/** Rent of a month in fen: fen per m² times 0.01 m², half up, never nothing. */
export const monthlyRent = (rent: number, area: number): number => Math.round((rent * area) / 100);

/** Makes the one position (铺位) of a space and returns its id, which is the space's, too. */
export async function makePosition(tx: Tx, space: Placed, staffId: number | null): Promise<number> {
  const list = Math.max(1, monthlyRent(space.rent, space.built_area));
  const floor = monthlyRent(space.rent_min, space.built_area);
  const { id } = (await runOne<{ id: number }>(
    tx,
    `INSERT INTO position (code, name, project_id, type_id, building_id, area, list_price, floor_price, created_by, updated_by)
     SELECT $1, left(b.name || ' ' || $1, 40), $2, v.id, b.id, $4 / 100.0, $5, $6, $7, $7 FROM building b,
            (SELECT v.id FROM biz_dict v JOIN biz_dict r ON r.id = v.root_id WHERE r.code = 'position_type' AND v.val = 'shop' ORDER BY v.id LIMIT 1) v
      WHERE b.id = $3 RETURNING id`,
    [space.number, space.project_id, space.building_id, space.built_area, list, floor, staffId],
  ))!;
  await recordPrice(tx, id, list, floor, staffId);
  return id;
}

/** Brings the position of a space to its number, area and rent. */
export async function bringPosition(
  tx: Tx,
  id: number,
  space: Placed,
  staffId: number | null,
): Promise<void> {
  const list = Math.max(1, monthlyRent(space.rent, space.built_area));
  const floor = monthlyRent(space.rent_min, space.built_area);
  const old = (await runOne<{ list: number; floor: number }>(
    tx,
    'SELECT list_price AS list, floor_price AS floor FROM position WHERE id = $1 FOR NO KEY UPDATE',
    [id],
  ))!;
  await run(
    tx,
    `UPDATE position SET code = $2, area = $3 / 100.0, list_price = $4, floor_price = $5, version = version + 1, updated_at = now(), updated_by = $6 WHERE id = $1`,
    [id, space.number, space.built_area, list, floor, staffId],
  );
  if (old.list !== list || old.floor !== floor) await recordPrice(tx, id, list, floor, staffId);
}

const recordPrice = (tx: Tx, id: number, list: number, floor: number, staffId: number | null) =>
  run(
    tx,
    'INSERT INTO position_price (position_id, list_price, floor_price, staff_id) VALUES ($1, $2, $3, $4)',
    [id, list, floor, staffId],
  );

const LET: Label = ['铺位已出租，面积请走合同变更', 'Let space: use a contract change'];

/** Refuses (30101) another area of a space that is let, today or later. Locks its position. */
export async function requireNotLet(tx: Tx, id: number): Promise<void> {
  await run(tx, 'SELECT 1 FROM position WHERE id = $1 FOR NO KEY UPDATE', [id]);
  const lease = await runOne(
    tx,
    `SELECT 1 FROM position_occupancy WHERE position_id = $1 AND kind = 'lease' AND released_at IS NULL AND to_on >= ${TODAY} LIMIT 1`,
    [id],
  );
  if (lease) throw ruleBroken(LET);
}

/**
 * Closes spaces from a day on: refuses (30101) where somebody has one on that day or later. Positions are locked in order, so that a
 * closing and a lease at once are one after the other; those that close today are held and let no more.
 */
export async function closeSpaces(
  tx: Tx,
  ids: readonly number[],
  on: string,
  why: { readonly reason: string; readonly reshapeId?: number; readonly staffId: number | null },
): Promise<void> {
  const { past } = (await runOne<{ past: boolean }>(tx, `SELECT $1::date < ${TODAY} AS past`, [on]))!;
  if (past) throw invalid({ on: ['不能早于今天', 'Not before today'] });
  const sorted = [...ids].sort((a, b) => a - b);
  const spaces = await run<Space>(
    tx,
    'SELECT * FROM space WHERE id = ANY($1::bigint[]) ORDER BY id FOR NO KEY UPDATE',
    [sorted],
  );
  await run(tx, 'SELECT 1 FROM position WHERE id = ANY($1::bigint[]) ORDER BY id FOR NO KEY UPDATE', [
    sorted,
  ]);
  for (const space of spaces) {
    if (space.closed_on)
      throw ruleBroken([
        `铺位 ${space.number} 已于 ${space.closed_on} 关闭`,
        `Space ${space.number} is closed from ${space.closed_on} on`,
      ]);
    if (space.opens_on && space.opens_on >= on)
      throw invalid({
        on: [
          `须晚于铺位 ${space.number} 的启用日 ${space.opens_on}`,
          `After ${space.opens_on}, the first day of ${space.number}`,
        ],
      });
    await releaseExpired(tx, space.id);
    const taken = await runOne<{ to: string }>(
      tx,
      `SELECT max(to_on)::text AS to FROM position_occupancy WHERE position_id = $1 AND released_at IS NULL AND to_on >= $2::date HAVING count(*) > 0`,
      [space.id, on],
    );
    if (taken)
      throw ruleBroken([
        `铺位 ${space.number} 占用至 ${taken.to}，须自 ${on} 起空闲且无后续占用`,
        `Space ${space.number} is taken until ${taken.to}: it must be free from ${on} on`,
      ]);
  }
  await run(
    tx,
    `UPDATE space SET closed_on = $2, close_reason = $3, closed_by_id = $4, version = version + 1, updated_at = now(), updated_by = $5 WHERE id = ANY($1::bigint[])`,
    [sorted, on, why.reason, why.reshapeId ?? null, why.staffId],
  );
  await disableClosed(tx);
}

/** Positions of spaces that are there no longer are held and let no more. Returns how many. */
export async function disableClosed(tx: Tx): Promise<number> {
  const done = await run(
    tx,
    `UPDATE position p SET enabled = false, version = p.version + 1, updated_at = now() FROM space s
      WHERE s.id = p.id AND s.closed_on <= ${TODAY} AND p.enabled RETURNING p.id`,
    [],
  );
  return done.length;
}

/** One of the new spaces of a split. */
export interface Piece {
  readonly number: string;
  /** 0.01 m². */
  readonly built: number;
  readonly usable: number | null;
}

/** Areas as people read them. */
export const areaText = (area: number): string => (area / 100).toFixed(2);

/**
 * Makes several spaces of one, from a day on; the old one closes that day and keeps its history. The areas have to add up. Returns
 * the ids of the new ones.
 */
export async function splitSpace(
  tx: Tx,
  id: number,
  pieces: readonly Piece[],
  why: { readonly on: string; readonly reason: string; readonly staffId: number | null },
): Promise<readonly number[]> {
  const old = (await runOne<Space>(tx, 'SELECT * FROM space WHERE id = $1', [id]))!;
  if (pieces.reduce((sum, one) => sum + one.built, 0) !== old.built_area)
    throw invalid({
      pieces: [
        `面积之和须等于 ${areaText(old.built_area)}`,
        `Areas must add up to ${areaText(old.built_area)}`,
      ],
    });
  const reshapeId = await reshape(tx, 'split', why);
  await closeSpaces(tx, [id], why.on, { ...why, reshapeId });
  const made: number[] = [];
  for (const piece of pieces) made.push(await succeed(tx, old, piece, reshapeId, why));
  return made;
}

/** Makes one space of several of a building, from a day on, with their areas added up. Returns its id. */
export async function combineSpaces(
  tx: Tx,
  id: number,
  others: readonly number[],
  next: { readonly number: string },
  why: { readonly on: string; readonly reason: string; readonly staffId: number | null },
): Promise<number> {
  const ids = [...new Set([id, ...others])];
  const spaces = await run<Space>(
    tx,
    'SELECT * FROM space WHERE id = ANY($1::bigint[]) ORDER BY id FOR NO KEY UPDATE',
    [ids],
  );
  if (spaces.length < ids.length) throw notFound();
  if (ids.length < 2) throw invalid({ others: ['请选择其他铺位', 'Choose another space'] });
  const own = spaces.find((one) => one.id === id)!;
  if (spaces.some((one) => one.building_id !== own.building_id || one.floor !== own.floor))
    throw invalid({ others: ['须为同一楼层的铺位', 'Spaces of the same floor only'] });
  const reshapeId = await reshape(tx, 'combine', why);
  await closeSpaces(tx, ids, why.on, { ...why, reshapeId });
  const sum = (of: (one: Space) => number) => spaces.reduce((total, one) => total + of(one), 0);
  const piece = {
    number: next.number,
    built: sum((one) => one.built_area),
    usable: spaces.every((one) => one.usable_area !== null) ? sum((one) => one.usable_area!) : null,
  };
  return succeed(tx, own, piece, reshapeId, why);
}

const reshape = async (
  tx: Tx,
  kind: 'split' | 'combine',
  why: { readonly on: string; readonly reason: string; readonly staffId: number | null },
) =>
  (await runOne<{ id: number }>(
    tx,
    'INSERT INTO space_reshape (kind, on_day, reason, created_by) VALUES ($1, $2, $3, $4) RETURNING id',
    [kind, why.on, why.reason, why.staffId],
  ))!.id;

/** A space that follows another on a day, with its own number and area. */
async function succeed(
  tx: Tx,
  old: Space,
  piece: Piece,
  reshapeId: number,
  why: { readonly on: string; readonly staffId: number | null },
): Promise<number> {
  const space = { ...old, number: piece.number, built_area: piece.built, usable_area: piece.usable };
  const id = await makePosition(tx, space, why.staffId);
  await run(
    tx,
    `INSERT INTO space (id, project_id, building_id, floor, number, kind, built_area, usable_area, format_id, facilities, rent, rent_min, delivered_on, opens_on, made_by_id, created_by, updated_by)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $16)`,
    [
      id,
      old.project_id,
      old.building_id,
      old.floor,
      piece.number,
      old.kind,
      piece.built,
      piece.usable,
      old.format_id,
      old.facilities,
      old.rent,
      old.rent_min,
      old.delivered_on,
      why.on,
      reshapeId,
      why.staffId,
    ],
  );
  return id;
}
