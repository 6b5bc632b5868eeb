import { z } from 'zod';
import { textOf, type Label, type Language } from '../../../kernel/contract/label.ts';
import { maskValue } from '../../../kernel/contract/mask.rules.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { elementCode, type ActionSpec } from '../../../kernel/contract/resource.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { fileValue, type StoredFile } from '../../../kernel/server/files/files.ts';
import { notFound } from '../../../kernel/server/http/errors.ts';
import { holds, SYSTEM_NAME, type Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { defineRegistration, endpoint, type Call } from '../../../kernel/server/registration.ts';
import { encryptionToken } from '../../../kernel/server/resource/row-token.ts';
import { workOrderScope } from '../../../domain/work-order/work-order-scope.server.ts';
import {
  CALLBACK_RESULTS,
  OPEN_STATES,
  URGENCIES,
  WORK_STATES,
  WORK_TYPES,
  type WorkState,
} from '../../../domain/work-order/work-order-words.rules.ts';
import { tradeWorkOrder, WORK_SOURCES } from '../../mall/work-order/work-order.contract.ts';
import { clocksOf, feesOf, materialsOf } from '../work-order/work-order-parts.server.ts';
import type { ClockPart } from '../work-order/work-order-parts.ts';
import { boundWorkOrder } from '../work-order/work-order.server.ts';
import { workOrder } from '../work-order/work-order.contract.ts';
import { feeDetail } from './fee-detail.server.ts';
import { orderDetail, type OperateButton, type SlaWire, type SubDetail } from './order-detail.contract.ts';

/** Menus that open the page; the rows of any one held are seen. */
const MENUS = [orderDetail.menu, 'cs_workOrder', 'cs_PlaneWorkOrder', 'cs_maintenance', 'cs_propertyBill'];

/** Codes of buttons by the action behind them. Source: group 06, cs_orderDetail API. */
const BUTTONS: readonly (readonly [code: string, action: string, display: OperateButton['display']])[] = [
  ['03', 'evaluate', 1],
  ['05', 'cancel', 1],
  ['06', 'close', 3],
  ['07', 'finish', 1],
  ['10', 'pause', 1],
  ['11', 'accept', 3],
  ['12', 'transfer', 3],
  ['13', 'dispatch', 3],
  ['14', 'start', 1],
  ['15', 'resume', 1],
  ['16', 'reopen', 3],
  ['17', 'return', 1],
  ['18', 'callback', 3],
  ['19', 'urge', 1],
  ['20', 'syncCrm', 3],
];
const TYPE_WORDS: Readonly<Record<string, { readonly label: Label; readonly code: number }>> = {
  ...WORK_TYPES,
  plan: { label: ['计划工单', 'Planned'], code: 2 },
};
/** Events that are no action of a screen. */
const EVENT_WORDS: Readonly<Record<string, Label>> = {
  create: ['创建工单', 'Created'],
  sla: ['时效升级', 'Escalated'],
};

/** The page of one order. */
export const registration = defineRegistration({
  contract: orderDetail,
  menus: [orderDetail.menu],
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/jinmao/web/orderEngine/getSubDetailByWeb',
      title: ['订单详情', 'Order detail'],
      access: { anyOf: MENUS },
      query: z.strictObject({
        id: z.string().regex(/^\d{1,15}$/),
        objType: z.enum(['1', '2']).default('1'),
      }),
      handle: async (call) => {
        const id = Number(call.query.id);
        return call.query.objType === '2' ? feeDetail(call, id) : subDetail(call, id);
      },
    }),
  ],
});

interface Stored {
  readonly id: number;
  readonly code: string;
  readonly crm_code: string;
  readonly type: string;
  readonly status: WorkState;
  readonly sub_status: string | null;
  readonly title: string;
  readonly project_id: number;
  readonly project: string;
  readonly category: string | null;
  readonly address: string;
  readonly contact_name: string;
  readonly contact_phone: string;
  readonly user_name: string | null;
  readonly on_behalf: boolean;
  readonly behalf_name: string;
  readonly behalf_phone: string;
  readonly source: number;
  readonly remark: string;
  readonly description: string;
  readonly image_ids: string[];
  readonly before_image_ids: string[];
  readonly after_image_ids: string[];
  readonly video_id: string | null;
  readonly result: string;
  readonly first_result: string;
  readonly cancel_reason: string;
  readonly urgency: keyof typeof URGENCIES;
  readonly crm_sync: number;
  readonly handler_id: number | null;
  readonly handler: string | null;
  readonly handler_phone: string | null;
  readonly expected_at: Date | null;
  readonly created_at: Date;
  readonly accepted_at: Date | null;
  readonly started_at: Date | null;
  readonly finished_at: Date | null;
  readonly amount: number | null;
  readonly fee: number;
  readonly fee_paid: number;
  readonly paid: number;
  readonly refunded: number;
  readonly score_overall: number | null;
  readonly score_arrival: number | null;
  readonly score_worker: number | null;
  readonly comment: string;
  readonly rated_at: Date | null;
  readonly callback_result: keyof typeof CALLBACK_RESULTS | null;
  readonly callback_note: string;
  readonly callback_at: Date | null;
  readonly transfer_count: number;
  readonly tenant_id: number;
  readonly version: number;
}

async function subDetail(call: Call, id: number): Promise<SubDetail> {
  const { caller, platform, facts } = call;
  const { db } = platform.database;
  const { language } = facts;
  const parameters = new Parameters();
  const place = parameters.bind(id);
  const seen = MENUS.filter((menu) => caller.menus.has(menu)).map((menu) =>
    scopeCondition(caller, menu, workOrderScope(menu), parameters),
  );
  const row = await runOne<Stored>(
    db,
    `SELECT t.*, p.name AS project, CASE WHEN ${parameters.bind(language)} = 'en' AND c.name_en <> '' THEN c.name_en ELSE c.name END AS category, coalesce(nullif(m.name, ''), m.nickname) AS user_name, h.name AS handler, h.phone AS handler_phone
       FROM work_order t JOIN project p ON p.id = t.project_id LEFT JOIN work_category c ON c.id = t.category_id
       LEFT JOIN member m ON m.id = t.member_id LEFT JOIN staff h ON h.id = t.handler_id
      WHERE t.id = ${place} AND (${seen.join(' OR ')})`,
    parameters.values,
  );
  if (!row) throw notFound();
  const events = await run<{
    at: Date;
    who: string;
    staff_id: number | null;
    action: string;
    content: string;
    image_ids: string[];
  }>(
    db,
    'SELECT at, who, staff_id, action, content, image_ids FROM work_order_event WHERE order_id = $1 ORDER BY at, id',
    [id],
  );
  const stored = await run<StoredFile>(
    db,
    'SELECT id, name, type, size, access FROM stored_file WHERE id = ANY($1::uuid[])',
    [
      [
        ...row.image_ids,
        ...row.before_image_ids,
        ...row.after_image_ids,
        ...(row.video_id ? [row.video_id] : []),
        ...events.flatMap((one) => one.image_ids),
      ],
    ],
  );
  const urls = new Map(stored.map((file) => [file.id, fileValue(platform, caller, file).url]));
  const pictures = (ids: readonly string[]) =>
    ids.flatMap((one) => (urls.has(one) ? [{ url: urls.get(one)! }] : []));
  const clocks = await clocksOf(db, id);
  const newest = (target: ClockPart['target']) => {
    const clock = clocks.filter((one) => one.target === target).at(-1);
    return clock ? slaWire(clock, language) : null;
  };
  const phone = (value: string | null) => (value ? (maskValue('phone', value) ?? '') : '');
  const name = (value: string | null) => (value ? (maskValue('name', value) ?? '') : '');
  const time = (value: Date | null) => (value ? isoInstant(value) : null);
  const most = await platform.settings.number('wo.transfer.max', {
    projectId: row.project_id,
    tenantId: row.tenant_id,
  });
  const mine = row.handler_id === caller.staffId;
  const type = TYPE_WORDS[row.type]!;
  const sub = row.sub_status === null ? null : tradeWorkOrder.states![row.sub_status]!;
  return {
    detail: {
      id: String(row.id),
      code: row.code,
      crmCode: row.crm_code,
      woType: type.code,
      woTypeStr: textOf(type.label, language),
      title: row.title,
      projectId: String(row.project_id),
      projectName: row.project,
      classifyName: row.category ?? '',
      deliveryAddr: row.address,
      contactName: name(row.contact_name),
      contactTel: phone(row.contact_phone),
      userName: name(row.user_name),
      behalfName: name(row.behalf_name),
      behalfTel: phone(row.behalf_phone),
      isBehalf: row.on_behalf ? 1 : 0,
      source: row.source,
      sourceStr: textOf(WORK_SOURCES[String(row.source) as keyof typeof WORK_SOURCES].label, language),
      remark: row.remark,
      description: row.description,
      imgList: pictures(row.image_ids),
      videoUrl: row.video_id ? (urls.get(row.video_id) ?? null) : null,
      beforeImgList: pictures(row.before_image_ids),
      afterImgList: pictures(row.after_image_ids),
      result: row.result,
      firstResult: row.first_result,
      cancelReason: row.cancel_reason,
      urgency: textOf(URGENCIES[row.urgency].label, language),
      woStatus: WORK_STATES[row.status].code,
      woStatusStr: textOf(WORK_STATES[row.status].label, language),
      subStatus: sub ? Number(sub.code) : null,
      subStatusStr: sub ? textOf(sub.label, language) : '',
      crmSync: row.crm_sync,
      handleName: row.handler ?? '',
      handleTel: phone(row.handler_phone),
      expectTime: time(row.expected_at),
      createTime: isoInstant(row.created_at),
      receiveTime: time(row.accepted_at),
      startTime: time(row.started_at),
      finishTime: time(row.finished_at),
      slaResponse: newest('response'),
      slaResolve: newest('resolution'),
      totalPrice: yuanFromFen(row.amount ?? row.fee),
      discountPrice: '0.00',
      lateFeePrice: '0.00',
      actualPrice: yuanFromFen(row.sub_status === null ? row.fee_paid : row.paid),
      refundPrice: yuanFromFen(row.refunded),
      invoiceType: 0,
      invoiceName: '',
      dutyCode: '',
      itemList: (await feesOf(db, id)).map((one) => ({
        name: one.name,
        period: one.bill ?? '',
        amount: one.amount,
        paid: one.state === 'paid' ? one.amount : '0.00',
      })),
      materialList: (await materialsOf(db, id)).map(
        ({ name: material, spec, unit, qty, price, amount, returned }) => ({
          name: material,
          spec,
          unit,
          qty,
          price,
          amount,
          returned,
        }),
      ),
      evaluate:
        row.score_overall === null
          ? null
          : {
              overall: row.score_overall,
              arrival: row.score_arrival,
              worker: row.score_worker,
              content: row.comment,
              time: time(row.rated_at),
            },
      callback: row.callback_result
        ? {
            result: textOf(CALLBACK_RESULTS[row.callback_result].label, language),
            content: row.callback_note,
            time: time(row.callback_at),
          }
        : null,
      isTurn:
        mine && row.transfer_count < most && row.status !== 'pending_system' && isOpen(row.status) ? 1 : 0,
      encryptionField: encryptionToken(workOrder.name, row.id, 'info'),
      version: row.version,
    },
    operateButtonList: await buttonsOf(call, row),
    transactionLogList: events.map((one) => ({
      time: isoInstant(one.at),
      // Members are masked as everywhere; names of staff are no secret.
      operator: one.staff_id === null && one.who !== SYSTEM_NAME ? name(one.who) : one.who,
      operateType: one.action,
      title: textOf(eventLabel(one.action), language),
      content: one.content,
      imgList: pictures(one.image_ids),
    })),
  };
}

const isOpen = (state: WorkState) => (OPEN_STATES as readonly string[]).includes(state);

function slaWire(clock: ClockPart, language: Language): SlaWire {
  return {
    dueTime: clock.dueAt,
    usedMinutes: clock.usedMinutes,
    pausedMinutes: clock.pausedMinutes,
    state: clock.state,
    targetMinutes: clock.targetMinutes,
    startTime: clock.startedAt,
    stopTime: clock.stoppedAt,
    round: clock.round,
    policy: clock.policy,
    calendar: textOf(clock.calendar, language),
    steps: clock.steps,
  };
}

const actionsOf = (resource: { readonly actions?: unknown }) =>
  resource.actions as Readonly<Record<string, ActionSpec>>;

function eventLabel(action: string): Label {
  return (
    EVENT_WORDS[action] ??
    actionsOf(workOrder)[action]?.label ??
    actionsOf(tradeWorkOrder)[action]?.label ?? [action, action]
  );
}

/** What the caller may do now: the very actions of the list's row, by their codes. */
async function buttonsOf(call: Call, row: Stored): Promise<OperateButton[]> {
  const { caller, facts } = call;
  const buttons: OperateButton[] = [];
  if (canCall(caller) && row.contact_phone !== '')
    buttons.push({
      code: '01',
      name: textOf(['联系客户', 'Call'], facts.language),
      action: 'call',
      needInput: false,
      display: 2,
    });
  if (!caller.menus.has(workOrder.menu) || row.type === 'plan') return buttons;
  const allowed = (await boundWorkOrder.detail(call, row.id)).actions as readonly string[];
  for (const [code, action, display] of BUTTONS) {
    if (!allowed.includes(action)) continue;
    const spec = actionsOf(workOrder)[action]!;
    buttons.push({
      code,
      name: textOf(spec.label, facts.language),
      action,
      needInput: Object.keys(spec.input ?? {}).length > 0,
      display,
    });
  }
  return buttons;
}

const canCall = (caller: Caller) => holds(caller, elementCode(workOrder, 'btn_reveal'));
