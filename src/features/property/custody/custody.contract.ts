import {
  choice,
  code,
  date,
  images,
  instant,
  integer,
  longText,
  personName,
  phone,
  ref,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, part, type Resource, type Row } from '../../../kernel/contract/resource.ts';

const seen = { readOnly: true } as const;

/** What is done for the owner of a house. */
export const CUSTODY_SERVICES = {
  letting: { label: ['代租', 'Letting'] },
  inspection: { label: ['代巡查', 'Inspection'] },
  keys: { label: ['钥匙托管', 'Keys'] },
} as const;

/** What an inspection found. */
export const INSPECTION_RESULTS = {
  normal: { label: ['正常', 'In order'], tone: 'success' },
  problem: { label: ['有问题', 'Problem'], tone: 'error' },
} as const;

/** Ways of keys. */
export const KEY_DIRECTIONS = {
  out: { label: ['借出', 'Handed out'], tone: 'warning' },
  back: { label: ['归还', 'Returned'], tone: 'success' },
} as const;

/** What somebody found who looked after a house, in the detail of its custody. */
export const custodyInspection = defineResource({
  name: 'custodyInspection',
  menu: 'cs_escrow',
  title: ['巡查记录', 'Inspections'],
  noun: ['巡查', 'Inspection'],
  titleField: 'note',
  fields: {
    custody: ref('houseCustody', ['托管', 'Custody'], { search: 'in' }),
    inspectedOn: date(['日期', 'Date'], { sortable: true, width: 110 }),
    result: choice(['结果', 'Result'], INSPECTION_RESULTS, { search: 'in', width: 90 }),
    note: longText(['说明', 'Note'], { width: 220 }),
    photos: images(['照片', 'Photos'], { width: 120 }),
    staff: ref('staff', ['巡查人', 'By'], { width: 90 }),
  },
  list: {
    columns: ['custody', 'inspectedOn', 'result', 'note', 'photos', 'staff'],
    filters: ['custody', 'result'],
    sort: '-inspectedOn',
    empty: ['还没有巡查', 'Nobody has been there yet'],
  },
});

/** A hand-over of keys, in the detail of the custody. */
export const custodyKey = defineResource({
  name: 'custodyKey',
  menu: 'cs_escrow',
  title: ['钥匙记录', 'Keys'],
  noun: ['钥匙记录', 'Hand-over'],
  titleField: 'person',
  fields: {
    custody: ref('houseCustody', ['托管', 'Custody'], { search: 'in' }),
    at: instant(['时间', 'At'], { sortable: true, width: 150 }),
    direction: choice(['动作', 'What'], KEY_DIRECTIONS, { search: 'in', width: 90 }),
    count: integer(['把数', 'Keys'], { width: 70 }),
    person: text(['借用人', 'Person'], { width: 130 }),
    note: text(['说明', 'Note'], { width: 180 }),
    staff: ref('staff', ['经办', 'By'], { width: 90 }),
  },
  list: {
    columns: ['custody', 'at', 'direction', 'count', 'person', 'note', 'staff'],
    filters: ['custody', 'direction'],
    sort: '-at',
    empty: ['钥匙没有借出过', 'No key has left'],
  },
});

const nextInspectionOn = date(['下次巡查', 'Next inspection'], {
  help: ['代巡查必填，须在托管期内', 'Needed for inspections; inside the period'],
});
const count = integer(['把数', 'Keys'], { required: true, min: 1, max: 20, initial: 1 });

/** A house the property company looks after for its owner. */
export const houseCustody = defineResource({
  name: 'houseCustody',
  menu: 'cs_escrow',
  title: ['房屋托管', 'House custody'],
  noun: ['托管', 'Custody'],
  purpose: [
    '业主委托代租、代巡查或保管钥匙；每套房每项服务同时只有一单，钥匙全部归还后才能完成',
    'Owners have houses let, inspected or their keys kept; one open custody of a house and service, ended once every key is back',
  ],
  prefix: 'HC',
  titleField: 'code',
  sensitive: true,
  fields: {
    code: code(['托管单号', 'Custody no.'], { ...seen, keyword: true, search: 'contains', width: 158 }),
    project: ref('project', ['项目', 'Project'], { ...seen, search: 'in', width: 120 }),
    house: ref('custodyHouse', ['房屋', 'House'], {
      required: true,
      width: 170,
      help: ['有住户的房屋，按楼栋、单元或房号搜索', 'With residents; search by building, unit or number'],
    }),
    applicant: ref('custodyApplicant', ['申请人', 'Applicant'], {
      required: true,
      help: ['该房屋的住户', 'A resident of the house'],
    }),
    name: personName(['申请人', 'Applicant'], { ...seen, keyword: true, search: 'equals', width: 90 }),
    phone: phone(['电话', 'Phone'], { ...seen, search: 'equals', width: 126 }),
    service: choice(['服务', 'Service'], CUSTODY_SERVICES, {
      required: true,
      search: 'in',
      initial: 'inspection',
      width: 96,
    }),
    startsOn: date(['开始日期', 'From'], { required: true, sortable: true, width: 106 }),
    endsOn: date(['结束日期', 'Until'], { required: true, sortable: true, search: 'range', width: 106 }),
    keys: integer(['钥匙把数', 'Keys kept'], {
      min: 0,
      max: 20,
      initial: 0,
      width: 84,
      help: ['钥匙托管必填', 'Needed where keys are kept'],
    }),
    keysOut: integer(['借出把数', 'Keys out'], { ...seen, width: 84 }),
    keyNo: text(['钥匙编号', 'Key no.'], {
      max: 40,
      keyword: true,
      width: 110,
      help: ['钥匙柜编号，受理时也可填写', 'Place in the key cabinet; can be entered when accepted, too'],
    }),
    nextInspectionOn: date(['下次巡查', 'Next inspection'], {
      ...seen,
      sortable: true,
      search: 'range',
      width: 112,
    }),
    feeItem: ref('custodyFeeItem', ['收费项目', 'Fee item'], {
      width: 130,
      help: ['托管收费时选择', 'Where the custody costs something'],
    }),
    remark: longText(['备注', 'Remark'], { max: 500, keyword: true }),
    handler: ref('staff', ['经办人', 'Handler'], { ...seen, search: 'in', width: 90 }),
    appliedAt: instant(['申请时间', 'Applied'], { ...seen, sortable: true, search: 'range', width: 150 }),
    acceptedAt: instant(['受理时间', 'Accepted at'], { ...seen, width: 150 }),
    endedAt: instant(['结束时间', 'Ended'], { ...seen, width: 150 }),
    cancelReason: text(['取消原因', 'Why cancelled'], { ...seen, width: 160 }),
    creator: ref('staff', ['登记人', 'Entered by'], { ...seen, width: 90 }),
  },
  states: {
    to_accept: { label: ['待受理', 'To accept'], tone: 'warning' },
    accepted: { label: ['已受理', 'Accepted'], tone: 'processing' },
    completed: { label: ['已完成', 'Completed'], tone: 'success' },
    cancelled: { label: ['已取消', 'Cancelled'], tone: 'default' },
  },
  list: {
    columns: [
      'code',
      'house',
      'name',
      'phone',
      'service',
      'state',
      'nextInspectionOn',
      'keyNo',
      'keysOut',
      'startsOn',
      'endsOn',
      'handler',
      'project',
      'appliedAt',
      'keys',
      'cancelReason',
    ],
    hidden: ['keys', 'cancelReason'],
    filters: ['project', 'service', 'state', 'appliedAt', 'endsOn', 'handler', 'phone'],
    sort: '-appliedAt',
    tabs: [
      { key: 'all', label: ['全部', 'All'] },
      { key: 'to_accept', label: ['待受理', 'To accept'], filter: { state: 'to_accept' } },
      { key: 'accepted', label: ['已受理', 'Accepted'], filter: { state: 'accepted' } },
      { key: 'due', label: ['待巡查', 'Inspection due'], named: true },
      { key: 'keysOut', label: ['钥匙在外', 'Keys out'], named: true },
      { key: 'closed', label: ['已结束', 'Ended'], named: true },
    ],
    export: [
      'code',
      'project',
      'house',
      'name',
      'phone',
      'service',
      'state',
      'startsOn',
      'endsOn',
      'keys',
      'keysOut',
      'keyNo',
      'nextInspectionOn',
      'handler',
      'appliedAt',
      'acceptedAt',
      'endedAt',
      'cancelReason',
      'remark',
    ],
  },
  form: {
    width: 640,
    sections: [
      { title: ['房屋与申请人', 'House and applicant'], fields: ['house', 'applicant'] },
      {
        title: ['托管内容', 'What is done'],
        fields: ['service', 'startsOn', 'endsOn', 'feeItem', 'keys', 'keyNo', 'remark'],
      },
    ],
  },
  detail: {
    mode: 'drawer',
    sections: [
      { title: ['房屋与申请人', 'House and applicant'], fields: ['project', 'house', 'name', 'phone'] },
      {
        title: ['托管内容', 'What is done'],
        fields: [
          'service',
          'startsOn',
          'endsOn',
          'feeItem',
          'nextInspectionOn',
          'keys',
          'keysOut',
          'keyNo',
          'remark',
        ],
      },
      {
        title: ['处理', 'Handling'],
        fields: ['creator', 'appliedAt', 'handler', 'acceptedAt', 'endedAt', 'cancelReason'],
      },
    ],
    parts: [
      part({
        key: 'inspections',
        title: ['巡查记录', 'Inspections'],
        resource: custodyInspection as unknown as Resource,
        by: 'custody',
      }),
      part({
        key: 'keys',
        title: ['钥匙记录', 'Keys'],
        resource: custodyKey as unknown as Resource,
        by: 'custody',
      }),
    ],
  },
  actions: {
    create: {
      on: 'page',
      label: ['新增', 'Add'],
      element: 'btn_add',
      tone: 'primary',
      to: 'to_accept',
      event: ['登记托管', 'Entered'],
    },
    handle: {
      on: 'row',
      label: ['受理', 'Accept'],
      element: 'btn_handle',
      from: ['to_accept'],
      to: 'accepted',
      tone: 'primary',
      input: {
        nextInspectionOn,
        keyNo: text(['钥匙编号', 'Key no.'], {
          max: 40,
          help: ['不填则保持不变', 'Empty: as it is'],
        }),
      },
    },
    inspect: {
      on: 'row',
      label: ['巡查', 'Inspect'],
      element: 'btn_inspect',
      from: ['accepted'],
      tone: 'primary',
      input: {
        inspectedOn: date(['巡查日期', 'Date'], { help: ['不填为今天', 'Empty: today'] }),
        result: choice(['结果', 'Result'], INSPECTION_RESULTS, { required: true, initial: 'normal' }),
        note: longText(['说明', 'Note'], {
          max: 500,
          help: ['有问题时必填', 'Needed where there is a problem'],
        }),
        photos: images(['现场照片', 'Photos'], {
          required: true,
          min: 1,
          max: 9,
          help: ['至少 1 张', 'At least one'],
        }),
        nextInspectionOn: date(['下次巡查', 'Next inspection'], {
          help: ['须晚于本次，在托管期内；不填则没有下次', 'After this one, inside the period; empty: none'],
        }),
      },
    },
    keyOut: {
      on: 'row',
      label: ['借出钥匙', 'Hand out a key'],
      element: 'btn_key',
      from: ['accepted'],
      input: {
        count,
        person: text(['借给谁', 'To whom'], { required: true, max: 40 }),
        note: text(['说明', 'Note'], { max: 200, placeholder: ['如：带客看房', 'Such as: shows the house'] }),
      },
    },
    keyBack: {
      on: 'row',
      label: ['归还钥匙', 'Take a key back'],
      element: 'btn_key',
      from: ['accepted'],
      input: {
        count,
        person: text(['归还人', 'From whom'], { required: true, max: 40 }),
        note: text(['说明', 'Note'], { max: 200 }),
      },
    },
    finish: {
      on: 'row',
      label: ['完成', 'Finish'],
      element: 'btn_finish',
      from: ['accepted'],
      to: 'completed',
      confirm: ['完成托管 {code}？', 'Finish the custody {code}?'],
    },
    cancel: {
      on: 'row',
      label: ['取消', 'Cancel'],
      element: 'btn_cancel',
      remark: 'reason',
      from: ['to_accept', 'accepted'],
      to: 'cancelled',
      tone: 'danger',
      confirm: ['取消托管 {code}？', 'Cancel the custody {code}?'],
      input: { reason: text(['取消原因', 'Reason'], { required: true, min: 2, max: 200 }) },
    },
  },
});

export interface HouseCustody extends Row<typeof houseCustody> {}
