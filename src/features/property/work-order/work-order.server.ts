import { z } from 'zod';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, transaction, type Executor } from '../../../kernel/server/database.ts';
import { filesById } from '../../../kernel/server/files/files.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { endpoint, type RecordPrefix, type TodoKind } from '../../../kernel/server/registration.ts';
import { Refusal } from '../../../kernel/server/http/errors.ts';
import { fromInput, NOW } from '../../../kernel/server/resource/abilities/sets.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { Binding, DbRow } from '../../../kernel/server/resource/binding.ts';
import { dueJob } from '../../../kernel/server/resource/due-job.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import { finishEffect } from '../../../kernel/server/tasks/outbox.ts';
import { crmJob } from '../../../domain/crm/crm.server.ts';
import { candidatesOf } from '../../../domain/work-order/candidates.server.ts';
import { DISPATCH_EFFECT } from '../../../domain/work-order/create-work-order.server.ts';
import { tickClocks } from '../../../domain/work-order/sla-clock.server.ts';
import { workOrderScope, workOrderSight } from '../../../domain/work-order/work-order-scope.server.ts';
import {
  STEP_EXTRAS,
  STEP_READS,
  stepRules,
  workOrderSteps,
} from '../../../domain/work-order/work-order-steps.server.ts';
import { RATING_DAYS } from '../../../domain/work-order/work-order-words.rules.ts';
import { createOrder } from './work-order-create.server.ts';
import { clocksOf, feesOf, materialsOf } from './work-order-parts.server.ts';
import { workOrderOptions } from './work-order-options.server.ts';
import { workOrder } from './work-order.contract.ts';
import type { Resource } from '../../../kernel/contract/resource.ts';

const ROOT = '/jinmao/web/workOrder';
const MENU = workOrder.menu;
const OPEN = `t.status IN ('pending_system', 'to_accept', 'accepted', 'processing', 'paused')`;
const OVERDUE = `(${OPEN} AND t.sla_state IS DISTINCT FROM 'paused' AND coalesce(t.sla_due_at < now(), false))`;

/** Fields the form asks for that the domain's command writes. */
const BY_COMMAND = [
  'class',
  'project',
  'house',
  'building',
  'area',
  'address',
  'category',
  'urgency',
  'title',
  'description',
  'contactName',
  'contactPhone',
  'onBehalf',
  'images',
  'video',
  'expectedAt',
  'complainedStaff',
];

const picturesOf = ['images', 'beforeImages', 'afterImages'] as const;

/** How work orders stand in the database, under the list and the desk. */
export const workOrderBinding: Omit<Binding, 'scope'> = {
  table: 'work_order',
  entity: 'workOrder',
  from: `work_order t LEFT JOIN project p ON p.id = t.project_id LEFT JOIN building b ON b.id = t.building_id
    LEFT JOIN house ho ON ho.id = t.house_id LEFT JOIN work_category c ON c.id = t.category_id LEFT JOIN staff h ON h.id = t.handler_id
    LEFT JOIN staff cs ON cs.id = t.complained_staff_id LEFT JOIN work_order d ON d.id = t.duplicate_of`,
  stateColumn: 'status',
  columns: {
    state: 't.status',
    project: { id: 't.project_id', title: 'p.name' },
    building: { id: 't.building_id', title: 'b.name' },
    house: { id: 't.house_id', title: 'ho.number' },
    category: { id: 't.category_id', title: 'c.name', titleEn: 'c.name_en' },
    handler: { id: 't.handler_id', title: 'h.name' },
    complainedStaff: { id: 't.complained_staff_id', title: 'cs.name' },
    duplicateOf: { id: 't.duplicate_of', title: 'd.code' },
    source: 't.source::text',
    crmSync: 't.crm_sync::text',
    slaDue: 't.sla_due_at',
    overdue: OVERDUE,
    images: 't.image_ids::text[]',
    beforeImages: 't.before_image_ids::text[]',
    afterImages: 't.after_image_ids::text[]',
    video: 't.video_id',
    returned: 't.returned_count',
    transfers: 't.transfer_count',
    reopened: 't.reopen_count',
  },
  writes: Object.fromEntries([
    ...BY_COMMAND.map((name) => [name, false] as const),
    ['remark', false],
    ['result', false],
  ]),
  search: 't.search',
  searchExact: ['t.contact_name', 't.contact_phone', 't.crm_code'],
  tabs: {
    overdue: () => OVERDUE,
    mine: (caller, parameters) =>
      `(${OPEN} AND (t.handler_id = ${parameters.bind(caller.staffId)} OR ${parameters.bind(caller.staffId)} = ANY(t.helper_ids)))`,
    to_call: () => `(t.status = 'finished' AND t.callback_state = 'to_call')`,
  },
  filters: {
    source: codes('t.source', /^[1-4]$/),
    crmSync: codes('t.crm_sync', /^[0-2]$/),
    // A category finds what stands below it too.
    category: (value, parameters) => {
      const ids = value
        .split(',')
        .filter((id) => /^\d{1,15}$/.test(id))
        .map(Number);
      return `t.category_id IN (WITH RECURSIVE down AS (SELECT id FROM work_category WHERE id = ANY(${parameters.bind(ids)}::bigint[])
        UNION SELECT k.id FROM work_category k JOIN down ON k.parent_id = down.id) SELECT id FROM down)`;
    },
  },
  extra: STEP_EXTRAS,
  ruleReads: STEP_READS,
  rowRules: stepRules,
  sets: {
    ratingClose: { rating_closed_at: NOW },
    crmTaken: { crm_sync: 1, crm_code: fromInput('code'), crm_error: '' },
    crmRefused: { crm_sync: 2, crm_error: fromInput('reason') },
  },
  handlers: { ...workOrderSteps, create: createOrder },
  after: [tellTrade],
  present: async (rows, db) => {
    const files = await filesById(
      db,
      rows.flatMap((row) => [
        ...picturesOf.flatMap((name) => (row[name] as string[] | undefined) ?? []),
        ...(typeof row.video === 'string' ? [row.video] : []),
      ]),
    );
    for (const row of rows) {
      for (const name of picturesOf)
        if (row[name]) row[name] = (row[name] as string[]).flatMap((id) => files.get(id) ?? []);
      if (typeof row.video === 'string') row.video = files.get(row.video) ?? null;
    }
  },
  detail: async (db, id) => ({
    clocks: await clocksOf(db, id),
    materials: await materialsOf(db, id),
    fees: await feesOf(db, id),
    helpers: await helpersOf(db, id),
  }),
  optionNote: 't.title',
  revealPaths: {
    info: {
      contactName: 'contactName',
      contactPhone: 'contactTel',
      behalfName: 'behalfName',
      behalfPhone: 'behalfTel',
    },
  },
};

const bound: BoundResource = bindResource(workOrder, {
  ...workOrderBinding,
  where: `t.type IN ('complaint_repair', 'goods', 'service')`,
  scope: workOrderScope(MENU),
  endpoints: [
    endpoint({
      method: 'GET',
      path: `${ROOT}/similar`,
      title: ['同位置近期工单', 'Open orders of the place'],
      access: { code: `${MENU}:btn_add` },
      query: z.strictObject({
        project: z.string().regex(/^\d{1,15}$/),
        house: z
          .string()
          .regex(/^\d{0,15}$/)
          .default(''),
        area: z.string().max(60).default(''),
        category: z
          .string()
          .regex(/^\d{0,15}$/)
          .default(''),
      }),
      handle: async ({ caller, platform, query }) => {
        const parameters = new Parameters();
        if (!query.house && !query.area.trim()) return [];
        const place = query.house
          ? `t.house_id = ${parameters.bind(Number(query.house))}`
          : `t.project_id = ${parameters.bind(Number(query.project))} AND t.house_id IS NULL AND t.area = ${parameters.bind(query.area.trim())}`;
        const rows = await run<{ id: number; code: string; title: string; status: string; created_at: Date }>(
          platform.database.db,
          `SELECT t.id, t.code, t.title, t.status, t.created_at FROM work_order t WHERE ${place} AND ${OPEN} AND t.type = 'complaint_repair'
              AND t.category_id IS NOT DISTINCT FROM ${parameters.bind(query.category ? Number(query.category) : null)}
              AND t.created_at > now() - interval '7 days' AND ${scopeCondition(caller, MENU, workOrderScope(MENU), parameters)}
            ORDER BY t.id DESC LIMIT 10`,
          parameters.values,
        );
        return rows.map((row) => ({
          id: String(row.id),
          code: row.code,
          title: row.title,
          state: row.status,
          createdAt: isoInstant(row.created_at),
        }));
      },
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/:id/candidates`,
      title: ['可派人员', 'People the order could be given to'],
      access: { anyOf: [`${MENU}:btn_dispatch`, `${MENU}:btn_transfer`] },
      handle: async (call) => {
        const id = idOf(call.params.id);
        await bound.find(call, id);
        const language = call.facts.language === 'zh' ? 0 : 1;
        return (await candidatesOf(call.platform.database.db, id)).map((one) => ({
          id: String(one.id),
          name: one.name,
          skills: one.skills,
          open: one.open,
          finishedToday: one.finishedToday,
          refusal: one.refusal?.[language] ?? null,
        }));
      },
    }),
  ],
  also: {
    options: workOrderOptions,
    sights: [workOrderSight],
    prefixes: [orderPrefix()],
    todos: [
      todo(
        'wo_dispatch',
        ['待派单', 'Orders to dispatch'],
        30,
        'pending_system',
        `t.status = 'pending_system'`,
        'btn_dispatch',
      ),
      todo('wo_mine', ['我的工单', 'My work orders'], 31, 'mine', undefined),
      todo('wo_overdue', ['超时工单', 'Overdue work orders'], 32, 'overdue', OVERDUE),
      todo(
        'wo_callback',
        ['待回访工单', 'Orders to call back'],
        33,
        'to_call',
        `t.status = 'finished' AND t.callback_state = 'to_call'`,
        'btn_callback',
      ),
    ],
    effects: [
      {
        kind: DISPATCH_EFFECT,
        deliver: async (payload: { readonly orderId: number }, platform, outboxId) => {
          await transaction(platform.database.db, async (tx) => {
            if (!(await finishEffect(tx, outboxId))) return;
            const order = await runOne(
              tx,
              `SELECT 1 AS one FROM work_order WHERE id = $1 AND status = 'pending_system'`,
              [payload.orderId],
            );
            if (!order) return;
            await bound.actAsSystem(tx, platform, 'autoDispatch', payload.orderId).catch((error: unknown) => {
              // A dispatcher was faster.
              if (!(error instanceof Refusal)) throw error;
            });
          });
          platform.changed('workOrder');
        },
      },
    ],
    jobs: [
      {
        name: 'sla.tick',
        title: ['工单时效计时与升级', 'Clocks of work orders and their ladder'],
        cron: '* * * * *',
        run: async (_payload, platform) => void (await tickClocks(platform)),
      },
      dueJob(() => bound, {
        name: 'wo.accept_timeout',
        title: ['超时未接单退回', 'Orders nobody accepted in time'],
        cron: '* * * * *',
        action: 'acceptTimeout',
        when: 't.accept_due <= now()',
      }),
      dueJob(() => bound, {
        name: 'wo.resume',
        title: ['暂停工单到时恢复', 'Paused orders whose time has come'],
        cron: '* * * * *',
        action: 'resumeDue',
        when: 't.resume_at <= now()',
      }),
      dueJob(() => bound, {
        name: 'wo.rating_close',
        title: ['关闭逾期未评价', 'Orders nobody rated'],
        // 03:00 in Shanghai.
        cron: '0 19 * * *',
        action: 'ratingClose',
        when: `t.type = 'complaint_repair' AND t.rated_at IS NULL AND t.rating_closed_at IS NULL AND t.finished_at <= now() - interval '${RATING_DAYS} days'`,
      }),
      crmJob(() => bound, 'workOrder', {
        name: 'crm.work_orders',
        title: ['工单同步CRM', 'Telling the CRM of work orders'],
        number: 't.code',
        facts: `jsonb_build_object('class', t.class, 'status', t.status, 'urgency', t.urgency, 'projectId', t.project_id, 'houseId', t.house_id, 'title', t.title,
          'description', t.description, 'createdAt', t.created_at, 'finishedAt', t.finished_at, 'result', t.result, 'score', t.score_overall)`,
        where: `t.type = 'complaint_repair'`,
      }),
    ],
    invariants: [
      {
        name: 'material.stock',
        check: async (platform) => {
          const db = platform.database.db;
          const looked = await runOne<{ n: number }>(db, 'SELECT count(*) AS n FROM material');
          const broken = await run<{ what: string }>(
            db,
            `SELECT m.name || ' ' || m.id || ': stock ' || m.stock || ' <> moved ' || coalesce(sum(x.qty), 0) AS what
               FROM material m LEFT JOIN material_move x ON x.material_id = m.id GROUP BY m.id HAVING m.stock <> coalesce(sum(x.qty), 0) LIMIT 200`,
          );
          return { looked: looked!.n, problems: broken.map((row) => row.what) };
        },
      },
      {
        name: 'work_order.clocks',
        check: async (platform) => {
          const db = platform.database.db;
          const looked = await runOne<{ n: number }>(db, 'SELECT count(*) AS n FROM sla_clock');
          const broken = await run<{ what: string }>(
            db,
            `SELECT o.code || ': ' || o.status || ' with a running clock' AS what FROM sla_clock k JOIN work_order o ON o.id = k.order_id
              WHERE k.stopped_at IS NULL AND o.status IN ('finished', 'cancelled_by_member', 'cancelled_by_staff') LIMIT 200`,
          );
          return { looked: looked!.n, problems: broken.map((row) => row.what) };
        },
      },
    ],
  },
});

/** Work orders. */
export const registration = bound.registration;

/** The engine's functions of work orders, for the paths beside the list. */
export const boundWorkOrder = bound;

function codes(column: string, pattern: RegExp) {
  return (value: string, parameters: Parameters) => {
    const list = value.split(',');
    if (!list.every((one) => pattern.test(one)))
      throw invalid({ [column.slice(2)]: ['没有此选项', 'There is no such choice'] });
    return `${column} = ANY(${parameters.bind(list.map(Number))}::smallint[])`;
  };
}

/** What is done to an order of goods or services here is told on its own list too. */
async function tellTrade(context: ActionContext, id: number) {
  if (!context.row.sub_status) return [];
  const action = (workOrder.actions as Resource['actions'])![context.action]!;
  await writeTimeline(context.tx, {
    entity: 'tradeWorkOrder',
    entityId: id,
    caller: context.caller,
    action: context.action,
    label: action.label,
    ...(context.row.sub_status === 'placed' && context.action === 'start'
      ? { from: 'placed', to: 'processing' }
      : {}),
  });
  context.platform.changed('tradeWorkOrder');
  return [];
}

async function helpersOf(db: Executor, id: number) {
  const rows = await run<{ id: number; name: string }>(
    db,
    'SELECT s.id, s.name FROM work_order t JOIN staff s ON s.id = ANY(t.helper_ids) WHERE t.id = $1 ORDER BY s.id',
    [id],
  );
  return rows.map((row: DbRow) => ({ id: String(row.id), title: String(row.name) }));
}

/** Orders that wait for the caller; the count is that of the tab it opens. */
function todo(
  kind: string,
  label: readonly [string, string],
  order: number,
  tab: string,
  condition: string | undefined,
  element?: string,
): TodoKind {
  return {
    kind,
    label,
    menu: MENU,
    route: `/companymanager/cs_workOrder?tab=${tab}`,
    order,
    count: async ({ caller, platform }) => {
      if (element && !caller.elements.has(`${MENU}:${element}`))
        return { count: 0, oldest: null, overdue: 0 };
      const parameters = new Parameters();
      const which = condition ?? workOrderBinding.tabs!.mine!(caller, parameters);
      const row = await runOne<{ count: number; oldest: Date | null; overdue: number }>(
        platform.database.db,
        `SELECT count(*) AS count, min(t.created_at) AS oldest, count(*) FILTER (WHERE ${OVERDUE}) AS overdue FROM work_order t
          WHERE t.type IN ('complaint_repair', 'goods', 'service') AND ${which} AND ${scopeCondition(caller, MENU, workOrderScope(MENU), parameters)}`,
        parameters.values,
      );
      return row!;
    },
  };
}

/** WO numbers of the palette: whole, or the last six digits and more. */
function orderPrefix(): RecordPrefix {
  return {
    prefix: 'WO',
    menu: MENU,
    label: ['工单', 'Work order'],
    find: async ({ caller, platform }, number) => {
      const digits = number.replace(/\D/g, '');
      if (digits.length < 6) return [];
      const parameters = new Parameters();
      const rows = await run<{ id: number; code: string; title: string }>(
        platform.database.db,
        `SELECT t.id, t.code, t.title FROM work_order t WHERE t.type = 'complaint_repair' AND t.code LIKE ${parameters.bind(`WO%${digits}`)}
            AND ${scopeCondition(caller, MENU, workOrderScope(MENU), parameters)} ORDER BY t.id DESC LIMIT 10`,
        parameters.values,
      );
      return rows.map((row) => ({
        code: row.code,
        title: row.title,
        route: `/companymanager/${MENU}?detail=${row.id}`,
      }));
    },
  };
}
