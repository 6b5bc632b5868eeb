import { runOne, type Executor } from '../../../kernel/server/database.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { Binding, DbRow } from '../../../kernel/server/resource/binding.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import { Parameters, scopeCondition, type ScopeColumns } from '../../../kernel/server/people/scope.ts';
import { run } from '../../../kernel/server/database.ts';
import { endpoint, type OptionSource, type RecordPrefix } from '../../../kernel/server/registration.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { invalid, notFound } from '../../../kernel/server/http/errors.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { z } from 'zod';
import {
  assignVisit,
  finishVisit,
  markNoShow,
  rescheduleVisit,
  startVisit,
} from '../../../domain/home-service/appointment/visit-commands.server.ts';
import { stopService, type Stop } from '../../../domain/home-service/service-stop.server.ts';
import { requireProjectsInReach } from '../../../domain/permission/project-reach.server.ts';
import type { Visit } from '../../../domain/home-service/appointment/visit-record.server.ts';
import { finishInput } from '../service-order/service-order-actions.server.ts';
import { createServiceOrder } from '../service-order/service-order-create.server.ts';
import {
  cancelPaid,
  previewCancel,
  waiveFee,
  type CancelledBy,
} from '../service-order/visit-cancel.server.ts';
import {
  actingOf,
  dialogEndpoints,
  idInput,
  instantOf,
  optionalId,
  overbookOf,
} from '../service-order/visit-dialogs.server.ts';
import { appointment } from './appointment.contract.ts';
import { calendarEndpoints } from './calendar.server.ts';

const ROOT = '/jinmao/web/appointment';
const MENU = appointment.menu;

/** Where a visit `t` stands. */
export const VISIT_SCOPE: ScopeColumns = {
  tenant: 't.tenant_id',
  project: 't.project_id',
  owner: 't.created_by',
};

/** Hours after its end a visit counts as forgotten, as the tab and the to-do count them. */
export const FINISH_HOURS = `coalesce((SELECT (s.value #>> '{}')::integer FROM setting s WHERE s.key = 'service.finish_hours'), 24)`;

const binding: Binding = {
  table: 'appointment',
  from: `appointment t LEFT JOIN tenant m ON m.id = t.tenant_id LEFT JOIN project p ON p.id = t.project_id LEFT JOIN product s ON s.id = t.product_id
    LEFT JOIN service_person w ON w.id = t.person_id LEFT JOIN sales_order o ON o.id = t.order_id`,
  columns: {
    orderCode: 'o.code',
    service: { id: 't.product_id', title: 's.name' },
    // A filter without a value of its own: a service stands in several classes.
    classes: { id: 'NULL::bigint', title: 'NULL::text' },
    merchant: { id: 't.tenant_id', title: 'm.name' },
    project: { id: 't.project_id', title: 'p.name' },
    person: { id: 't.person_id', title: 'w.name' },
    hour: `extract(hour FROM t.starts_at AT TIME ZONE 'Asia/Shanghai')::integer`,
    visitNo: `t.visit_no || '/' || (SELECT l.times FROM order_line l WHERE l.id = t.line_id)`,
    payable: `to_char(o.payable / 100.0, 'FM999999990.00')`,
  },
  writes: Object.fromEntries(
    Object.keys(appointment.actions!.create!.input!).map((name) => [name, false as const]),
  ),
  scope: VISIT_SCOPE,
  search: 't.search',
  searchExact: ['t.contact_name', 't.contact_phone'],
  filters: {
    // A class stands for those below it too.
    classes: (value, parameters) => {
      const chosen = value.split(',');
      if (chosen.length > 500 || !chosen.every((one) => /^\d{1,15}$/.test(one)))
        return ['没有此选项', 'There is no such choice'];
      return `EXISTS (WITH RECURSIVE below AS (SELECT id FROM product_class WHERE id = ANY(${parameters.bind(chosen.map(Number))}::bigint[])
         UNION SELECT c.id FROM product_class c JOIN below ON c.parent_id = below.id)
         SELECT 1 FROM product_class_member fc JOIN below ON below.id = fc.class_id WHERE fc.product_id = t.product_id)`;
    },
  },
  tabs: {
    unassigned: () => `t.state IN ('held', 'to_accept') AND t.person_id IS NULL`,
    unfinished: () =>
      `t.state IN ('assigned', 'serving') AND t.ends_at < now() - make_interval(hours => ${FINISH_HOURS})`,
  },
  extra: {
    refunding: `o.refund_status = 'refunding'`,
    started: `t.starts_at <= now() - interval '15 minutes'`,
    feeWaivable: `NOT t.fee_waived AND (t.state IN ('to_accept', 'assigned', 'serving') OR (t.fee > 0 AND t.state IN ('no_show', 'cancelled')))`,
  },
  ruleReads: ['refunding', 'started', 'feeWaivable'],
  rowRules: {
    assign: refunding,
    reassign: refunding,
    reschedule: refunding,
    start: refunding,
    finish: refunding,
    cancel: refunding,
    noShow: (row) =>
      refunding(row) ??
      (row.started === true
        ? undefined
        : ['预约开始15分钟后才能标记爽约', 'Only 15 minutes after the start']),
    waiveFee: (row) =>
      refunding(row) ??
      (row.feeWaivable === true ? undefined : ['没有可免收的违约金', 'There is no fee to waive']),
  },
  handlers: {
    create: async (context) => {
      const made = await createServiceOrder(context);
      const visit = await runOne<{ id: number; state: string }>(
        context.tx,
        'SELECT id, state FROM appointment WHERE order_id = $1',
        [made.id],
      );
      return { ...made, id: visit!.id, to: visit!.state, told: true };
    },
    assign,
    reassign: assign,
    reschedule: async (context) => {
      const { input } = context;
      const personId = optionalId('person', input.person);
      const done = await rescheduleVisit(actingOf(context), context.id, {
        startsAt: instantOf(input.startsAt),
        ...(personId === undefined ? {} : { personId }),
        reason: (input.reason as string | null) ?? undefined,
        overbook: overbookOf(context),
        by: 'staff',
      });
      return { to: done.visit, told: true };
    },
    start: async (context) => ({ to: (await startVisit(actingOf(context), context.id)).visit, told: true }),
    finish: async (context) => ({
      to: (await finishVisit(actingOf(context), context.id, finishInput(context))).visit,
      told: true,
    }),
    noShow: async (context) => ({
      to: (await markNoShow(actingOf(context), context.id, { reason: context.input.reason as string })).visit,
      told: true,
    }),
    cancel: async (context) => {
      const done = await cancelPaid(
        { ...actingOf(context), facts: context.facts },
        context.row.order_id as number,
        { by: context.input.by as CancelledBy, reason: context.input.reason as string },
      );
      return {
        to: 'cancelled',
        told: true,
        result: { fee: yuanFromFen(done.fee), refund: yuanFromFen(done.refund) },
      };
    },
    stop,
    waiveFee: async (context) => {
      await waiveFee(actingOf(context), context.row.order_id as number, context.input.reason as string);
      return { told: true };
    },
  },
};

const bound: BoundResource = bindResource(appointment, {
  ...binding,
  endpoints: [
    ...dialogEndpoints(ROOT, MENU, () => bound, visitById),
    endpoint({
      method: 'GET',
      path: `${ROOT}/:id/cancelPreview`,
      title: ['取消试算', 'What a cancellation gives back'],
      access: { code: `${MENU}:btn_cancel` },
      query: z.strictObject({ by: z.enum(['member', 'merchant']) }),
      handle: async (call) => {
        const id = idOf(call.params.id);
        await bound.find(call, id);
        const { db } = call.platform.database;
        const visit = (await visitById(db, id))!;
        const preview = await previewCancel(db, call.platform, visit.order_id, call.query.by);
        return {
          percent: preview.percent,
          fee: yuanFromFen(preview.fee),
          refund: yuanFromFen(preview.refund),
          points: preview.points,
          orderStatus: preview.orderStatus,
        };
      },
    }),
    ...calendarEndpoints(VISIT_SCOPE),
  ],
  also: { options: [people(), services()], prefixes: [visitPrefix()] },
});

/** Appointments. */
export const registration = bound.registration;

async function assign(context: ActionContext): Promise<ActionResult> {
  const done = await assignVisit(actingOf(context), context.id, {
    personId: idInput('person', context.input.person),
    reason: (context.input.reason as string | undefined) ?? undefined,
  });
  return { to: done.visit, told: true };
}

/** A service of visits the caller sees is not offered for a time; what is booked meanwhile is decided on. */
async function stop(context: ActionContext): Promise<ActionResult> {
  const { tx, input, caller } = context;
  const productId = Number(input.service);
  const projectId = input.project ? Number(input.project) : null;
  const own = await runOne(
    tx,
    `SELECT 1 AS one FROM product s WHERE s.id = $1 AND s.kind = 'service' AND ($2::bigint IS NULL OR s.tenant_id = $2)`,
    [productId, caller.tenantKind === 2 ? caller.tenantId : null],
  );
  if (!own) throw notFound(['服务不存在', 'There is no such service']);
  if (projectId === null && caller.projectIds)
    throw invalid({ project: ['请选择项目', 'Please choose the project'] });
  if (projectId !== null) {
    requireProjectsInReach(caller, [projectId]);
    const offered = await runOne(
      tx,
      'SELECT 1 AS one FROM product_project WHERE product_id = $1 AND project_id = $2',
      [productId, projectId],
    );
    if (!offered) throw notFound(['项目不在服务范围', 'The service is not offered in the project']);
  }
  const n = await stopService(actingOf(context), {
    productId,
    projectId,
    from: String(input.startsAt),
    to: String(input.endsAt),
    reason: String(input.reason),
    moved: (input.moved as Stop['moved'] | null | undefined) ?? undefined,
  });
  return { remark: String(input.reason), result: { n } };
}

function refunding(row: DbRow): Label | undefined {
  return row.refunding === true ? ['该订单有未完成的退款', 'The order has an unfinished refund'] : undefined;
}

async function visitById(db: Executor, id: number): Promise<Visit | undefined> {
  return runOne<Visit>(db, 'SELECT * FROM appointment WHERE id = $1', [id]);
}

/** People who visit, for the filter: those of visits the caller sees. */
function people(): OptionSource {
  return {
    target: 'visitPerson',
    anyOf: [MENU],
    find: async ({ caller, platform }, query) => {
      const parameters = new Parameters();
      const scope = scopeCondition(caller, MENU, VISIT_SCOPE, parameters);
      const match =
        query.ids.length > 0
          ? `w.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`
          : `w.search LIKE ${parameters.bind(containing(query.searchVal.toLowerCase()))}`;
      const rows = await run<{ id: number; name: string; merchant: string }>(
        platform.database.db,
        `SELECT w.id, w.name, m.name AS merchant FROM service_person w JOIN tenant m ON m.id = w.tenant_id
          WHERE ${match} AND EXISTS (SELECT FROM appointment t WHERE t.person_id = w.id AND ${scope}) ORDER BY w.name, w.id LIMIT 100`,
        parameters.values,
      );
      return rows.map((row) => ({ id: String(row.id), title: row.name, note: row.merchant }));
    },
  };
}

/** Services, for the filter: those of visits the caller sees. */
function services(): OptionSource {
  return {
    target: 'visitService',
    anyOf: [MENU],
    find: async ({ caller, platform }, query) => {
      const parameters = new Parameters();
      const scope = scopeCondition(caller, MENU, VISIT_SCOPE, parameters);
      const match =
        query.ids.length > 0
          ? `s.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`
          : `s.search LIKE ${parameters.bind(containing(query.searchVal.toLowerCase()))}`;
      const rows = await run<{ id: number; name: string; merchant: string }>(
        platform.database.db,
        `SELECT s.id, s.name, m.name AS merchant FROM product s JOIN tenant m ON m.id = s.tenant_id
          WHERE ${match} AND EXISTS (SELECT FROM appointment t WHERE t.product_id = s.id AND ${scope}) ORDER BY s.name, s.id LIMIT 100`,
        parameters.values,
      );
      return rows.map((row) => ({ id: String(row.id), title: row.name, note: row.merchant }));
    },
  };
}

/** BK numbers of the palette: whole, or the last six digits and more. */
function visitPrefix(): RecordPrefix {
  return {
    prefix: 'BK',
    menu: MENU,
    label: ['预约', 'Appointments'],
    find: async ({ caller, platform }, number) => {
      const parameters = new Parameters();
      const digits = number.replace(/\D/g, '');
      if (digits.length < 6) return [];
      const rows = await run<{ code: string; name: string }>(
        platform.database.db,
        `SELECT t.code, s.name FROM appointment t JOIN product s ON s.id = t.product_id
          WHERE t.code LIKE ${parameters.bind(`%${digits}`)} AND ${scopeCondition(caller, MENU, VISIT_SCOPE, parameters)} ORDER BY t.id DESC LIMIT 10`,
        parameters.values,
      );
      return rows.map((row) => ({
        code: row.code,
        title: row.name,
        route: `/service/mm_appointment?view=list&searchVal=${row.code}`,
      }));
    },
  };
}
