import { z } from 'zod';
import { maskValue } from '../../../kernel/contract/mask.rules.ts';
import {
  addDays,
  daysBetween,
  endOfBusinessDay,
  isBusinessDay,
  isoInstant,
  startOfBusinessDay,
} from '../../../kernel/contract/time.rules.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition, type ScopeColumns } from '../../../kernel/server/people/scope.ts';
import { endpoint, type Endpoint } from '../../../kernel/server/registration.ts';
import { businessMinutesBetween } from '../../../domain/business-calendar/business-hours.server.ts';
import { LIVE_VISITS } from '../../../domain/home-service/appointment/visit-words.rules.ts';
import { appointment, type CalendarAnswer } from './appointment.contract.ts';

const MENU = appointment.menu;
const ids = z
  .string()
  .regex(/^(\d{1,15}(,\d{1,15}){0,99})?$/)
  .default('');
const query = z.strictObject({
  from: z.string().max(10),
  to: z.string().max(10),
  project: ids,
  service: ids,
  person: ids,
});
/** Most days of one look at the calendar. */
const MAX_DAYS = 31;

/** Calendar of some days with its figures, inside the caller's scope. Source: group 07, mm_appointment; Reports and drill. */
export function calendarEndpoints(scope: ScopeColumns): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/jinmao/web/appointment/calendar',
      title: ['预约日历', 'Calendar of appointments'],
      access: { code: MENU },
      query,
      handle: (call) => calendarOf(call.platform.database.db, call.caller, scope, call.query),
    }),
  ];
}

type Asked = z.infer<typeof query>;

async function calendarOf(
  db: Executor,
  caller: Caller,
  scope: ScopeColumns,
  asked: Asked,
): Promise<CalendarAnswer> {
  if (!isBusinessDay(asked.from) || !isBusinessDay(asked.to) || asked.to < asked.from)
    throw invalid({ from: ['日期不正确', 'The date is not valid'] });
  if (daysBetween(asked.from, asked.to) >= MAX_DAYS)
    throw invalid({ to: [`最多${MAX_DAYS}天`, `At most ${MAX_DAYS} days`] });
  const cut = () => {
    const parameters = new Parameters();
    const parts = [
      `t.starts_at >= ${parameters.bind(startOfBusinessDay(asked.from))}`,
      `t.starts_at <= ${parameters.bind(endOfBusinessDay(asked.to))}`,
      scopeCondition(caller, MENU, scope, parameters),
    ];
    for (const [name, column] of [
      ['project', 't.project_id'],
      ['service', 't.product_id'],
      ['person', 't.person_id'],
    ] as const)
      if (asked[name] !== '')
        parts.push(`${column} = ANY(${parameters.bind(asked[name].split(',').map(Number))}::bigint[])`);
    return { parameters, where: parts.join(' AND ') };
  };
  const [visits, cards, days, heat] = await Promise.all([
    visitsOf(db, cut()),
    cardsOf(db, cut()),
    daysOf(db, caller, scope, asked),
    heatOf(db, cut()),
  ]);
  const services = new Map(visits.map((visit) => [visit.serviceId, visit.service]));
  return {
    visits,
    people: await peopleOf(db, caller, scope, asked),
    services: [...services].map(([id, name]) => ({ id, name })),
    days,
    cards,
    heat,
  };
}

interface Cut {
  readonly parameters: Parameters;
  readonly where: string;
}

async function visitsOf(db: Executor, { parameters, where }: Cut): Promise<CalendarAnswer['visits']> {
  const live = parameters.bind([...LIVE_VISITS]);
  const rows = await run<{
    id: number;
    version: number;
    code: string;
    state: string;
    name: string;
    product_id: number;
    contact_name: string;
    address: string;
    project: string;
    starts_at: Date;
    ends_at: Date;
    busy_from: Date;
    busy_to: Date;
    person_id: number | null;
    overbooked: boolean;
    conflict: boolean;
  }>(
    db,
    `SELECT t.id, t.version, t.code, t.state, s.name, t.product_id, t.contact_name, t.address, p.name AS project, t.starts_at, t.ends_at,
            lower(t.busy) AS busy_from, upper(t.busy) AS busy_to, t.person_id, t.overbooked,
            (t.person_id IS NOT NULL AND t.state = ANY(${live}::text[]) AND EXISTS (SELECT FROM appointment x WHERE x.person_id = t.person_id
              AND x.id <> t.id AND x.state = ANY(${live}::text[]) AND x.busy && t.busy AND t.alone)) AS conflict
       FROM appointment t JOIN product s ON s.id = t.product_id JOIN project p ON p.id = t.project_id
      WHERE ${where} AND t.state <> 'released' ORDER BY t.starts_at, t.id LIMIT 2000`,
    parameters.values,
  );
  return rows.map((row) => ({
    id: String(row.id),
    version: row.version,
    code: row.code,
    state: row.state,
    service: row.name,
    serviceId: String(row.product_id),
    contact: maskValue('name', row.contact_name),
    address: row.address,
    project: row.project,
    startsAt: isoInstant(row.starts_at),
    endsAt: isoInstant(row.ends_at),
    busyFrom: isoInstant(row.busy_from),
    busyTo: isoInstant(row.busy_to),
    personId: row.person_id === null ? null : String(row.person_id),
    overbooked: row.overbooked,
    conflict: row.conflict,
  }));
}

/** Figures of the range, by the definitions of the group's reports. */
async function cardsOf(db: Executor, { parameters, where }: Cut): Promise<CalendarAnswer['cards']> {
  const row = (await runOne<{
    visits: number;
    done: number;
    missed: number;
    over: number;
    started: number;
    punctual: number;
    taken: number | null;
    capacity: number | null;
    accepted: { paid: string; at: string }[];
  }>(
    db,
    `WITH v AS (SELECT t.* FROM appointment t WHERE ${where})
     SELECT count(*) FILTER (WHERE state <> 'released') AS visits, count(*) FILTER (WHERE state = 'done') AS done,
            count(*) FILTER (WHERE state = 'no_show') AS missed, count(*) FILTER (WHERE overbooked AND state <> 'released') AS over,
            count(*) FILTER (WHERE started_at IS NOT NULL) AS started,
            count(*) FILTER (WHERE started_at <= starts_at + interval '15 minutes') AS punctual,
            (SELECT sum(s.taken)::integer FROM service_slot s WHERE s.starts_at <= now() AND s.id IN (SELECT slot_id FROM v)) AS taken,
            (SELECT sum(s.capacity)::integer FROM service_slot s WHERE s.starts_at <= now() AND s.id IN (SELECT slot_id FROM v)) AS capacity,
            coalesce((SELECT json_agg(json_build_object('paid', x.paid_at, 'at', x.accepted_at)) FROM
              (SELECT paid_at, accepted_at FROM v WHERE paid_at IS NOT NULL AND accepted_at >= paid_at ORDER BY id DESC LIMIT 200) x), '[]') AS accepted
       FROM v`,
    parameters.values,
  ))!;
  let minutes = 0;
  for (const one of row.accepted)
    minutes += await businessMinutesBetween(db, new Date(one.paid), new Date(one.at));
  return {
    visits: row.visits,
    occupancy: percentOf(row.taken ?? 0, row.capacity ?? 0),
    noShow: percentOf(row.missed, row.done + row.missed),
    overbooked: row.over,
    acceptMinutes: row.accepted.length === 0 ? null : Math.round(minutes / row.accepted.length),
    punctual: percentOf(row.punctual, row.started),
  };
}

/** Booked places and capacity of each day: of all times offered by services the caller sees visits of, and of those that were. */
async function daysOf(
  db: Executor,
  caller: Caller,
  scope: ScopeColumns,
  asked: Asked,
): Promise<CalendarAnswer['days']> {
  const parameters = new Parameters();
  const since = parameters.bind(startOfBusinessDay(asked.from));
  const until = parameters.bind(startOfBusinessDay(addDays(asked.to, 1)));
  const columns = { tenant: 't.tenant_id', project: 't.project_id' };
  const parts = [scopeCondition(caller, MENU, { ...scope, ...columns, owner: 'NULL::bigint' }, parameters)];
  if (asked.project !== '')
    parts.push(`t.project_id = ANY(${parameters.bind(asked.project.split(',').map(Number))}::bigint[])`);
  if (asked.service !== '')
    parts.push(`t.product_id = ANY(${parameters.bind(asked.service.split(',').map(Number))}::bigint[])`);
  const where = parts.join(' AND ');
  const rows = await run<{ day: string; booked: number; capacity: number }>(
    db,
    `SELECT to_char(x.starts_at AT TIME ZONE 'Asia/Shanghai', 'YYYY-MM-DD') AS day, sum(x.taken)::integer AS booked, sum(x.capacity)::integer AS capacity
       FROM (SELECT t.product_id, t.project_id, f.starts_at, f.capacity, f.taken
               FROM (SELECT s.id AS product_id, s.tenant_id, j.project_id FROM product s JOIN product_project j ON j.product_id = s.id
                      WHERE s.kind = 'service' AND s.status = 'published') t
              CROSS JOIN LATERAL service_times(t.product_id, t.project_id, ${since}::timestamptz, ${until}::timestamptz) f WHERE ${where}
             UNION
             SELECT t.product_id, t.project_id, t.starts_at, t.capacity, t.taken
               FROM (SELECT k.*, s.tenant_id FROM service_slot k JOIN product s ON s.id = k.product_id
                      WHERE k.starts_at >= ${since}::timestamptz AND k.starts_at < ${until}::timestamptz AND k.taken > 0) t WHERE ${where}) x
      GROUP BY 1`,
    parameters.values,
  );
  const found = new Map(rows.map((row) => [row.day, row]));
  const days: { day: string; booked: number; capacity: number }[] = [];
  for (let day = asked.from; day <= asked.to; day = addDays(day, 1))
    days.push(found.get(day) ?? { day, booked: 0, capacity: 0 });
  return days;
}

/** Columns of the calendar: people of merchants and projects the caller sees. */
async function peopleOf(
  db: Executor,
  caller: Caller,
  scope: ScopeColumns,
  asked: Asked,
): Promise<CalendarAnswer['people']> {
  const parameters = new Parameters();
  const condition = scopeCondition(
    caller,
    MENU,
    { ...scope, tenant: 't.tenant_id', project: 't.project_id', owner: 'NULL::bigint' },
    parameters,
  );
  const only =
    asked.person === ''
      ? ''
      : ` AND w.id = ANY(${parameters.bind(asked.person.split(',').map(Number))}::bigint[])`;
  const rows = await run<{ id: number; name: string; parallel: number }>(
    db,
    `SELECT w.id, w.name, w.parallel FROM service_person w WHERE w.enabled${only} AND EXISTS (
        SELECT FROM (SELECT w.tenant_id, j.project_id FROM service_person_project j WHERE j.person_id = w.id) t WHERE ${condition}) ORDER BY w.name, w.id LIMIT 60`,
    parameters.values,
  );
  return rows.map((row) => ({ id: String(row.id), name: row.name, parallel: row.parallel }));
}

async function heatOf(db: Executor, { parameters, where }: Cut): Promise<CalendarAnswer['heat']> {
  return run(
    db,
    `SELECT extract(isodow FROM t.starts_at AT TIME ZONE 'Asia/Shanghai')::integer AS weekday,
            extract(hour FROM t.starts_at AT TIME ZONE 'Asia/Shanghai')::integer AS hour, count(*)::integer AS visits
       FROM appointment t WHERE ${where} AND t.state <> 'released' GROUP BY 1, 2 ORDER BY 1, 2`,
    parameters.values,
  );
}

function percentOf(part: number, whole: number): string | null {
  return whole === 0 ? null : ((part / whole) * 100).toFixed(1);
}
