import type { Label } from '../../../kernel/contract/label.ts';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, transaction, type Executor } from '../../../kernel/server/database.ts';
import { checkAttachable, filesById } from '../../../kernel/server/files/files.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { Refusal } from '../../../kernel/server/http/errors.ts';
import { holds, type Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { endpoint, type TodoKind } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import { dueJob } from '../../../kernel/server/resource/due-job.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { candidatesOf } from '../../../domain/work-order/candidates.server.ts';
import { writeEvent } from '../../../domain/work-order/work-order-event.server.ts';
import { planOrderSight, workOrderScope } from '../../../domain/work-order/work-order-scope.server.ts';
import {
  isDispatcher,
  stepRules,
  workOrderSteps,
} from '../../../domain/work-order/work-order-steps.server.ts';
import { checkIn, markAbsent, resultOf } from '../../../domain/work-plan/check-in.server.ts';
import { PLAN_RESULTS } from '../../../domain/work-plan/work-plan.rules.ts';
import { workOrderBinding } from '../work-order/work-order.server.ts';
import { planOrder, type RoundPoint } from './plan-order.contract.ts';

const ROOT = '/jinmao/web/planOrder';
const MENU = planOrder.menu;
const { state, project, category, handler, source, beforeImages, afterImages, returned, transfers } =
  workOrderBinding.columns!;

const bound: BoundResource = bindResource(planOrder, {
  table: 'work_order',
  entity: 'workOrder',
  from: `work_order t LEFT JOIN project p ON p.id = t.project_id LEFT JOIN building b ON b.id = t.building_id
    LEFT JOIN house ho ON ho.id = t.house_id LEFT JOIN work_category c ON c.id = t.category_id LEFT JOIN staff h ON h.id = t.handler_id
    LEFT JOIN work_plan wp ON wp.id = t.plan_id`,
  where: `t.type = 'plan'`,
  stateColumn: 'status',
  columns: {
    state: state!,
    project: project!,
    category: category!,
    handler: handler!,
    source: source!,
    beforeImages: beforeImages!,
    afterImages: afterImages!,
    returned: returned!,
    transfers: transfers!,
    plan: { id: 't.plan_id', title: 'wp.name' },
    place: `coalesce(nullif(concat_ws(' ', b.name, ho.number, nullif(t.area, '')), ''),
      (SELECT string_agg(n.name, '、' ORDER BY k.position) FROM work_plan_task k JOIN work_point n ON n.id = k.point_id WHERE k.order_id = t.id), '')`,
    progress: `(SELECT count(k.checked_at) || '/' || count(*) FROM work_plan_task k WHERE k.order_id = t.id)`,
  },
  writes: { remark: false, result: false },
  scope: workOrderScope(MENU),
  search: 't.search',
  filters: { category: workOrderBinding.filters!.category! },
  tabs: { mine: workOrderBinding.tabs!.mine! },
  extra: workOrderBinding.extra!,
  ruleReads: workOrderBinding.ruleReads!,
  rowRules: {
    accept: stepRules.accept,
    return: stepRules.return,
    transfer: stepRules.transfer,
    start: stepRules.start,
    checkIn: stepRules.start,
    pause: stepRules.pause,
    resume: stepRules.resume,
    finish: stepRules.finish,
    urge: stepRules.urge,
    dispatch: (_row: DbRow, caller: Caller): Label | undefined =>
      isDispatcher(caller) ? undefined : ['仅调度可操作', 'Only dispatchers may do this'],
    close: (row: DbRow, caller: Caller): Label | undefined =>
      (row.state === 'processing' || row.state === 'paused') && !holds(caller, `${MENU}:btn_forceClose`)
        ? ['已开始处理的工单需强制关闭权限', 'Work has begun: the right to force it is needed']
        : undefined,
  },
  handlers: {
    dispatch: workOrderSteps.dispatch,
    accept: workOrderSteps.accept,
    return: workOrderSteps.return,
    transfer: workOrderSteps.transfer,
    start: workOrderSteps.start,
    pause: workOrderSteps.pause,
    resume: workOrderSteps.resume,
    resumeDue: workOrderSteps.resume,
    urge: workOrderSteps.urge,
    remark: workOrderSteps.remark,
    close: workOrderSteps.close,
    checkIn: signIn,
    finish,
    absent,
  },
  present: async (rows, db) => {
    const files = await filesById(
      db,
      rows.flatMap((row) =>
        (['beforeImages', 'afterImages'] as const).flatMap(
          (name) => (row[name] as string[] | undefined) ?? [],
        ),
      ),
    );
    for (const row of rows)
      for (const name of ['beforeImages', 'afterImages'] as const)
        if (row[name]) row[name] = (row[name] as string[]).flatMap((id) => files.get(id) ?? []);
  },
  detail: async (db, id) => ({ points: await pointsOf(db, id) }),
  optionNote: 't.title',
  endpoints: [
    endpoint({
      method: 'GET',
      path: `${ROOT}/:id/candidates`,
      title: ['可派人员', 'People the order could be given to'],
      access: { code: `${MENU}:btn_transfer` },
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
  also: {
    sights: [planOrderSight],
    todos: [
      todo(
        'plan_dispatch',
        ['计划工单待派', 'Planned orders nobody has'],
        34,
        'pending_system',
        'btn_transfer',
      ),
      todo('plan_mine', ['我的计划工单', 'My planned orders'], 35, 'mine'),
    ],
    jobs: [
      {
        name: 'plan.close',
        title: ['计划工单缺勤', 'Planned orders nobody began'],
        cron: '*/5 * * * *',
        run: async (_payload, platform, context) => {
          const closed = await closeAbsent(platform);
          if (closed > 0) context?.print(`${closed} 单 / orders`);
        },
      },
      dueJob(() => bound, {
        name: 'plan.resume',
        title: ['暂停的计划工单到时恢复', 'Paused planned orders whose time has come'],
        cron: '* * * * *',
        action: 'resumeDue',
        when: 't.resume_at <= now()',
      }),
    ],
  },
});

/** Planned orders. */
export const registration = bound.registration;

/** btn_checkIn 点位签到: by its handler, in the way the plan asks for. */
async function signIn(context: ActionContext): Promise<ActionResult> {
  const { tx, id, input, row, caller } = context;
  const photos = (input.photos as string[] | null | undefined) ?? [];
  await checkAttachable(tx, caller, 'photos', photos);
  const done = await checkIn(tx, id, {
    pointId: Number(input.point),
    code: String(input.code ?? ''),
    position: String(input.position ?? ''),
    imageIds: photos,
    staffId: caller.staffId,
  });
  const remark = `${done.name} · ${PLAN_RESULTS[done.state].label.join(' / ')}`;
  await writeEvent(tx, id, 'checkIn', remark, caller, photos);
  return { set: { started_at: row.started_at ?? new Date() }, remark };
}

/** btn_finish 完成: every point was visited; the round went as the worst of them. */
async function finish(context: ActionContext): Promise<ActionResult> {
  const plan_result = await resultOf(context.tx, context.id);
  const done = await workOrderSteps.finish(context);
  return { ...done, set: { ...done.set, plan_result, callback_state: 'none' } };
}

async function absent({ tx, id }: ActionContext): Promise<ActionResult> {
  await markAbsent(tx, id);
  await writeEvent(tx, id, 'absent', '逾时未开始，缺勤 / Not begun in time: absent');
  return {
    set: {
      plan_result: 'absent',
      cancel_reason: '缺勤 / Absent',
      cancelled_at: new Date(),
      to_dispatch: false,
    },
  };
}

/** Ends what nobody began until the end of its window and the grace of its project. Returns how many. */
export async function closeAbsent(platform: Platform, now = new Date()): Promise<number> {
  const { db } = platform.database;
  const rows = await run<{ id: number; project_id: number; tenant_id: number; plan_end: Date }>(
    db,
    `SELECT id, project_id, tenant_id, plan_end FROM work_order WHERE type = 'plan' AND plan_end <= $1 AND status IN ('pending_system', 'to_accept', 'accepted') ORDER BY id LIMIT 2000`,
    [now],
  );
  let closed = 0;
  for (const row of rows) {
    const grace = await platform.settings.number('plan.grace', {
      projectId: row.project_id,
      tenantId: row.tenant_id,
    });
    if (row.plan_end.getTime() + grace * 60_000 > now.getTime()) continue;
    await transaction(db, (tx) => bound.actAsSystem(tx, platform, 'absent', row.id))
      .then(() => (closed += 1))
      .catch((error: unknown) => {
        // Somebody began it in this moment.
        if (!(error instanceof Refusal)) throw error;
      });
  }
  if (closed > 0) platform.changed('workOrder');
  return closed;
}

async function pointsOf(db: Executor, id: number): Promise<RoundPoint[]> {
  const rows = await run<{
    id: number;
    point_id: number;
    name: string;
    place: string;
    sign_in: RoundPoint['signIn'];
    photo_required: boolean;
    checked_at: Date | null;
    by: string | null;
    distance: number | null;
    image_ids: string[];
    state: RoundPoint['state'];
  }>(
    db,
    `SELECT k.id, k.point_id, n.name, n.place, k.sign_in, k.photo_required, k.checked_at, s.name AS by, k.distance, k.image_ids::text[] AS image_ids, k.state
       FROM work_plan_task k JOIN work_point n ON n.id = k.point_id LEFT JOIN staff s ON s.id = k.checked_by WHERE k.order_id = $1 ORDER BY k.position`,
    [id],
  );
  const files = await filesById(
    db,
    rows.flatMap((row) => row.image_ids),
  );
  return rows.map((row) => ({
    id: String(row.id),
    pointId: String(row.point_id),
    name: row.name,
    place: row.place,
    signIn: row.sign_in,
    photoRequired: row.photo_required,
    checkedAt: row.checked_at ? isoInstant(row.checked_at) : null,
    by: row.by,
    distance: row.distance,
    photos: row.image_ids.flatMap((one) => files.get(one) ?? []),
    state: row.state,
  }));
}

/** Rounds that wait for the caller; the count is that of the tab it opens. */
function todo(kind: string, label: Label, order: number, tab: string, element?: string): TodoKind {
  return {
    kind,
    label,
    menu: MENU,
    route: `/companymanager/${MENU}?tab=${tab}`,
    order,
    count: async ({ caller, platform }) => {
      if (element && !caller.elements.has(`${MENU}:${element}`))
        return { count: 0, oldest: null, overdue: 0 };
      const parameters = new Parameters();
      const which = tab === 'mine' ? workOrderBinding.tabs!.mine!(caller, parameters) : `t.status = '${tab}'`;
      return (await runOne<{ count: number; oldest: Date | null; overdue: number }>(
        platform.database.db,
        `SELECT count(*) AS count, min(t.created_at) AS oldest, count(*) FILTER (WHERE t.plan_end < now()) AS overdue FROM work_order t
          WHERE t.type = 'plan' AND ${which} AND ${scopeCondition(caller, MENU, workOrderScope(MENU), parameters)}`,
        parameters.values,
      ))!;
    },
  };
}
