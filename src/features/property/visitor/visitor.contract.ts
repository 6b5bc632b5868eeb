import {
  choice,
  image,
  instant,
  integer,
  longText,
  personName,
  phone,
  ref,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, part, type Resource, type Row } from '../../../kernel/contract/resource.ts';
import {
  CAR_STATES,
  DRIVES,
  PASS_DIRECTIONS,
  PASS_METHODS,
  PASS_RESULTS,
  PLATE_PATTERN,
  VISITOR_STATES,
} from '../../../domain/visitor/visitor.rules.ts';

const seen = { readOnly: true } as const;

/** A passage of a visitor at a door or gate, as the detail of the visit shows it. */
export const visitPassage = defineResource({
  name: 'visitPassage',
  menu: 'cs_visitRegistration',
  title: ['访客通行', 'Passages of visitors'],
  noun: ['通行', 'Passage'],
  titleField: 'address',
  fields: {
    visit: ref('visitor', ['访客登记', 'Visit'], { ...seen, search: 'in' }),
    at: instant(['时间', 'Time'], { ...seen, sortable: true, width: 150 }),
    address: text(['通行地点', 'Place'], { ...seen, width: 160 }),
    direction: choice(['方向', 'Direction'], PASS_DIRECTIONS, { ...seen, width: 70 }),
    method: choice(['方式', 'Method'], PASS_METHODS, { ...seen, width: 90 }),
    result: choice(['结果', 'Result'], PASS_RESULTS, { ...seen, width: 80 }),
    reason: text(['失败原因', 'Why it failed'], { ...seen, width: 140 }),
  },
  list: {
    columns: ['at', 'address', 'direction', 'method', 'result', 'reason'],
    filters: ['visit'],
    sort: '-at',
    empty: ['还没有通行记录', 'No passages yet'],
  },
});

/** A visit to a resident: who comes when, with or without a car, and what became of it. */
export const visitor = defineResource({
  name: 'visitor',
  menu: 'cs_visitRegistration',
  title: ['访客登记', 'Visitors'],
  noun: ['访客', 'Visit'],
  purpose: [
    '访客从登记到离开；开启参数 visit.review 时需先审核，闸机通行后自动到访、离开',
    'Visitors from registration to leaving; reviewed first where visit.review is on; gates note arrival and leaving by themselves',
  ],
  titleField: 'visitor',
  sensitive: true,
  stamps: true,
  fields: {
    inviter: ref('visitInviter', ['邀请人', 'Inviter'], {
      required: true,
      help: ['先选房屋，再选该房屋状态正常的住户', 'Choose the house, then one of its normal residents'],
    }),
    inviterName: personName(['邀请人', 'Inviter'], { ...seen, width: 90 }),
    visitor: personName(['访客', 'Visitor'], { required: true, keyword: true, width: 90 }),
    phone: phone(['访客手机', 'Visitor phone'], {
      required: true,
      search: 'equals',
      width: 136,
      pattern: {
        source: '1[3-9][0-9]{9}',
        message: ['请输入11位手机号', 'Enter a mobile number of 11 digits'],
      },
    }),
    people: integer(['人数', 'People'], { required: true, min: 1, max: 100, initial: 1, width: 64 }),
    visitFrom: instant(['来访时间', 'Visit from'], {
      required: true,
      sortable: true,
      search: 'range',
      width: 140,
    }),
    visitTo: instant(['有效期至', 'Until'], { required: true, width: 140 }),
    project: ref('project', ['项目', 'Project'], { ...seen, search: 'in', width: 120 }),
    address: text(['到访地址', 'Address'], { ...seen, keyword: true, width: 150 }),
    house: ref('enquiryHouse', ['房屋', 'House'], { ...seen, width: 150 }),
    reason: text(['来访事由', 'Reason'], { required: true, max: 200, width: 130 }),
    drives: choice(['是否开车', 'By car'], DRIVES, {
      required: true,
      search: 'in',
      initial: 'no',
      width: 84,
    }),
    plate: text(['车牌', 'Plate'], {
      keyword: true,
      max: 12,
      width: 100,
      pattern: {
        source: `(?:${PLATE_PATTERN})`,
        message: ['请填写车牌，如 沪A12345、粤BD12345', 'Enter a Chinese plate such as 沪A12345'],
      },
    }),
    carState: choice(['车辆', 'Car'], CAR_STATES, { ...seen, width: 90 }),
    freeParking: integer(['免费停车', 'Free parking'], { ...seen, unit: ['分钟', 'min'] }),
    photo: image(['照片', 'Photo']),
    decision: text(['处理说明', 'Explanation'], seen),
    arrivedAt: instant(['到访时间', 'Arrived'], { ...seen, width: 140 }),
    leftAt: instant(['离开时间', 'Left'], { ...seen, width: 140 }),
    source: choice(
      ['来源', 'Source'],
      { app: { label: ['住户邀请', 'Resident'] }, desk: { label: ['前台代录', 'Entered at the desk'] } },
      { ...seen, width: 100 },
    ),
  },
  states: VISITOR_STATES,
  list: {
    columns: [
      'visitor',
      'state',
      'inviterName',
      'phone',
      'people',
      'visitFrom',
      'visitTo',
      'project',
      'address',
      'reason',
      'drives',
      'plate',
      'carState',
      'arrivedAt',
      'leftAt',
      'source',
    ],
    hidden: ['arrivedAt', 'leftAt', 'source'],
    filters: ['project', 'state', 'visitFrom', 'drives', 'phone'],
    sort: '-visitFrom',
    tabs: [
      { key: 'all', label: ['全部', 'All'] },
      { key: 'to_review', label: VISITOR_STATES.to_review.label, filter: { state: 'to_review' } },
      { key: 'valid', label: VISITOR_STATES.valid.label, filter: { state: 'valid' } },
      { key: 'arrived', label: VISITOR_STATES.arrived.label, filter: { state: 'arrived' } },
      { key: 'overdue', label: ['超时未离', 'Not left in time'], named: true },
      { key: 'left', label: VISITOR_STATES.left.label, filter: { state: 'left' } },
    ],
    export: true,
    empty: ['还没有访客登记', 'No visits yet'],
  },
  form: {
    sections: [
      { title: ['来访', 'Visit'], fields: ['inviter', 'reason', 'visitFrom', 'visitTo'] },
      { title: ['访客', 'Visitor'], fields: ['visitor', 'phone', 'people', 'drives', 'plate', 'photo'] },
    ],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['来访', 'Visit'],
        fields: ['state', 'project', 'house', 'inviterName', 'reason', 'visitFrom', 'visitTo', 'source'],
      },
      {
        title: ['访客', 'Visitor'],
        fields: ['visitor', 'phone', 'people', 'drives', 'plate', 'carState', 'freeParking', 'photo'],
      },
      {
        title: ['结果', 'Outcome'],
        fields: ['arrivedAt', 'leftAt', 'decision', 'creator', 'createdAt', 'updater', 'updatedAt'],
      },
    ],
    parts: [
      part({
        key: 'passages',
        title: ['通行记录', 'Passages'],
        resource: visitPassage as unknown as Resource,
        by: 'visit',
      }),
    ],
  },
  elements: { btn_view: ['查看', 'View'] },
  actions: {
    create: {
      on: 'page',
      label: ['登记访客', 'Register a visitor'],
      element: 'btn_add',
      tone: 'primary',
      to: ['to_review', 'valid'],
    },
    pass: {
      on: 'rowAndBulk',
      label: ['通过', 'Pass'],
      element: 'btn_pass',
      tone: 'primary',
      from: ['to_review'],
      to: 'valid',
      confirm: [
        '允许「{visitor}」来访？车辆需另行放行。',
        'Let "{visitor}" visit? The car is decided about apart.',
      ],
    },
    refuse: {
      on: 'row',
      label: ['拒绝', 'Refuse'],
      element: 'btn_refuse',
      tone: 'danger',
      from: ['to_review', 'valid'],
      to: 'refused',
      input: { decision: longText(['原因', 'Reason'], { required: true, min: 2, max: 200 }) },
    },
    passCar: {
      on: 'row',
      label: ['车辆放行', 'Let the car in'],
      element: 'btn_pass',
      from: ['to_review', 'valid', 'arrived'],
      confirm: ['允许车辆 {plate} 进入？', 'Let the car {plate} in?'],
    },
    refuseCar: {
      on: 'row',
      label: ['车辆拒入', 'Refuse the car'],
      element: 'btn_refuse',
      tone: 'danger',
      from: ['to_review', 'valid'],
      input: { decision: longText(['原因', 'Reason'], { required: true, min: 2, max: 200 }) },
    },
    arrive: {
      on: 'row',
      label: ['到访', 'Arrived'],
      element: 'btn_arrive',
      tone: 'primary',
      from: ['valid'],
      to: 'arrived',
      confirm: ['访客「{visitor}」已到访？', 'Has "{visitor}" arrived?'],
    },
    leave: {
      on: 'row',
      label: ['离开', 'Left'],
      element: 'btn_leave',
      from: ['arrived'],
      to: 'left',
      confirm: ['访客「{visitor}」已离开？', 'Has "{visitor}" left?'],
    },
    cancel: {
      on: 'row',
      label: ['取消', 'Cancel'],
      element: 'btn_cancel',
      tone: 'danger',
      from: ['to_review', 'valid'],
      to: 'cancelled',
      confirm: [
        '取消「{visitor}」的来访？通行码立即失效。',
        'Cancel the visit of "{visitor}"? The pass ends at once.',
      ],
      input: { decision: longText(['原因', 'Reason'], { max: 200 }) },
    },
    expire: {
      on: 'system',
      label: ['过期', 'Expired'],
      element: 'btn_cancel',
      from: ['to_review', 'valid'],
      to: 'expired',
    },
    gateIn: {
      on: 'system',
      label: ['闸机进入', 'In through a gate'],
      element: 'btn_arrive',
      from: ['valid', 'arrived', 'left', 'expired'],
      to: ['arrived', 'left'],
      input: { at: instant(['时间', 'Time'], { required: true }) },
    },
    gateOut: {
      on: 'system',
      label: ['闸机离开', 'Out through a gate'],
      element: 'btn_leave',
      from: ['valid', 'arrived', 'left', 'expired'],
      to: ['left'],
      input: { at: instant(['时间', 'Time'], { required: true }) },
    },
  },
});

export interface Visitor extends Row<typeof visitor> {}

/** The pass of a visit: its code while it is valid, otherwise why there is none. */
export interface VisitPassAnswer {
  readonly code: string | null;
  readonly why: 'early' | 'over' | 'state' | null;
  readonly from: string;
  readonly to: string;
}
