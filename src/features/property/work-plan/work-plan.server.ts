import { z } from 'zod';
import { filteredProjects } from '../../../domain/permission/project-reach.server.ts';
import {
  chooseOf,
  cycleOf,
  generatePlanOrders,
  rotationOf,
  type CycleRow,
} from '../../../domain/work-plan/plan-orders.server.ts';
import { CALENDAR_DAYS, startsOf, type Cycle } from '../../../domain/work-plan/work-plan.rules.ts';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { endpoint, type Call } from '../../../kernel/server/registration.ts';
import { NOW } from '../../../kernel/server/resource/abilities/sets.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import { workPlan, type PlannedDay } from './work-plan.contract.ts';
import { companyRunning, PLAN_SCOPE } from './work-point.server.ts';

const MENU = workPlan.menu;
const DAY = 86_400_000;
/** Plans the calendar looks at together. */
const MOST_PLANS = 200;

const bound: BoundResource = bindResource(workPlan, {
  table: 'work_plan',
  scope: PLAN_SCOPE,
  joins: { project: 'project', category: { table: 'work_category', titleEn: 'name_en' } },
  columns: {
    points: '(SELECT count(*)::integer FROM work_plan_point x WHERE x.plan_id = t.id)',
    people: `(SELECT string_agg(s.name, '、' ORDER BY x.position, x.id) FROM work_plan_staff x JOIN staff s ON s.id = x.staff_id WHERE x.plan_id = t.id)`,
  },
  lines: {
    route: { table: 'work_plan_point', own: 'plan_id', joins: { point: 'work_point' } },
    rotation: { table: 'work_plan_staff', own: 'plan_id', joins: { staff: 'staff' } },
  },
  search: 't.search',
  unique: {
    work_plan_name: ['该项目已有同名计划', 'The project has a plan of this name'],
    work_plan_point_once: ['路线中有重复的点位', 'A point stands twice in the route'],
    work_plan_staff_once: ['轮值中有重复的人员', 'Somebody stands twice in the rotation'],
  },
  usedBy: { work_plan_point: false, work_plan_staff: false },
  before: [check],
  sets: { start: { acts_from: NOW } },
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/jinmao/web/workPlan/calendar',
      title: ['未来30天', 'The next 30 days'],
      access: { code: MENU },
      query: z.strictObject({
        project: z
          .string()
          .regex(/^(\d{1,15}(,\d{1,15}){0,99})?$/)
          .optional(),
        plan: z
          .string()
          .regex(/^\d{1,15}$/)
          .optional(),
      }),
      handle: (call) => calendar(call, call.query),
    }),
  ],
  also: {
    jobs: [
      {
        name: 'plan.generate',
        title: ['生成计划工单', 'Orders of plans'],
        cron: '*/5 * * * *',
        run: async (_payload, platform, context) => {
          const made = await generatePlanOrders(platform);
          if (made > 0) context?.print(`${made} 单 / orders`);
        },
      },
    ],
  },
});

/** Plans of work. */
export const registration = bound.registration;

interface LineInput {
  readonly point?: number | string;
  readonly staff?: number | string;
}

/** Days fit the cycle; points and people are of the project and can do what is asked. What was changed acts from now on. */
async function check({ tx, action, input, row, columns, caller }: ActionContext): Promise<void> {
  if (action !== 'create' && action !== 'update') return;
  const projectId = Number(action === 'create' ? input.project : row.project_id);
  const tenantId =
    action === 'create' ? await companyRunning(tx, caller, projectId) : (row.tenant_id as number);
  if (action === 'create') columns.tenant_id = tenantId;
  columns.acts_from = new Date();
  const now = (name: string, column: string) => (input[name] === undefined ? row[column] : input[name]);
  const cycle = now('cycle', 'cycle') as Cycle['cycle'];
  columns.days = daysFor(cycle, String(now('days', 'days') ?? ''));
  const [from, to] = [String(now('validFrom', 'valid_from')), now('validTo', 'valid_to')];
  if (to && String(to) < from)
    throw invalid({ validTo: ['失效日期早于生效日期', 'It ends before it begins'] });
  const category = await runOne<{ ok: boolean }>(
    tx,
    'SELECT (tenant_id IS NULL OR tenant_id = $2) AS ok FROM work_category WHERE id = $1',
    [now('category', 'category_id'), tenantId],
  );
  if (!category?.ok) throw invalid({ category: ['没有此分类', 'There is no such category'] });
  const signIn = now('signIn', 'sign_in');
  const points =
    input.route === undefined
      ? (
          await run<{ point_id: number }>(tx, 'SELECT point_id FROM work_plan_point WHERE plan_id = $1', [
            row.id,
          ])
        ).map((one) => one.point_id)
      : (input.route as readonly LineInput[]).map((one) => Number(one.point));
  const found = await run<{ name: string; placed: boolean }>(
    tx,
    'SELECT name, longitude IS NOT NULL AS placed FROM work_point WHERE id = ANY($1::bigint[]) AND project_id = $2',
    [points, projectId],
  );
  if (found.length < new Set(points).size)
    throw invalid({ route: ['点位须属于该项目', 'Only points of the project'] });
  const unplaced = signIn === 'position' ? found.find((one) => !one.placed) : undefined;
  if (unplaced)
    throw invalid({
      route: [`点位「${unplaced.name}」未设置坐标`, `Point “${unplaced.name}” has no position`],
    });
  if (input.rotation === undefined) return;
  const staff = (input.rotation as readonly LineInput[]).map((one) => Number(one.staff));
  const able = await runOne<{ n: number }>(
    tx,
    `SELECT count(*)::integer AS n FROM staff s WHERE s.id = ANY($1::bigint[]) AND s.tenant_id = $2 AND s.state = 'normal' AND s.is_service_staff
        AND (s.all_projects OR EXISTS (SELECT FROM staff_project x WHERE x.staff_id = s.id AND x.project_id = $3))`,
    [staff, tenantId, projectId],
  );
  if (able!.n < new Set(staff).size)
    throw invalid({
      rotation: ['须为负责该项目的在职服务人员', 'Only service staff who work in the project'],
    });
}

function daysFor(cycle: Cycle['cycle'], text: string): string {
  if (cycle === 'day') return '';
  const most = cycle === 'week' ? 7 : 31;
  const days = [...new Set(text.split(',').filter(Boolean).map(Number))].sort((a, b) => a - b);
  if (days.length === 0) throw invalid({ days: ['请选择日期', 'Choose the days'] });
  if (days.some((day) => day < 1 || day > most))
    throw invalid({ days: [`须在1到${most}之间`, `Between 1 and ${most}`] });
  return days.join(',');
}

type CalendarPlan = CycleRow & {
  readonly id: number;
  readonly name: string;
  readonly project: string;
  readonly duration: number;
  readonly turn: number;
  readonly acts_from: Date;
};

/** What running plans bring in the next 30 days, orders that are made included; with one plan asked for also a draft. */
async function calendar(
  { caller, platform }: Pick<Call, 'caller' | 'platform'>,
  asked: { readonly project?: string | undefined; readonly plan?: string | undefined },
): Promise<PlannedDay[]> {
  const { db } = platform.database;
  const parameters = new Parameters();
  const parts = [scopeCondition(caller, MENU, PLAN_SCOPE, parameters)];
  if (asked.plan) parts.push(`t.id = ${parameters.bind(Number(asked.plan))}`);
  else parts.push(`t.state = 'running'`);
  if (asked.project)
    parts.push(
      `t.project_id = ANY(${parameters.bind(filteredProjects(caller, 'project', asked.project))}::bigint[])`,
    );
  const plans = await run<CalendarPlan>(
    db,
    `SELECT t.*, p.name AS project FROM work_plan t JOIN project p ON p.id = t.project_id WHERE ${parts.join(' AND ')} ORDER BY t.id LIMIT ${MOST_PLANS}`,
    parameters.values,
  );
  const now = new Date();
  const until = new Date(now.getTime() + CALENDAR_DAYS * DAY);
  const days: PlannedDay[] = [];
  for (const plan of plans) {
    const orders = await run<{
      id: number;
      code: string;
      status: string;
      plan_start: Date;
      person: string | null;
    }>(
      db,
      `SELECT o.id, o.code, o.status, o.plan_start, h.name AS person FROM work_order o LEFT JOIN staff h ON h.id = o.handler_id
        WHERE o.plan_id = $1 AND o.plan_end > $2 AND o.plan_start <= $3 ORDER BY o.plan_start`,
      [plan.id, now, until],
    );
    const line = (start: Date, person: string | null, order: PlannedDay['order']): PlannedDay => ({
      start: isoInstant(start),
      end: isoInstant(new Date(start.getTime() + plan.duration * 60_000)),
      plan: plan.name,
      planId: String(plan.id),
      project: plan.project,
      person,
      order,
    });
    for (const order of orders)
      days.push(
        line(order.plan_start, order.person, {
          id: String(order.id),
          code: order.code,
          state: order.status,
        }),
      );
    const made = new Set(orders.map((order) => order.plan_start.getTime()));
    const people = await rotationOf(db, plan.id, now, until);
    let { turn } = plan;
    for (const start of startsOf(cycleOf(plan), now, until)) {
      if (made.has(start.getTime())) continue;
      const chosen = chooseOf(people, turn, start, new Date(start.getTime() + plan.duration * 60_000));
      turn = chosen.next;
      days.push(line(start, chosen.person?.name ?? null, null));
    }
  }
  return days.sort((a, b) => (a.start < b.start ? -1 : a.start > b.start ? 1 : 0));
}
