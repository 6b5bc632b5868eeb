import {
  boolean,
  choice,
  code,
  instant,
  integer,
  personName,
  phone,
  ref,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';
import { STOP_CHOICES, VISIT_STATES } from '../../../domain/home-service/appointment/visit-words.rules.ts';
import { serviceOrder, VISIT_INPUTS } from '../service-order/service-order.contract.ts';

const seen = { readOnly: true } as const;
const order = serviceOrder.actions!;
const CALM = ['to_accept', 'assigned', 'choose_again'] as const;

/** One visit at a customer's: its time, its person and what became of it. */
export const appointment = defineResource({
  name: 'appointment',
  menu: 'mm_appointment',
  title: ['预约管理', 'Appointments'],
  noun: ['预约', 'Appointment'],
  purpose: [
    '上门服务的日历与列表：派单、改约、核销、爽约、超额',
    'Calendar and list of visits: people, times, codes at the door, missed and overbooked ones',
  ],
  fields: {
    code: code(['编号', 'No.'], { ...seen, keyword: true, sortable: true, width: 150 }),
    orderCode: text(['订单号', 'Order no.'], { ...seen, width: 160 }),
    service: ref('visitService', ['服务', 'Service'], { ...seen, search: 'in', width: 130 }),
    classes: ref('productClass', ['分类', 'Class'], { ...seen, search: 'in' }),
    contactName: personName(['联系人', 'Contact'], { ...seen, keyword: true, width: 92 }),
    contactPhone: phone(['电话', 'Phone'], { ...seen, width: 120, search: 'equals' }),
    address: text(['地址', 'Address'], { ...seen, width: 180 }),
    project: ref('project', ['项目', 'Project'], { ...seen, search: 'in', width: 96 }),
    merchant: ref('merchant', ['商户', 'Merchant'], { ...seen, search: 'in', width: 120 }),
    startsAt: instant(['预约时间', 'Time'], { ...seen, sortable: true, search: 'range', width: 130 }),
    endsAt: instant(['结束时间', 'End'], seen),
    // A cell of the busy hours opens exactly its visits.
    hour: integer(['时刻', 'Hour'], {
      ...seen,
      search: 'equals',
      min: 0,
      max: 23,
      help: ['开始时间所在的整点，0–23', 'The hour it starts in, 0 to 23'],
    }),
    person: ref('visitPerson', ['人员', 'Person'], { ...seen, search: 'in', width: 84 }),
    overbooked: boolean(['超额', 'Overbooked'], { ...seen, search: 'equals', width: 72 }),
    visitNo: text(['次数', 'Visit'], { ...seen, width: 64 }),
    qty: integer(['数量', 'Quantity'], seen),
    remark: text(['备注', 'Remark'], { ...seen, width: 140 }),
    payable: text(['订单金额', 'Order amount'], seen),
    overbookReason: text(['超额原因', 'Why overbooked'], seen),
    reason: text(['处理说明', 'Explanation'], seen),
    chooseUntil: instant(['改约截止', 'Choose until'], seen),
    createdAt: instant(['创建时间', 'Created'], { ...seen, sortable: true, search: 'range' }),
  },
  states: VISIT_STATES,
  titleField: 'code',
  prefix: 'BK',
  sensitive: true,
  list: {
    columns: [
      'code',
      'orderCode',
      'service',
      'contactName',
      'contactPhone',
      'address',
      'project',
      'startsAt',
      'person',
      'state',
      'overbooked',
      'remark',
      'merchant',
      'visitNo',
    ],
    hidden: ['merchant', 'visitNo'],
    filters: [
      'startsAt',
      'hour',
      'state',
      'project',
      'merchant',
      'service',
      'classes',
      'person',
      'overbooked',
      'contactPhone',
    ],
    sort: '-startsAt',
    tabs: [
      { key: 'all', label: ['全部', 'All'] },
      { key: 'unassigned', label: ['未派单', 'Unassigned'], named: true },
      { key: 'to_accept', label: VISIT_STATES.to_accept.label, filter: { state: 'to_accept' } },
      { key: 'assigned', label: VISIT_STATES.assigned.label, filter: { state: 'assigned' } },
      { key: 'serving', label: VISIT_STATES.serving.label, filter: { state: 'serving' } },
      { key: 'choose_again', label: VISIT_STATES.choose_again.label, filter: { state: 'choose_again' } },
      { key: 'unfinished', label: ['待处理', 'Not finished'], named: true },
      { key: 'done', label: VISIT_STATES.done.label, filter: { state: 'done' } },
      { key: 'no_show', label: VISIT_STATES.no_show.label, filter: { state: 'no_show' } },
    ],
    export: true,
    empty: ['还没有预约', 'No appointments yet'],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['预约', 'Appointment'],
        fields: [
          'code',
          'state',
          'service',
          'startsAt',
          'endsAt',
          'person',
          'visitNo',
          'qty',
          'overbooked',
          'overbookReason',
          'chooseUntil',
          'reason',
        ],
      },
      {
        title: ['客户与订单', 'Customer and order'],
        fields: [
          'contactName',
          'contactPhone',
          'address',
          'project',
          'merchant',
          'orderCode',
          'payable',
          'remark',
          'createdAt',
        ],
      },
    ],
  },
  elements: {
    btn_overbook: ['超额预约', 'Overbook'],
    btn_print: ['打印日程单', 'Print the day sheet'],
  },
  actions: {
    create: {
      ...order.create!,
      element: 'btn_add',
      to: ['held', 'to_accept', 'assigned'],
    },
    assign: { ...order.assign!, from: ['to_accept'], to: 'assigned' },
    reassign: { ...order.reassign!, from: ['assigned'] },
    start: {
      ...order.start!,
      from: ['assigned'],
      to: 'serving',
      confirm: [
        '预约 {code} 的服务人员已到达并开始服务？',
        'The person of appointment {code} has arrived and begins?',
      ],
    },
    finish: { ...order.finish!, from: ['assigned', 'serving'], to: 'done' },
    reschedule: { ...order.reschedule!, from: CALM, to: ['to_accept', 'assigned'] },
    noShow: { ...order.noShow!, from: ['assigned', 'serving'], to: 'no_show' },
    waiveFee: {
      ...order.waiveFee!,
      from: ['to_accept', 'assigned', 'serving', 'no_show', 'cancelled'],
      confirm: [
        '免收预约 {code} 的违约金？之后取消或售后可全额退款。',
        'Waive the fee of appointment {code}? Its order can then be refunded in full.',
      ],
      input: VISIT_INPUTS.waiveFee,
    },
    cancel: { ...order.cancel!, from: CALM, to: 'cancelled' },
    stop: {
      on: 'page',
      label: ['停约', 'Stop'],
      element: 'btn_stop',
      input: {
        service: ref('visitService', ['服务', 'Service'], { required: true }),
        project: ref('project', ['项目', 'Project'], { help: ['空为全部项目', 'Empty: every project'] }),
        startsAt: instant(['开始', 'From'], { required: true }),
        endsAt: instant(['结束', 'Until'], { required: true }),
        reason: text(['原因', 'Reason'], { required: true, min: 2, max: 200 }),
        moved: choice(['已约的预约', 'Visits booked already'], STOP_CHOICES, {
          help: ['期间有预约时必选', 'Needed where visits are booked meanwhile'],
        }),
      },
      message: ['已停约，涉及 {n} 个预约', 'Stopped; {n} visits are concerned'],
    },
  },
});

/** An appointment on the wire. */
export interface Appointment extends Row<typeof appointment> {}

/** A visit in the calendar; instants as ISO 8601. */
export interface CalendarVisit {
  readonly id: string;
  readonly version: number;
  readonly code: string;
  readonly state: string;
  readonly service: string;
  readonly serviceId: string;
  readonly contact: string;
  readonly address: string;
  readonly project: string;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly busyFrom: string;
  readonly busyTo: string;
  readonly personId: string | null;
  readonly overbooked: boolean;
  /** Its person has another live visit at that time. */
  readonly conflict: boolean;
}

/** What the calendar shows of some days. */
export interface CalendarAnswer {
  readonly visits: readonly CalendarVisit[];
  readonly people: readonly { readonly id: string; readonly name: string; readonly parallel: number }[];
  readonly services: readonly { readonly id: string; readonly name: string }[];
  readonly days: readonly { readonly day: string; readonly booked: number; readonly capacity: number }[];
  readonly cards: {
    readonly visits: number;
    /** Percent with one decimal, null without a denominator. */
    readonly occupancy: string | null;
    readonly noShow: string | null;
    readonly overbooked: number;
    readonly acceptMinutes: number | null;
    readonly punctual: string | null;
  };
  /** Visits by weekday 1–7 and hour. */
  readonly heat: readonly { readonly weekday: number; readonly hour: number; readonly visits: number }[];
}
