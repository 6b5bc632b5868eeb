import { addDays, businessDayOf } from '../../kernel/contract/time.rules.ts';
import type { Label } from '../../kernel/contract/label.ts';
import { run, runOne, type Tx } from '../../kernel/server/database.ts';
import { invalid, notFound, ruleBroken } from '../../kernel/server/http/errors.ts';
import { handOnPrepaid } from '../charging/prepaid.server.ts';
import { arrearsOf, bindHousehold } from './house-transfer.server.ts';

/** Areas of a house in m², as the database keeps them. */
export interface Areas {
  readonly built: string;
  readonly inner: string | null;
}

/** How far back and ahead the day may lie from which new areas bill. */
const BACK_DAYS = 366;
const AHEAD_DAYS = 366;

interface HouseRow {
  readonly id: number;
  readonly project_id: number;
  readonly unit_id: number;
  readonly building_id: number;
  readonly number: string;
  readonly floor: number;
  readonly house_type: string;
  readonly built_area: string;
  readonly inner_area: string | null;
  readonly merged_into_id: number | null;
}

/** Locks houses in id order; throws 404 when one is missing. */
async function lockHouses(tx: Tx, ids: readonly number[]): Promise<ReadonlyMap<number, HouseRow>> {
  const rows = await run<HouseRow>(
    tx,
    `SELECT h.id, h.project_id, h.unit_id, u.building_id, h.number, h.floor, h.house_type, h.built_area::text AS built_area, h.inner_area::text AS inner_area, h.merged_into_id
       FROM house h JOIN building_unit u ON u.id = h.unit_id WHERE h.id = ANY($1::bigint[]) ORDER BY h.id FOR NO KEY UPDATE OF h`,
    [ids],
  );
  if (rows.length < new Set(ids).size) throw notFound();
  return new Map(rows.map((row) => [row.id, row]));
}

/** Refuses a day areas cannot bill from; `field` is where it is told. */
export function requireAreaDay(day: string, field: string): void {
  const today = businessDayOf(new Date());
  const near: Label = ['请选择前后一年内的日期', 'Choose a day within a year'];
  if (day < addDays(today, -BACK_DAYS) || day > addDays(today, AHEAD_DAYS)) throw invalid({ [field]: near });
}

/**
 * Gives a house other areas, which bill from a day on: bills of before keep theirs, a period the day lies in is split by days.
 * Versions from the day on are replaced. Source: group 06, cs_houseEnquiry rules.
 */
export async function changeAreas(tx: Tx, houseId: number, areas: Areas, from: string): Promise<void> {
  await run(
    tx,
    `INSERT INTO house_area (house_id, from_day, built_area, inner_area)
     SELECT h.id, '1900-01-01', h.built_area, h.inner_area FROM house h WHERE h.id = $1 ON CONFLICT DO NOTHING`,
    [houseId],
  );
  await run(tx, 'DELETE FROM house_area WHERE house_id = $1 AND from_day >= $2::date', [houseId, from]);
  await run(
    tx,
    'INSERT INTO house_area (house_id, from_day, built_area, inner_area) VALUES ($1, $2, $3, $4)',
    [houseId, from, areas.built, areas.inner],
  );
}

/** A part that becomes a house of its own. */
export interface HouseSplit {
  readonly houseId: number;
  readonly number: string;
  readonly built: string;
  readonly inner: string | null;
  /** Day from which both bill by their new areas. */
  readonly date: string;
  readonly staffId: number;
}

/**
 * Takes a part of a house off as a house of its own, beside it on the floor: its owners own both, what the house is charged with is
 * charged to both from the day on, bills and prepaid money stay with the first.
 */
export async function splitHouse(tx: Tx, split: HouseSplit): Promise<number> {
  requireAreaDay(split.date, 'date');
  const house = (await lockHouses(tx, [split.houseId])).get(split.houseId)!;
  if (house.merged_into_id !== null) throw notFound();
  const left = subtract(house.built_area, split.built);
  if (left <= 0n) throw invalid({ builtArea: ['须小于原建筑面积', 'Less than the house has'] });
  const inner =
    house.inner_area === null || split.inner === null ? null : subtract(house.inner_area, split.inner);
  if (split.inner !== null && house.inner_area !== null && inner! <= 0n)
    throw invalid({ innerArea: ['须小于原套内面积', 'Less than the house has'] });
  if (split.inner !== null && subtract(split.built, split.inner) < 0n)
    throw invalid({ innerArea: ['套内面积不能大于建筑面积', 'The inner area is not above the built area'] });
  if (inner !== null && left < inner)
    throw invalid({
      innerArea: ['原房屋剩余套内面积大于建筑面积', 'What is left would have more inner than built area'],
    });
  const made = (await runOne<{ id: number }>(
    tx,
    `INSERT INTO house (project_id, unit_id, number, floor, built_area, inner_area, house_type, state, created_by, updated_by)
     SELECT h.project_id, h.unit_id, $2, h.floor, $3, $4, '', h.state, $5, $5 FROM house h WHERE h.id = $1 RETURNING id`,
    [house.id, split.number, split.built, split.inner, split.staffId],
  ))!;
  const rest: Areas = { built: text(left), inner: inner === null ? null : text(inner) };
  await changeAreas(tx, house.id, rest, split.date);
  await run(tx, 'UPDATE house SET built_area = $2, inner_area = $3 WHERE id = $1', [
    house.id,
    rest.built,
    rest.inner,
  ]);
  await run(
    tx,
    `INSERT INTO household (member_id, house_id, identity, status, pays, created_by)
     SELECT x.member_id, $2, x.identity, x.status, x.pays, $3 FROM household x WHERE x.house_id = $1 AND x.identity = 'owner' AND x.status = 'normal' ORDER BY x.pays DESC, x.id`,
    [house.id, made.id, split.staffId],
  );
  await run(
    tx,
    `INSERT INTO fee_assignment (tenant_id, project_id, house_id, fee_item_id, valid_from, valid_to, price, created_by, updated_by)
     SELECT a.tenant_id, a.project_id, $2, a.fee_item_id, greatest(a.valid_from, $3::date), a.valid_to, a.price, $4, $4
       FROM fee_assignment a WHERE a.house_id = $1 AND (a.valid_to IS NULL OR a.valid_to >= $3::date)`,
    [house.id, made.id, split.date, split.staffId],
  );
  return made.id;
}

/** A house that becomes a part of another. */
export interface HouseMerge {
  /** The house that stays. */
  readonly houseId: number;
  readonly otherId: number;
  /** Day from which the house bills by both areas, and the other no more. */
  readonly date: string;
  readonly staffId: number;
}

/** What a merge brought along. */
export interface HouseMerged {
  readonly other: string;
  readonly people: number;
  /** Prepaid money in fen. */
  readonly prepaid: number;
}

/**
 * Joins a house of the same building to another: the other's people and prepaid money come along, its charges end the day before,
 * its bills and papers stay as its history. Refused while it owes, has open work or belongs to somebody else.
 */
export async function mergeHouses(tx: Tx, merge: HouseMerge): Promise<HouseMerged> {
  requireAreaDay(merge.date, 'date');
  if (merge.houseId === merge.otherId) throw invalid({ other: ['请选择另一套房屋', 'Choose another house'] });
  const houses = await lockHouses(tx, [merge.houseId, merge.otherId]);
  const [house, other] = [houses.get(merge.houseId)!, houses.get(merge.otherId)!];
  if (house.merged_into_id !== null || other.merged_into_id !== null) throw notFound();
  if (house.building_id !== other.building_id)
    throw invalid({ other: ['只能合并同一楼栋的房屋', 'Only houses of one building are joined'] });
  const open = (await runOne<{ orders: number; papers: number; foreign: boolean }>(
    tx,
    `SELECT (SELECT count(*)::integer FROM work_order w WHERE w.house_id = $2 AND w.status IN ('pending_system', 'to_accept', 'accepted', 'processing', 'paused')) AS orders,
            (SELECT count(*)::integer FROM house_custody c WHERE c.house_id = $2 AND c.state IN ('to_accept', 'accepted'))
              + (SELECT count(*)::integer FROM decoration_application d WHERE d.house_id = $2 AND d.state IN ('to_pay', 'to_take', 'supervising')) AS papers,
            EXISTS (SELECT FROM household x WHERE x.house_id = $2 AND x.identity = 'owner' AND x.status = 'normal'
                       AND NOT EXISTS (SELECT FROM household y WHERE y.house_id = $1 AND y.member_id = x.member_id AND y.identity = 'owner' AND y.status = 'normal')) AS foreign`,
    [house.id, other.id],
  ))!;
  if ((await arrearsOf(tx, other.id)) > 0)
    throw ruleBroken(['被合并的房屋有欠费，请先缴清', 'The other house owes money: settle it first']);
  if (open.foreign)
    throw ruleBroken([
      '两套房屋的业主不同，请先过户',
      'The houses have different owners: transfer one first',
    ]);
  if (open.orders + open.papers > 0)
    throw ruleBroken([
      '被合并的房屋有未完成的工单、托管或装修',
      'The other house has open orders, custody or decoration',
    ]);
  const people = await run<{ member_id: number; identity: 'owner' | 'family' | 'tenant' }>(
    tx,
    `UPDATE household SET status = 'deleted', version = version + 1, updated_at = now(), updated_by = $2
      WHERE house_id = $1 AND status IN ('normal', 'reviewing') RETURNING member_id, identity`,
    [other.id, merge.staffId],
  );
  let moved = 0;
  for (const one of people) {
    const there = await runOne(
      tx,
      `SELECT 1 FROM household WHERE house_id = $1 AND member_id = $2 AND status IN ('normal', 'reviewing')`,
      [house.id, one.member_id],
    );
    if (there) continue;
    await bindHousehold(tx, {
      memberId: one.member_id,
      houseId: house.id,
      identity: one.identity,
      status: 'normal',
      staffId: merge.staffId,
    });
    moved += 1;
  }
  const prepaid = await handOnPrepaid(
    tx,
    other.id,
    house.id,
    { type: 'house_merge', id: String(other.id), purpose: 'move' },
    merge.staffId,
  );
  // Charges that would only begin on the day or later never come about.
  await run(
    tx,
    `DELETE FROM fee_assignment a WHERE a.house_id = $1 AND a.valid_from >= $2::date AND NOT EXISTS (SELECT FROM bill b WHERE b.assignment_id = a.id)`,
    [other.id, merge.date],
  );
  await run(
    tx,
    `UPDATE fee_assignment SET valid_to = greatest(valid_from, $2::date - 1), version = version + 1, updated_at = now(), updated_by = $3
      WHERE house_id = $1 AND (valid_to IS NULL OR valid_to >= $2::date)`,
    [other.id, merge.date, merge.staffId],
  );
  const sum: Areas = {
    built: text(cents(house.built_area) + cents(other.built_area)),
    inner:
      house.inner_area === null || other.inner_area === null
        ? house.inner_area
        : text(cents(house.inner_area) + cents(other.inner_area)),
  };
  await changeAreas(tx, house.id, sum, merge.date);
  await run(tx, 'UPDATE house SET built_area = $2, inner_area = $3 WHERE id = $1', [
    house.id,
    sum.built,
    sum.inner,
  ]);
  await run(
    tx,
    `UPDATE house SET merged_into_id = $2, state = 'vacant', version = version + 1, updated_at = now(), updated_by = $3 WHERE id = $1`,
    [other.id, house.id, merge.staffId],
  );
  return { other: other.number, people: moved, prepaid };
}

/** 0.01 m² of an area as text. */
function cents(area: string): bigint {
  const [whole = '0', part = ''] = area.split('.');
  return BigInt(whole) * 100n + BigInt(part.padEnd(2, '0').slice(0, 2));
}

const subtract = (a: string, b: string): bigint => cents(a) - cents(b);
const text = (area: bigint): string => `${area / 100n}.${String(area % 100n).padStart(2, '0')}`;
