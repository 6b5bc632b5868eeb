import type { Executor } from '../../kernel/server/database.ts';
import { run, runOne } from '../../kernel/server/database.ts';

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

/**
 * Writes an assignment and its houses. The exclusion `housekeeper_house_main` refuses a second main housekeeper of a house on
 * a day. Returns the assignment's id and how many houses it covers. Source: group 06, cs_housekeepManager; group 12.
 */
export async function assignHouses(
  tx: Executor,
  assignment: Assignment,
): Promise<{ readonly id: number; readonly houses: number }> {
  const [from, to] = assignment.houses ?? [null, null];
  const { id } = (await runOne<{ id: number }>(
    tx,
    `INSERT INTO housekeeper_building (housekeeper_id, project_id, building_id, unit_id, house_from, house_to, kind, valid_from, valid_to, reason, note, created_by)
     SELECT $1, b.project_id, b.id, $3, $4, $5, $6, $7, $8, $9, $10, $11 FROM building b WHERE b.id = $2 RETURNING id`,
    [
      assignment.housekeeperId,
      assignment.buildingId,
      assignment.unitId ?? null,
      from,
      to,
      assignment.kind,
      assignment.from,
      assignment.to ?? null,
      assignment.reason ?? '',
      assignment.note ?? '',
      assignment.staffId ?? null,
    ],
  ))!;
  const houses = await run(
    tx,
    `INSERT INTO housekeeper_house (assignment_id, house_id, housekeeper_id, kind, days)
     SELECT a.id, h.id, a.housekeeper_id, a.kind, daterange(a.valid_from, a.valid_to, '[]')
       FROM housekeeper_building a JOIN building_unit u ON u.building_id = a.building_id AND (a.unit_id IS NULL OR u.id = a.unit_id)
       JOIN house h ON h.unit_id = u.id AND (a.house_from IS NULL OR (lpad(h.number, 20, '0') BETWEEN lpad(a.house_from, 20, '0') AND lpad(a.house_to, 20, '0')))
      WHERE a.id = $1 RETURNING house_id`,
    [id],
  );
  return { id, houses: houses.length };
}

/**
 * SQL of the id of the housekeeper who holds a house on a day: the stand-in of the day where there is one and `standIn` is
 * asked for, else the main one; null when nobody does. `house` and `day` are SQL.
 */
export const housekeeperOn = (house: string, day: string, standIn = false): string =>
  `(SELECT hk.housekeeper_id FROM housekeeper_house hk WHERE hk.house_id = ${house} AND hk.days @> (${day})::date
     ${standIn ? '' : `AND hk.kind = 'main'`} ORDER BY hk.kind = 'main', hk.assignment_id DESC LIMIT 1)`;
