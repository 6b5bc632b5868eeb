import type { Label } from '../../kernel/contract/label.ts';
import { addDays, businessDayOf } from '../../kernel/contract/time.rules.ts';
import { runOne, type Executor, type Tx } from '../../kernel/server/database.ts';
import { writeTimeline } from '../../kernel/server/audit/audit.ts';
import { notFound, ruleBroken } from '../../kernel/server/http/errors.ts';
import { dayTypesOf } from '../business-calendar/day-type.server.ts';
import { housekeeperOn } from '../property-staff/housekeeper.server.ts';
import { FOLLOW_DAYS, type Grade, type RatingTarget } from './evaluation.rules.ts';

const TAKEN: Readonly<Record<RatingTarget, Label>> = {
  housekeeper: ['本月已评价过该管家', 'This housekeeper has been rated this month already'],
  property: ['本户本月已评价过物业', 'The household has rated this month already'],
};

/** What a resident says. */
export interface Rating {
  readonly target: RatingTarget;
  readonly householdId: number;
  readonly grade: Grade;
  readonly reasons?: readonly string[];
  readonly content?: string;
  readonly at?: Date;
}

/**
 * Keeps a rating of a normal household; one of the housekeeper counts for whoever held the house on its day. The unique indexes
 * decide which of two is the first. Returns its id.
 */
export async function rate(tx: Tx, rating: Rating): Promise<number> {
  const at = rating.at ?? new Date();
  const day = businessDayOf(at);
  const home = await runOne<{ house: number; project: number; member: number; housekeeper: number | null }>(
    tx,
    `SELECT x.id AS house, x.project_id AS project, hh.member_id AS member, ${housekeeperOn('x.id', '$2')} AS housekeeper
       FROM household hh JOIN house x ON x.id = hh.house_id WHERE hh.id = $1 AND hh.status = 'normal'`,
    [rating.householdId, day],
  );
  if (!home) throw notFound();
  if (rating.target === 'housekeeper' && home.housekeeper === null)
    throw ruleBroken(['该房屋当日没有管家', 'The house had no housekeeper on that day']);
  const low = rating.grade === 'unsatisfied';
  const row = await runOne<{ id: number }>(
    tx,
    `INSERT INTO evaluation (target, project_id, house_id, household_id, member_id, housekeeper_id, grade, reasons, content, rated_at, state, follow_due)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT DO NOTHING RETURNING id`,
    [
      rating.target,
      home.project,
      home.house,
      rating.householdId,
      home.member,
      rating.target === 'housekeeper' ? home.housekeeper : null,
      rating.grade,
      rating.reasons ?? [],
      rating.content ?? '',
      at,
      low ? 'to_follow' : 'none',
      low ? await workdaysAfter(tx, day, FOLLOW_DAYS) : null,
    ],
  );
  if (!row) throw ruleBroken(TAKEN[rating.target]);
  await writeTimeline(tx, {
    entity: 'evaluation',
    entityId: row.id,
    action: 'rate',
    label: ['评价', 'Rated'],
    to: low ? 'to_follow' : 'none',
    at,
  });
  return row.id;
}

/** The day so many working days after another, by the calendar. */
export async function workdaysAfter(db: Executor, day: string, count: number): Promise<string> {
  const days = Array.from({ length: 30 }, (_, n) => addDays(day, n + 1));
  const types = await dayTypesOf(db, days);
  return days.filter((one) => types.get(one) === 'workday')[count - 1] ?? days.at(-1)!;
}
