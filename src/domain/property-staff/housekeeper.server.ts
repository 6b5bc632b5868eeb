import { businessDayOf } from '../../kernel/contract/time.rules.ts';
import type { Executor, Tx } from '../../kernel/server/database.ts';
import { run, runOne } from '../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../kernel/server/http/errors.ts';

/** What is assigned: a whole building, a unit of it, or the houses of the unit whose numbers lie in a range (both included). */
export interface Assignment {
  readonly housekeeperId: number;
  readonly buildingId: number;
  readonly unitId?: number | null;
  readonly houses?: readonly [from: string, to: string] | null;
  readonly kind: 'main' | 'stand_in';
  /** `YYYY-MM-DD`, both included; without an end it holds until it is ended. */
  readonly from: string;
  readonly to?: string | null;
  readonly reason?: string;
  readonly note?: string;
  readonly staffId?: number | null;
}

/** Houses given to a housekeeper; they are kept as the fewest buildings, units and ranges that hold just them. */
export interface HouseSet extends Pick<
  Assignment,
  'housekeeperId' | 'kind' | 'from' | 'to' | 'reason' | 'note' | 'staffId'
> {
  readonly houseIds: readonly number[];
  /** Of a stand-in: for whom it acts. */
  readonly standsFor?: number | null;
}

interface HouseAt {
  readonly id: number;
  readonly number: string;
  readonly unit: number;
  readonly building: number;
}

/**
 * Writes an assignment and its houses. Refuses a place without houses and a second main housekeeper of a house on a day, which
 * the exclusion `housekeeper_house_main` holds. Source: group 06, cs_housekeepManager; group 12.
 */
export async function assignHouses(
  tx: Tx,
  assignment: Assignment,
): Promise<{ readonly id: number; readonly houses: number }> {
  const [from, to] = assignment.houses ?? [null, null];
  const houses = await run<{ id: number }>(
    tx,
    `SELECT h.id FROM house h JOIN building_unit u ON u.id = h.unit_id
      WHERE u.building_id = $1 AND ($2::bigint IS NULL OR u.id = $2)
        AND ($3::text IS NULL OR (house_number_key(h.number) COLLATE "C") BETWEEN house_number_key($3) AND house_number_key($4))`,
    [assignment.buildingId, assignment.unitId ?? null, from, to],
  );
  const ids = houses.map((one) => one.id);
  await requireFree(tx, { ...assignment, houseIds: ids });
  const id = await insertPlace(tx, assignment, {
    building: assignment.buildingId,
    unit: assignment.unitId ?? null,
    range: assignment.houses ?? null,
    houses: ids,
  });
  return { id, houses: ids.length };
}

/** Assigns a set of houses; returns how many. Refuses an empty one and houses that have a main housekeeper on one of the days. */
export async function assignHouseSet(tx: Tx, set: HouseSet): Promise<number> {
  await requireFree(tx, set);
  for (const place of await placesOf(tx, set.houseIds)) await insertPlace(tx, set, place);
  return set.houseIds.length;
}

/** Houses of buildings, units and single houses together, each once. */
export async function housesOf(
  db: Executor,
  chosen: {
    readonly buildings?: readonly number[];
    readonly units?: readonly number[];
    readonly houses?: readonly number[];
  },
): Promise<readonly { readonly id: number; readonly projectId: number }[]> {
  return run(
    db,
    `SELECT h.id, h.project_id AS "projectId" FROM house h JOIN building_unit u ON u.id = h.unit_id
      WHERE u.building_id = ANY($1::bigint[]) OR u.id = ANY($2::bigint[]) OR h.id = ANY($3::bigint[]) ORDER BY h.id`,
    [chosen.buildings ?? [], chosen.units ?? [], chosen.houses ?? []],
  );
}

/** What a transfer moves. `houseIds` null: everything the former one looks after from that day on. */
export interface Transfer {
  readonly fromId: number;
  /** Nobody: the houses are vacant from then on. */
  readonly toId: number | null;
  readonly houseIds: readonly number[] | null;
  /** First day of the new one. */
  readonly date: string;
  readonly reason?: string;
  readonly note?: string;
  readonly by?: number | null;
}

/**
 * Gives houses to another housekeeper, or to nobody, from a day on; the days before stay with the former, whose performance and
 * ratings they are. It is kept as a handover. Returns how many houses moved. Source: group 06, cs_housekeepManager rules; group
 * 12, butler_information.
 */
export async function transferHouses(tx: Tx, transfer: Transfer): Promise<number> {
  const moved = await moveHouses(tx, transfer);
  await keepHandover(tx, transfer, moved);
  return moved.count;
}

interface Moved {
  readonly count: number;
  readonly parts: readonly {
    readonly from: string;
    readonly to: string | null;
    readonly houses: readonly number[];
  }[];
}

async function moveHouses(tx: Tx, transfer: Transfer): Promise<Moved> {
  const { fromId, toId, date, reason, note, by } = transfer;
  // Two transfers of one housekeeper come one after the other.
  await run(tx, 'SELECT FROM housekeeper WHERE id = ANY($1::bigint[]) ORDER BY id FOR UPDATE', [
    [fromId, toId],
  ]);
  const held = await run<{ id: number; valid_from: string; valid_to: string | null; houses: number[] }>(
    tx,
    `SELECT a.id, a.valid_from::text, a.valid_to::text, ARRAY(SELECT x.house_id FROM housekeeper_house x WHERE x.assignment_id = a.id ORDER BY x.house_id) AS houses
       FROM housekeeper_building a WHERE a.housekeeper_id = $1 AND a.kind = 'main' AND (a.valid_to IS NULL OR a.valid_to >= $2::date) ORDER BY a.id FOR UPDATE`,
    [fromId, date],
  );
  const wanted = transfer.houseIds === null ? undefined : new Set(transfer.houseIds);
  const moves = new Map<string, { from: string; to: string | null; moved: number[]; kept: number[] }>();
  const found = new Set<number>();
  for (const one of held) {
    const moved = one.houses.filter((house) => !wanted || wanted.has(house));
    if (moved.length === 0) continue;
    const from = one.valid_from > date ? one.valid_from : date;
    const key = `${from} ${one.valid_to ?? ''}`;
    const move = moves.get(key) ?? { from, to: one.valid_to, moved: [], kept: [] };
    moves.set(key, move);
    move.moved.push(...moved);
    move.kept.push(...one.houses.filter((house) => wanted && !wanted.has(house)));
    for (const house of moved) found.add(house);
    await endAssignment(tx, one.id, date);
  }
  if (wanted && [...wanted].some((house) => !found.has(house)))
    throw ruleBroken([
      '所选房屋在该日期不全由此管家管辖',
      'Not all of these houses are looked after by this housekeeper on that day',
    ]);
  for (const { from, to, moved, kept } of moves.values()) {
    const days = {
      kind: 'main',
      from,
      to,
      ...(reason !== undefined && { reason }),
      ...(note !== undefined && { note }),
      staffId: by ?? null,
    } as const;
    if (toId !== null) await assignHouseSet(tx, { ...days, housekeeperId: toId, houseIds: moved });
    if (kept.length > 0)
      await assignHouseSet(tx, { ...days, housekeeperId: fromId, houseIds: kept, reason: '', note: '' });
  }
  await followStandIn(tx, fromId);
  if (toId !== null) await followStandIn(tx, toId);
  return {
    count: found.size,
    parts: [...moves.values()].map(({ from, to, moved }) => ({ from, to, houses: moved })),
  };
}

async function keepHandover(tx: Tx, transfer: Transfer, moved: Moved): Promise<void> {
  if (moved.count === 0) return;
  const row = await runOne<{ id: number }>(
    tx,
    `INSERT INTO housekeeper_handover (from_id, to_id, starts_on, project_ids, houses, reason, note, state, created_by, updated_by)
     SELECT $1, $2, $3::date, array_agg(DISTINCT h.project_id ORDER BY h.project_id), $4, $5, $6, CASE WHEN $3::date > $7::date THEN 'planned' ELSE 'done' END, $8, $8
       FROM house h WHERE h.id = ANY($9::bigint[]) RETURNING id`,
    [
      transfer.fromId,
      transfer.toId,
      transfer.date,
      moved.count,
      transfer.reason ?? '',
      transfer.note ?? '',
      businessDayOf(new Date()),
      transfer.by ?? null,
      moved.parts.flatMap((part) => part.houses),
    ],
  );
  for (const part of moved.parts)
    await run(
      tx,
      `INSERT INTO housekeeper_handover_house (handover_id, house_id, days) SELECT $1, unnest($2::bigint[]), daterange($3::date, $4::date, '[]')`,
      [row!.id, part.houses, part.from, part.to],
    );
}

/**
 * Takes a handover back before its day: the houses stay with the former. Refused when the days have changed hands since.
 * Source: group 12, butler_information.
 */
export async function takeHandoverBack(tx: Tx, id: number, by: number): Promise<void> {
  const row = (await runOne<{ from: number; to: number | null; date: string; houses: number[] }>(
    tx,
    `SELECT from_id AS "from", to_id AS "to", starts_on::text AS date, ARRAY(SELECT DISTINCT h.house_id FROM housekeeper_handover_house h WHERE h.handover_id = t.id ORDER BY 1) AS houses
       FROM housekeeper_handover t WHERE t.id = $1`,
    [id],
  ))!;
  await run(tx, 'SELECT FROM housekeeper WHERE id = ANY($1::bigint[]) ORDER BY id FOR UPDATE', [
    [row.from, row.to].filter((one) => one !== null),
  ]);
  const changed = await runOne(
    tx,
    row.to === null
      ? `SELECT 1 FROM housekeeper_house x JOIN housekeeper_handover_house h ON h.handover_id = $1 AND h.house_id = x.house_id AND h.days && x.days
          WHERE x.kind = 'main' LIMIT 1`
      : `SELECT 1 FROM (SELECT h.house_id, range_agg(h.days) AS days FROM housekeeper_handover_house h WHERE h.handover_id = $1 GROUP BY 1) h
          WHERE h.days IS DISTINCT FROM (SELECT range_agg(x.days * daterange($3::date, NULL)) FROM housekeeper_house x
            WHERE x.house_id = h.house_id AND x.housekeeper_id = $2 AND x.kind = 'main' AND x.days && daterange($3::date, NULL)) LIMIT 1`,
    row.to === null ? [id] : [id, row.to, row.date],
  );
  if (changed)
    throw ruleBroken([
      '交接后的管辖已有变化，不能取消',
      'The assignments have changed since, it cannot be cancelled',
    ]);
  const reason = '取消交接';
  if (row.to !== null) {
    await moveHouses(tx, {
      fromId: row.to,
      toId: row.from,
      houseIds: row.houses,
      date: row.date,
      reason,
      by,
    });
    return;
  }
  const parts = await run<{ from: string; to: string | null; houses: number[] }>(
    tx,
    `SELECT lower(days)::text AS "from", (upper(days) - 1)::text AS "to", array_agg(house_id ORDER BY house_id) AS houses
       FROM housekeeper_handover_house WHERE handover_id = $1 GROUP BY days ORDER BY days`,
    [id],
  );
  for (const { from, to, houses } of parts)
    await assignHouseSet(tx, {
      housekeeperId: row.from,
      kind: 'main',
      from,
      to,
      houseIds: houses,
      reason,
      staffId: by,
    });
  await followStandIn(tx, row.from);
}

/** Everything a staff looks after goes to another, who has to be a housekeeper. Returns the houses. */
export async function moveAllHouses(
  tx: Tx,
  move: {
    readonly from: number;
    readonly to: number;
    readonly date: string;
    readonly reason: string;
    readonly by: number;
  },
): Promise<number> {
  const keepers = await run<{ id: number; staff_id: number }>(
    tx,
    'SELECT id, staff_id FROM housekeeper WHERE staff_id = ANY($1::bigint[]) AND (left_at IS NULL OR staff_id = $2)',
    [[move.from, move.to], move.from],
  );
  const from = keepers.find((one) => one.staff_id === move.from);
  const to = keepers.find((one) => one.staff_id === move.to);
  if (!from) return 0;
  if (!to) throw invalid({ to: ['接收人不是管家', 'The receiver is no housekeeper'] });
  return transferHouses(tx, {
    fromId: from.id,
    toId: to.id,
    houseIds: null,
    date: move.date,
    reason: move.reason,
    by: move.by,
  });
}

/** Houses a staff is the main housekeeper of, today or later. */
export async function heldHouses(db: Executor, staffId: number): Promise<number> {
  const row = await runOne<{ count: number }>(
    db,
    `SELECT count(DISTINCT x.house_id)::integer AS count FROM housekeeper k JOIN housekeeper_house x ON x.housekeeper_id = k.id AND x.kind = 'main'
      WHERE k.staff_id = $1 AND (upper_inf(x.days) OR upper(x.days) > $2::date)`,
    [staffId, businessDayOf(new Date())],
  );
  return row!.count;
}

/** Ends an assignment the day before `date`; one that would only begin then is taken away. */
export async function endAssignment(tx: Tx, id: number, date: string): Promise<void> {
  await run(tx, 'DELETE FROM housekeeper_building WHERE id = $1 AND valid_from >= $2::date', [id, date]);
  await run(tx, 'DELETE FROM housekeeper_house WHERE assignment_id = $1 AND lower(days) >= $2::date', [
    id,
    date,
  ]);
  await run(
    tx,
    'UPDATE housekeeper_house SET days = days * daterange(NULL, $2::date) WHERE assignment_id = $1',
    [id, date],
  );
  await run(tx, 'UPDATE housekeeper_building SET valid_to = $2::date - 1 WHERE id = $1', [id, date]);
}

/** Writes the days of a housekeeper's stand-in anew from today on; days that have passed stay. */
export async function followStandIn(tx: Tx, housekeeperId: number): Promise<void> {
  const today = businessDayOf(new Date());
  const standing = await run<{ id: number }>(
    tx,
    'SELECT id FROM housekeeper_building WHERE stands_for_id = $1 AND (valid_to IS NULL OR valid_to >= $2::date)',
    [housekeeperId, today],
  );
  for (const one of standing) await endAssignment(tx, one.id, today);
  const wanted = await runOne<{ stand_in_id: number; from: string; to: string }>(
    tx,
    `SELECT stand_in_id, greatest(stand_in_from, $2::date)::text AS from, stand_in_to::text AS to FROM housekeeper
      WHERE id = $1 AND stand_in_id IS NOT NULL AND stand_in_to >= $2::date`,
    [housekeeperId, today],
  );
  if (!wanted) return;
  const days = await run<{ from: string; to: string; houses: number[] }>(
    tx,
    `SELECT lower(d)::text AS from, (upper(d) - 1)::text AS to, array_agg(DISTINCT house_id) AS houses
       FROM (SELECT x.house_id, x.days * daterange($2::date, $3::date, '[]') AS d FROM housekeeper_house x WHERE x.housekeeper_id = $1 AND x.kind = 'main') held
      WHERE NOT isempty(d) GROUP BY d`,
    [housekeeperId, wanted.from, wanted.to],
  );
  for (const one of days)
    await assignHouseSet(tx, {
      housekeeperId: wanted.stand_in_id,
      kind: 'stand_in',
      from: one.from,
      to: one.to,
      houseIds: one.houses,
      standsFor: housekeeperId,
    });
}

/** Says which house is taken by whom, behind a lock of the buildings: the second of two assignments meets words, not the constraint. */
async function requireFree(tx: Tx, set: Pick<HouseSet, 'houseIds' | 'kind' | 'from' | 'to'>): Promise<void> {
  if (set.houseIds.length === 0)
    throw ruleBroken(['所选范围内没有房屋', 'There is no house in the chosen range']);
  await run(
    tx,
    `SELECT FROM building WHERE id IN (SELECT u.building_id FROM house h JOIN building_unit u ON u.id = h.unit_id WHERE h.id = ANY($1::bigint[])) ORDER BY id FOR NO KEY UPDATE`,
    [set.houseIds],
  );
  if (set.kind !== 'main') return;
  const taken = await runOne<{ place: string; name: string }>(
    tx,
    `SELECT b.name || u.name || h.number AS place, s.name FROM housekeeper_house x JOIN house h ON h.id = x.house_id
       JOIN building_unit u ON u.id = h.unit_id JOIN building b ON b.id = u.building_id
       JOIN housekeeper k ON k.id = x.housekeeper_id JOIN staff s ON s.id = k.staff_id
      WHERE x.kind = 'main' AND x.house_id = ANY($1::bigint[]) AND x.days && daterange($2::date, $3::date, '[]') ORDER BY x.house_id LIMIT 1`,
    [set.houseIds, set.from, set.to ?? null],
  );
  if (taken)
    throw ruleBroken([
      `${taken.place} 在该日期已有主管家“${taken.name}”`,
      `House already has a main butler: ${taken.place}, ${taken.name}`,
    ]);
}

interface Place {
  readonly building: number;
  readonly unit: number | null;
  readonly range: readonly [string, string] | null;
  readonly houses: readonly number[];
}

/** The fewest places that hold just these houses: whole buildings, then whole units, then runs of neighbouring numbers. */
async function placesOf(db: Executor, houseIds: readonly number[]): Promise<Place[]> {
  const set = new Set(houseIds);
  const all = await run<HouseAt>(
    db,
    `SELECT h.id, h.number, u.id AS unit, u.building_id AS building FROM house h JOIN building_unit u ON u.id = h.unit_id
      WHERE u.building_id IN (SELECT w.building_id FROM house x JOIN building_unit w ON w.id = x.unit_id WHERE x.id = ANY($1::bigint[]))
      ORDER BY u.building_id, u.id, house_number_key(h.number) COLLATE "C", h.id`,
    [houseIds],
  );
  const places: Place[] = [];
  for (const [building, inBuilding] of grouped(all, (one) => one.building)) {
    if (inBuilding.every((one) => set.has(one.id))) {
      places.push({ building, unit: null, range: null, houses: inBuilding.map((one) => one.id) });
      continue;
    }
    for (const [unit, inUnit] of grouped(inBuilding, (one) => one.unit)) {
      if (inUnit.every((one) => set.has(one.id))) {
        places.push({ building, unit, range: null, houses: inUnit.map((one) => one.id) });
        continue;
      }
      let chain: HouseAt[] = [];
      const close = () => {
        if (chain.length > 0)
          places.push({
            building,
            unit,
            range: [chain[0]!.number, chain.at(-1)!.number],
            houses: chain.map((one) => one.id),
          });
        chain = [];
      };
      for (const house of inUnit)
        if (set.has(house.id)) chain.push(house);
        else close();
      close();
    }
  }
  return places;
}

function grouped<T>(rows: readonly T[], by: (row: T) => number): Map<number, T[]> {
  const groups = new Map<number, T[]>();
  for (const row of rows) groups.set(by(row), [...(groups.get(by(row)) ?? []), row]);
  return groups;
}

async function insertPlace(tx: Tx, given: Omit<HouseSet, 'houseIds'>, place: Place): Promise<number> {
  const row = await runOne<{ id: number }>(
    tx,
    `INSERT INTO housekeeper_building (housekeeper_id, project_id, building_id, unit_id, house_from, house_to, kind, valid_from, valid_to, reason, note, created_by, stands_for_id)
     SELECT $1, b.project_id, b.id, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12 FROM building b WHERE b.id = $2 RETURNING id`,
    [
      given.housekeeperId,
      place.building,
      place.unit,
      place.range?.[0] ?? null,
      place.range?.[1] ?? null,
      given.kind,
      given.from,
      given.to ?? null,
      given.reason ?? '',
      given.note ?? '',
      given.staffId ?? null,
      given.standsFor ?? null,
    ],
  );
  await run(
    tx,
    `INSERT INTO housekeeper_house (assignment_id, house_id, housekeeper_id, kind, days)
     SELECT $1, unnest($2::bigint[]), $3, $4, daterange($5::date, $6::date, '[]')`,
    [row!.id, place.houses, given.housekeeperId, given.kind, given.from, given.to ?? null],
  );
  return row!.id;
}

/**
 * SQL of the id of the housekeeper who holds a house on a day: the stand-in of the day where there is one and `standIn` is
 * asked for, else the main one; null when nobody does. `house` and `day` are SQL.
 */
export const housekeeperOn = (house: string, day: string, standIn = false): string =>
  `(SELECT hk.housekeeper_id FROM housekeeper_house hk WHERE hk.house_id = ${house} AND hk.days @> (${day})::date
     ${standIn ? '' : `AND hk.kind = 'main'`} ORDER BY hk.kind = 'main', hk.assignment_id DESC LIMIT 1)`;
