import { z } from 'zod';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { run } from '../../../kernel/server/database.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { Parameters, placeCondition, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { endpoint, type Call } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { START_OF_TODAY } from '../../../kernel/server/today.ts';
import { filteredProjects } from '../../../domain/permission/project-reach.server.ts';
import { calendarHours } from '../../../domain/work-order/calendar.server.ts';
import { candidatesOf } from '../../../domain/work-order/candidates.server.ts';
import { readClock, type HoursOf } from '../../../domain/work-order/sla.rules.ts';
import { workOrderScope } from '../../../domain/work-order/work-order-scope.server.ts';
import { OPEN_STATES, type WorkState } from '../../../domain/work-order/work-order-words.rules.ts';
import { workOrderBinding } from '../work-order/work-order.server.ts';
import { maintenance, type Board, type BoardCard } from './maintenance.contract.ts';

const ROOT = '/jinmao/web/maintenance';
const MENU = maintenance.menu;
/** Cards a column shows; the count says how many there are. */
const MOST = 100;

const bound: BoundResource = bindResource(maintenance, {
  ...workOrderBinding,
  where: `t.type = 'complaint_repair'`,
  writes: { ...workOrderBinding.writes, class: 'class' },
  scope: workOrderScope(MENU),
  endpoints: [
    endpoint({
      method: 'GET',
      path: `${ROOT}/board`,
      title: ['派单台', 'Board'],
      access: { code: MENU },
      query: z.strictObject({
        project: z
          .string()
          .regex(/^\d{0,15}(,\d{1,15}){0,100}$/)
          .default(''),
      }),
      handle: (call) => board(call, call.query.project),
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/:id/candidates`,
      title: ['可派人员', 'People the order could be given to'],
      access: { code: `${MENU}:btn_dispatch` },
      handle: async (call) => {
        const id = idOf(call.params.id);
        await bound.find(call, id);
        const language = call.facts.language === 'zh' ? 0 : 1;
        return (await candidatesOf(call.platform.database.db, id)).map((one) => ({
          id: String(one.id),
          name: one.name,
          open: one.open,
          finishedToday: one.finishedToday,
          refusal: one.refusal?.[language] ?? null,
        }));
      },
    }),
  ],
});

/** The repair desk. */
export const registration = bound.registration;

interface CardRow {
  readonly id: number;
  readonly version: number;
  readonly code: string;
  readonly title: string;
  readonly status: WorkState;
  readonly urgency: BoardCard['urgency'];
  readonly category: string | null;
  readonly category_en: string | null;
  readonly address: string;
  readonly handler_id: number | null;
  readonly handler: string | null;
  readonly to_dispatch: boolean;
  readonly total: number;
  readonly calendar_id: number | null;
  readonly target_minutes: number | null;
  readonly paused_minutes: number;
  readonly paused_since: Date | null;
  readonly started_at: Date | null;
}

/** Open repairs by state, what is due first on top, and the people on duty. */
async function board(call: Call, project: string): Promise<Board> {
  const { caller, platform, facts } = call;
  const { db } = platform.database;
  const parameters = new Parameters();
  const within = project
    ? `AND t.project_id = ANY(${parameters.bind(filteredProjects(caller, 'project', project))}::bigint[])`
    : '';
  const rows = await run<CardRow>(
    db,
    `SELECT * FROM (SELECT t.id, t.version, t.code, t.title, t.status, t.urgency, t.address, t.handler_id, t.to_dispatch, t.sla_due_at, c.name AS category, c.name_en AS category_en, h.name AS handler,
            count(*) OVER (PARTITION BY t.status)::integer AS total, row_number() OVER (PARTITION BY t.status ORDER BY t.sla_due_at NULLS LAST, t.id) AS place,
            k.calendar_id, k.target_minutes, k.paused_minutes, k.paused_since, k.started_at
       FROM work_order t LEFT JOIN work_category c ON c.id = t.category_id LEFT JOIN staff h ON h.id = t.handler_id
       LEFT JOIN LATERAL (SELECT * FROM sla_clock x WHERE x.order_id = t.id AND x.stopped_at IS NULL ORDER BY x.target = 'response' DESC, x.round DESC LIMIT 1) k ON true
      WHERE t.type = 'complaint_repair' AND t.class = 'repair' AND t.status = ANY(${parameters.bind([...OPEN_STATES])}::text[]) ${within}
        AND ${scopeCondition(caller, MENU, workOrderScope(MENU), parameters)}) x WHERE place <= ${MOST} ORDER BY place`,
    parameters.values,
  );
  const now = new Date();
  const calendars = new Map<number, HoursOf>();
  for (const id of new Set(rows.flatMap((row) => row.calendar_id ?? [])))
    calendars.set(id, await calendarHours(db, id));
  const card = (row: CardRow): BoardCard => {
    const reading =
      row.calendar_id === null
        ? undefined
        : readClock(
            {
              startedAt: row.started_at!,
              targetMinutes: row.target_minutes!,
              pausedMinutes: row.paused_minutes,
              pausedSince: row.paused_since,
              stoppedAt: null,
            },
            now,
            calendars.get(row.calendar_id)!,
          );
    return {
      id: String(row.id),
      version: row.version,
      code: row.code,
      title: row.title,
      state: row.status,
      urgency: row.urgency,
      category: (facts.language === 'en' && row.category_en) || (row.category ?? ''),
      address: row.address,
      handler: row.handler_id === null ? null : { id: String(row.handler_id), title: row.handler! },
      waits: row.to_dispatch,
      dueAt: reading ? isoInstant(reading.dueAt) : null,
      targetMinutes: row.target_minutes ?? 0,
      usedMinutes: reading?.usedMinutes ?? 0,
      paused: row.paused_since !== null,
    };
  };
  return {
    at: isoInstant(now),
    columns: OPEN_STATES.map((state) => {
      const own = rows.filter((row) => row.status === state);
      return { state, count: own[0]?.total ?? 0, cards: own.map(card) };
    }),
    people: await peopleOf(call, project),
  };
}

/** Service staff on duty in the projects asked for: not on leave at this moment. */
async function peopleOf({ caller, platform, facts }: Call, project: string): Promise<Board['people']> {
  const parameters = new Parameters();
  const parts = [
    placeCondition(
      caller,
      {
        tenant: 's.tenant_id',
        project: (ids) =>
          `(EXISTS (SELECT FROM staff_project sp WHERE sp.staff_id = s.id AND sp.project_id = ANY(${ids}::bigint[]))
            OR (s.all_projects AND EXISTS (SELECT FROM tenant_project tp WHERE tp.tenant_id = s.tenant_id AND tp.project_id = ANY(${ids}::bigint[]))))`,
      },
      parameters,
    ),
  ];
  if (project) {
    const ids = `${parameters.bind(filteredProjects(caller, 'project', project))}::bigint[]`;
    parts.push(
      `(EXISTS (SELECT FROM staff_project sp WHERE sp.staff_id = s.id AND sp.project_id = ANY(${ids}))
        OR (s.all_projects AND EXISTS (SELECT FROM tenant_project tp WHERE tp.tenant_id = s.tenant_id AND tp.project_id = ANY(${ids}))))`,
    );
  }
  const rows = await run<{
    id: number;
    name: string;
    skills: string[];
    area: string | null;
    open: number;
    finished_today: number;
  }>(
    platform.database.db,
    `SELECT s.id, s.name, ARRAY(SELECT ${facts.language === 'zh' ? 'v.name' : 'v.name_en'} FROM dictionary_value v JOIN dictionary_type d ON d.id = v.type_id AND d.code = 'staff_skill'
              WHERE v.value = ANY(s.skills) ORDER BY v.position) AS skills,
            CASE WHEN s.all_projects THEN NULL ELSE (SELECT string_agg(p.name, '、' ORDER BY p.id) FROM staff_project sp JOIN project p ON p.id = sp.project_id WHERE sp.staff_id = s.id
              ${caller.projectIds ? `AND p.id = ANY(${parameters.bind(caller.projectIds)}::bigint[])` : ''}) END AS area,
            w.open, coalesce(f.orders, 0) AS finished_today
       FROM staff s JOIN tenant c ON c.id = s.tenant_id AND c.kind = 1
       CROSS JOIN LATERAL (SELECT count(*)::integer AS open FROM work_order x WHERE x.handler_id = s.id AND x.status IN ('to_accept', 'accepted', 'processing', 'paused')) w
       LEFT JOIN (SELECT handler_id, count(*)::integer AS orders FROM work_order WHERE status = 'finished' AND finished_at >= ${START_OF_TODAY} GROUP BY handler_id) f ON f.handler_id = s.id
      WHERE s.is_service_staff AND s.state = 'normal' AND ${parts.join(' AND ')}
        AND NOT EXISTS (SELECT FROM leave_record l WHERE l.staff_id = s.id AND l.kind = 'leave' AND l.state = 'approved' AND l.starts_at <= now() AND l.ends_at > now())
      ORDER BY w.open, s.id LIMIT 200`,
    parameters.values,
  );
  return rows.map((row) => ({
    id: String(row.id),
    name: row.name,
    skills: row.skills,
    area: row.area ?? '',
    open: row.open,
    finishedToday: row.finished_today,
  }));
}
