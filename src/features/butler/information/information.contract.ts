import {
  boolean,
  choice,
  date,
  image,
  integer,
  longText,
  money,
  percent,
  phone,
  ref,
  refs,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, part, type Resource, type Row } from '../../../kernel/contract/resource.ts';

const MENU = 'butler_information';
const seen = { readOnly: true } as const;
const KINDS = {
  main: { label: ['主管家', 'Main'], tone: 'processing' },
  stand_in: { label: ['代班', 'Stand-in'], tone: 'warning' },
} as const;

/** Houses of a butler with their days: those that are over, those of today, those to come. */
export const butlerAssignment = defineResource({
  name: 'butlerAssignment',
  menu: MENU,
  title: ['管辖范围', 'Assignments'],
  noun: ['管辖', 'Assignment'],
  titleField: 'range',
  fields: {
    butler: ref('butler', ['管家', 'Butler'], { search: 'in', width: 100 }),
    project: ref('project', ['项目', 'Project'], { search: 'in', width: 130 }),
    building: ref('butlerBuilding', ['楼栋', 'Building'], { width: 100 }),
    unit: ref('butlerBuildingUnit', ['单元', 'Unit'], { width: 90 }),
    range: text(['房号', 'Houses'], { width: 120 }),
    houses: integer(['户数', 'Houses'], { width: 76 }),
    kind: choice(['类型', 'Kind'], KINDS, { search: 'in', width: 90 }),
    phase: choice(
      ['阶段', 'Phase'],
      {
        coming: { label: ['未开始', 'To come'], tone: 'processing' },
        now: { label: ['进行中', 'Now'], tone: 'success' },
        over: { label: ['已结束', 'Over'], tone: 'default' },
      },
      { search: 'in', width: 90 },
    ),
    validFrom: date(['开始', 'From'], { sortable: true, width: 110 }),
    validTo: date(['结束', 'Until'], { width: 110 }),
    reason: text(['原因', 'Reason'], { width: 120 }),
    note: text(['说明', 'Note'], { width: 200 }),
  },
  list: {
    columns: [
      'building',
      'unit',
      'range',
      'houses',
      'kind',
      'phase',
      'validFrom',
      'validTo',
      'reason',
      'note',
      'project',
      'butler',
    ],
    filters: ['butler', 'project', 'kind', 'phase'],
    sort: '-validFrom',
    empty: ['还没有管辖', 'Nothing is assigned yet'],
  },
});

/** A handover of houses from a day on, to another butler or to nobody. */
export const butlerHandover = defineResource({
  name: 'butlerHandover',
  menu: MENU,
  title: ['交接', 'Handovers'],
  noun: ['交接', 'Handover'],
  titleField: 'place',
  stamps: true,
  purpose: [
    '生效日 00:00 起由新管家负责，之前的业绩与评价归原管家；生效前可取消',
    'From 00:00 of the day the new butler is responsible, what was before stays with the former; it can be cancelled before',
  ],
  states: {
    planned: { label: ['待生效', 'To come'], tone: 'processing' },
    done: { label: ['已生效', 'In force'], tone: 'success' },
    cancelled: { label: ['已取消', 'Cancelled'], tone: 'default' },
  },
  fields: {
    place: text(['范围', 'Houses'], { ...seen, width: 180 }),
    from: ref('butler', ['原管家', 'From'], { ...seen, search: 'in', width: 110 }),
    to: ref('butler', ['新管家', 'To'], {
      ...seen,
      search: 'in',
      width: 110,
      placeholder: ['空缺', 'Vacant'],
    }),
    houses: integer(['户数', 'Houses'], { ...seen, width: 80 }),
    projects: refs('project', ['项目', 'Projects'], { ...seen, search: 'in', width: 150 }),
    startsOn: date(['生效日期', 'From'], { ...seen, sortable: true, search: 'range', width: 120 }),
    reason: text(['原因', 'Reason'], { ...seen, width: 110 }),
    note: text(['说明', 'Note'], { ...seen, width: 200 }),
  },
  list: {
    columns: [
      'place',
      'from',
      'to',
      'houses',
      'startsOn',
      'state',
      'reason',
      'note',
      'projects',
      'creator',
      'createdAt',
    ],
    hidden: ['createdAt'],
    filters: ['from', 'to', 'projects', 'state', 'startsOn'],
    sort: '-startsOn',
    link: 'place',
    export: true,
    empty: ['还没有交接', 'No handover yet'],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['交接', 'Handover'],
        fields: [
          'place',
          'from',
          'to',
          'houses',
          'projects',
          'startsOn',
          'state',
          'reason',
          'note',
          'creator',
          'createdAt',
        ],
      },
    ],
  },
  actions: {
    cancel: {
      on: 'row',
      label: ['取消交接', 'Cancel'],
      element: 'btn_handover',
      tone: 'danger',
      from: ['planned'],
      to: 'cancelled',
      confirm: [
        '取消「{place}」的交接？房屋仍由原管家负责。',
        'Cancel the handover of “{place}”? The former butler keeps the houses.',
      ],
    },
    take: {
      on: 'system',
      label: ['交接生效', 'In force'],
      element: 'btn_handover',
      from: ['planned'],
      to: 'done',
    },
  },
});

/** A building with how many of its houses have a main butler today. */
export const butlerCoverage = defineResource({
  name: 'butlerCoverage',
  menu: MENU,
  title: ['覆盖', 'Coverage'],
  noun: ['楼栋', 'Building'],
  purpose: [
    '每栋楼今日的主管家与无管家户数；空缺率 = 无管家户数 ÷ 总户数',
    'The main butlers of each building today, and houses without one; vacancy is these ÷ all houses',
  ],
  titleField: 'name',
  fields: {
    project: ref('project', ['项目', 'Project'], { search: 'in', sortable: true, width: 160 }),
    name: text(['楼栋', 'Building'], { keyword: true, width: 140 }),
    butlers: text(['主管家', 'Main butlers'], { width: 240 }),
    houses: integer(['总户数', 'Houses'], { width: 90 }),
    vacant: integer(['无管家户数', 'Vacant'], { width: 110 }),
    vacancy: percent(['空缺率', 'Vacancy'], { scale: 1, width: 90 }),
    covered: choice(
      ['覆盖', 'Coverage'],
      {
        all: { label: ['全部', 'All'], tone: 'success' },
        part: { label: ['部分', 'Part'], tone: 'warning' },
        none: { label: ['空缺', 'None'], tone: 'error' },
      },
      { search: 'in', width: 90 },
    ),
  },
  list: {
    columns: ['name', 'project', 'butlers', 'houses', 'vacant', 'vacancy', 'covered'],
    filters: ['project', 'covered'],
    sort: 'project',
    link: 'name',
    sums: ['houses', 'vacant'],
    export: true,
    empty: ['没有楼栋', 'There are no buildings'],
  },
});

const places = {
  buildings: refs('butlerBuilding', ['楼栋', 'Buildings'], { max: 200 }),
  units: refs('butlerBuildingUnit', ['单元', 'Units'], { max: 500 }),
  houses: refs('butlerHouse', ['房屋', 'Houses'], { max: 500 }),
};

/** A butler with the houses, and what was earned this month. The same rows as the housekeepers of the property. */
export const butlerInfo = defineResource({
  name: 'butlerInfo',
  menu: MENU,
  title: ['管家信息', 'Butlers'],
  noun: ['管家', 'Butler'],
  titleField: 'name',
  sensitive: true,
  stamps: true,
  purpose: [
    '与管家管理为同一数据；移交从生效日起由新管家负责，之前的业绩归原管家',
    'The same rows as the housekeepers; a handover counts from its day on, results before it stay with the former',
  ],
  fields: {
    staff: ref('butlerCandidate', ['员工', 'Staff'], {
      required: true,
      createOnly: true,
      help: ['从本公司在职员工中选择', 'Somebody who works for the company'],
    }),
    name: text(['姓名', 'Name'], { ...seen, keyword: true, width: 90 }),
    photo: image(['照片', 'Photo'], { width: 72 }),
    staffNo: text(['工号', 'Staff no.'], { ...seen, width: 100 }),
    contactPhone: phone(['联系电话', 'Contact phone'], { required: true, width: 130 }),
    introduction: longText(['简介', 'Introduction'], { max: 200 }),
    serviceHours: text(['服务时间', 'Service hours'], {
      max: 60,
      width: 150,
      placeholder: ['每日 09:00–18:00', 'Daily 09:00–18:00'],
    }),
    firstBuildings: refs('butlerBuilding', ['楼栋', 'Buildings'], {
      max: 200,
      createOnly: true,
      help: ['楼栋、单元、房屋至少选一项', 'A building, unit or house at least'],
    }),
    firstUnits: refs('butlerBuildingUnit', ['单元', 'Units'], { max: 500, createOnly: true }),
    firstHouses: refs('butlerHouse', ['房屋', 'Houses'], { max: 500, createOnly: true }),
    firstDay: date(['开始日期', 'From'], { required: true, createOnly: true }),
    centres: refs('centreCity', ['中心城市', 'Centre cities'], { ...seen, search: 'in', width: 110 }),
    unit: refs('butlerUnit', ['管理单元', 'Unit'], { ...seen, search: 'in', width: 110 }),
    projects: refs('project', ['项目', 'Projects'], { ...seen, search: 'in', width: 150 }),
    buildings: text(['楼栋', 'Buildings'], { ...seen, width: 160 }),
    houses: integer(['户数', 'Houses'], { ...seen, width: 76 }),
    households: integer(['住户数', 'Households'], { ...seen, width: 90 }),
    qr: text(['二维码', 'QR'], { ...seen, width: 80 }),
    standInNow: text(['代班', 'Stand-in now'], { ...seen, width: 96 }),
    standIn: ref('butler', ['代班人', 'Stand-in'], { ...seen, width: 96 }),
    standInFrom: date(['代班开始', 'Stand-in from'], { ...seen, width: 110 }),
    standInTo: date(['代班结束', 'Stand-in until'], { ...seen, width: 110 }),
    leave: text(['已批休假', 'Approved leave'], { ...seen, width: 180 }),
    uncovered: boolean(['待安排代班', 'Without a stand-in'], { ...seen, search: 'equals', width: 96 }),
    validMonth: money(['本月业绩', 'Valid this month'], { ...seen, width: 110 }),
    duty: choice(
      ['状态', 'State'],
      {
        on: { label: ['在岗', 'On duty'], tone: 'success' },
        leave: { label: ['请假', 'On leave'], tone: 'warning' },
        left: { label: ['离岗', 'Left'], tone: 'default' },
      },
      { ...seen, search: 'in', width: 84 },
    ),
  },
  list: {
    columns: [
      'name',
      'photo',
      'staffNo',
      'contactPhone',
      'duty',
      'houses',
      'households',
      'validMonth',
      'standInNow',
      'qr',
      'projects',
      'buildings',
      'centres',
      'leave',
    ],
    hidden: ['leave'],
    filters: ['centres', 'unit', 'projects', 'duty', 'uncovered'],
    sort: '-createdAt',
    link: 'name',
    export: true,
    empty: ['还没有管家', 'No butler yet'],
  },
  form: {
    width: 640,
    sections: [
      {
        title: ['管家', 'Butler'],
        fields: ['staff', 'contactPhone', 'photo', 'introduction', 'serviceHours'],
      },
      {
        title: ['管辖', 'Houses'],
        fields: ['firstBuildings', 'firstUnits', 'firstHouses', 'firstDay'],
      },
    ],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['管家', 'Butler'],
        fields: ['name', 'photo', 'staffNo', 'contactPhone', 'introduction', 'serviceHours', 'duty', 'leave'],
      },
      {
        title: ['管辖', 'Houses'],
        fields: [
          'centres',
          'projects',
          'buildings',
          'houses',
          'households',
          'validMonth',
          'standIn',
          'standInFrom',
          'standInTo',
        ],
      },
    ],
    parts: [
      part({
        key: 'assignments',
        title: butlerAssignment.title,
        resource: butlerAssignment as unknown as Resource,
        by: 'butler',
      }),
    ],
  },
  importable: {
    key: 'contactPhone',
    mode: 'insert',
    fields: ['staff', 'contactPhone', 'introduction', 'serviceHours', 'firstBuildings', 'firstDay'],
  },
  elements: {
    btn_qr: ['二维码', 'QR code'],
    btn_import: ['导入', 'Import'],
    btn_reveal: ['查看完整信息', 'Show in full'],
  },
  actions: {
    create: { on: 'page', label: ['新增', 'Add'], element: 'btn_add', tone: 'primary' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_edit' },
    assign: {
      on: 'row',
      label: ['分配', 'Assign'],
      element: 'btn_edit',
      input: {
        ...places,
        from: date(['开始日期', 'From'], { required: true }),
        to: date(['结束日期', 'Until']),
        note: text(['说明', 'Note'], { max: 200 }),
      },
      message: ['已分配 {houses} 户', '{houses} houses assigned'],
    },
    handover: {
      on: 'row',
      label: ['交接', 'Hand over'],
      element: 'btn_handover',
      input: {
        successor: ref('butler', ['新管家', 'To'], {
          help: ['不选时须确认空缺', 'Left out, the houses have to be vacant'],
        }),
        vacant: boolean(['空缺，暂无新管家', 'Vacant, nobody for now'], { initial: false }),
        ...places,
        handoverDay: date(['生效日期', 'From'], { required: true }),
        note: text(['说明', 'Note'], { max: 200 }),
      },
      message: ['已交接 {houses} 户', '{houses} houses handed over'],
    },
    standIn: {
      on: 'row',
      label: ['代班', 'Stand-in'],
      element: 'btn_standIn',
      input: {
        standIn: ref('butler', ['代班人', 'Stand-in'], { required: true }),
        standInFrom: date(['开始日期', 'From'], { required: true }),
        standInTo: date(['结束日期', 'Until'], { required: true, help: ['最长 60 天', 'At most 60 days'] }),
      },
    },
    leave: {
      on: 'row',
      label: ['离岗', 'Leave'],
      element: 'btn_leave',
      tone: 'danger',
      confirm: [
        '「{name}」离岗？其分享链接即刻不再计入业绩。',
        'Has “{name}” left? The links attribute nothing from now on.',
      ],
    },
    qr: {
      on: 'bulk',
      label: ['下载二维码', 'Download QR codes'],
      element: 'btn_qr',
      opens: 'screen',
      untouched: true,
    },
  },
});

export interface ButlerInfo extends Row<typeof butlerInfo> {}

/** What goes along with houses that are handed over. */
export interface HandoverLoad {
  readonly houses: number;
  readonly workOrders: number;
  readonly reminders: number;
  readonly bills: number;
  readonly owed: string;
}

/** A unit in the matrix of a project: its houses by butler, the rest is vacant. */
export interface CoverageUnit {
  readonly id: string;
  readonly name: string;
  readonly houses: number;
  readonly vacant: number;
  readonly butlers: readonly { readonly id: string; readonly name: string; readonly houses: number }[];
}

/** The matrix of a project. */
export interface CoverageMatrix {
  readonly buildings: readonly {
    readonly id: string;
    readonly name: string;
    readonly units: readonly CoverageUnit[];
  }[];
  /** Who may be given houses. */
  readonly butlers: readonly { readonly id: string; readonly name: string; readonly houses: number }[];
}
