import { commentCount, commentScore } from '../../../domain/order-comment/comment-score.server.ts';
import {
  addDays,
  businessDayOf,
  businessTimeText,
  endOfBusinessDay,
  isoInstant,
  startOfBusinessDay,
} from '../../../kernel/contract/time.rules.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { endpoint, type Endpoint } from '../../../kernel/server/registration.ts';
import type { BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { VisitState } from '../../../domain/home-service/appointment/visit-words.rules.ts';
import { clockText } from './roster.rules.ts';
import { servicePerson, type PersonPlan, type PersonVisit } from './service-person.contract.ts';

/** Days the roster calendar shows. */
const DAYS = 14;

interface VisitRow {
  readonly id: number;
  readonly code: string;
  readonly service: string;
  readonly project: string;
  readonly starts_at: Date;
  readonly ends_at: Date;
  readonly state: VisitState;
  readonly overbooked: boolean;
}

/** What the page of a person shows beside its row: roster calendar and visits, those of projects the caller works in. */
export const personEndpoints = (bound: () => BoundResource): readonly Endpoint[] => [
  endpoint({
    method: 'GET',
    path: '/jinmao/web/servicePerson/:id/plan',
    title: ['服务人员班次与预约', 'Hours and visits of a person'],
    access: { code: servicePerson.menu },
    handle: async (call) => {
      const id = idOf(call.params.id);
      await bound().find(call, id);
      return planOf(call.platform.database.db, call.caller, id);
    },
  }),
];

async function planOf(db: Executor, caller: Caller, id: number): Promise<PersonPlan> {
  const person = (await runOne<{
    roster: readonly { weekday: number; from: number; to: number }[];
    comments: number;
    score: string | null;
  }>(
    db,
    `SELECT roster, ${commentCount('c.person_id = p.id')} AS comments, ${commentScore('c.person_id = p.id')} AS score FROM service_person p WHERE id = $1`,
    [id],
  ))!;
  const today = businessDayOf(new Date());
  const last = addDays(today, DAYS - 1);
  const visits = (where: string, order: string, values: readonly unknown[]) =>
    run<VisitRow>(
      db,
      `SELECT a.id, a.code, p.name AS service, j.name AS project, a.starts_at, a.ends_at, a.state, a.overbooked
         FROM appointment a JOIN product p ON p.id = a.product_id JOIN project j ON j.id = a.project_id
        WHERE a.person_id = $1 AND ($2::bigint[] IS NULL OR a.project_id = ANY($2::bigint[])) AND ${where} ORDER BY ${order} LIMIT 200`,
      [id, caller.projectIds, ...values],
    );
  const coming = await visits(
    `a.state IN ('held', 'to_accept', 'assigned', 'serving', 'done') AND a.starts_at >= $3 AND a.starts_at < $4`,
    'a.starts_at, a.id',
    [startOfBusinessDay(today), endOfBusinessDay(last)],
  );
  const latest = await visits('a.starts_at < $3', 'a.starts_at DESC, a.id DESC', [startOfBusinessDay(today)]);
  const stops = await run<{ starts_at: Date; ends_at: Date; reason: string }>(
    db,
    `SELECT lower(period) AS starts_at, upper(period) AS ends_at, reason FROM service_stop
      WHERE person_id = $1 AND period && tstzrange($2::timestamptz, $3::timestamptz) ORDER BY 1`,
    [id, startOfBusinessDay(today), endOfBusinessDay(last)],
  );
  const days = Array.from({ length: DAYS }, (_, index) => {
    const day = addDays(today, index);
    const weekday = ((new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7) + 1;
    const [begins, ends] = [startOfBusinessDay(day), endOfBusinessDay(day)];
    return {
      day,
      hours: person.roster
        .filter((one) => one.weekday === weekday)
        .map((one) => `${clockText(one.from)}–${clockText(one.to)}`),
      leave: stops
        .filter((one) => one.starts_at < ends && one.ends_at > begins)
        .map((one) => `${clockOn(one.starts_at, day)}–${clockOn(one.ends_at, day)} ${one.reason}`),
      visits: coming.filter((one) => businessDayOf(one.starts_at) === day).map(shown),
    };
  });
  return { days, latest: latest.slice(0, 50).map(shown), comments: person.comments, score: person.score };
}

/** The hour an instant has on a day; before it 00:00, after it 24:00. */
function clockOn(at: Date, day: string): string {
  const on = businessDayOf(at);
  return on < day ? '00:00' : on > day ? '24:00' : businessTimeText(at).slice(11, 16);
}

const shown = (row: VisitRow): PersonVisit => ({
  id: String(row.id),
  code: row.code,
  service: row.service,
  project: row.project,
  startsAt: isoInstant(row.starts_at),
  endsAt: isoInstant(row.ends_at),
  state: row.state,
  overbooked: row.overbooked,
});
