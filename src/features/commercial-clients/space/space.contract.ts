import {
  choice,
  date,
  decimal,
  image,
  images,
  instant,
  integer,
  lines,
  longText,
  money,
  ref,
  refs,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, part, viewOf, type Row } from '../../../kernel/contract/resource.ts';
import { positionOccupancy } from '../../public-resource/position/position.contract.ts';

/** Menu of commercial projects and their spaces. */
export const SPACE_MENU = 'proAdministration';

const seen = { readOnly: true } as const;

/** Who has a space when, in its detail: what its position has. */
export const spaceOccupancy = viewOf(positionOccupancy, {
  name: 'spaceOccupancy',
  menu: SPACE_MENU,
  title: ['占用', 'Occupancy'],
  noun: ['占用', 'Occupancy'],
  fixed: {},
  actions: ['prolong', 'release'],
});

/** What a space has today. */
export const STANDINGS = {
  free: { label: ['空闲', 'Free'], tone: 'default' },
  held: { label: ['预留', 'Held'], tone: 'warning' },
  repair: { label: ['维修', 'Repair'], tone: 'error' },
  leased: { label: ['已租', 'Let'], tone: 'success' },
} as const;

const area = { min: 0.01, max: 99_999.99, unit: ['m²', 'm²'] } as const;
const number = text(['铺位号', 'Number'], { required: true, max: 20 });
const on = date(['起始日', 'From'], {
  required: true,
  help: ['新铺位自该日启用，原铺位同日关闭', 'First day of the new spaces; the old ones close on it'],
});
const reason = text(['原因', 'Reason'], { required: true, min: 2, max: 200 });

/** Shops, offices, venues and kiosks of commercial projects that are let by time. */
export const space = defineResource({
  name: 'space',
  menu: SPACE_MENU,
  title: ['铺位', 'Spaces'],
  noun: ['铺位', 'Space'],
  titleField: 'number',
  stamps: true,
  purpose: [
    '商业项目的铺位：每个铺位对应一个「铺位」点位，状态由当天的占用得出；可拆分、合并，历史保留',
    'Spaces of commercial projects: each is a position, and its state follows from who has it today. They are split and combined, and keep their history',
  ],
  fields: {
    number: text(['铺位号', 'Number'], {
      required: true,
      max: 20,
      keyword: true,
      sortable: true,
      width: 100,
      help: ['项目内不重复', 'Once in a project'],
    }),
    project: ref('project', ['项目', 'Project'], {
      required: true,
      createOnly: true,
      search: 'in',
      width: 120,
    }),
    building: {
      ...ref('building', ['楼栋', 'Building'], {
        required: true,
        createOnly: true,
        search: 'in',
        width: 100,
      }),
      within: 'project',
    },
    floor: integer(['楼层', 'Floor'], {
      required: true,
      min: -9,
      max: 99,
      createOnly: true,
      width: 70,
      help: ['地下为负数', 'Below ground: negative'],
    }),
    place: text(['楼层位置', 'Floor of a building'], { ...seen, search: 'equals' }),
    kind: choice(
      ['类型', 'Kind'],
      {
        shop: { label: ['商铺', 'Shop'] },
        office: { label: ['办公', 'Office'] },
        venue: { label: ['场地', 'Venue'] },
        kiosk: { label: ['多经点', 'Kiosk'] },
      },
      { required: true, initial: 'shop', search: 'in', width: 80 },
    ),
    builtArea: decimal(['建筑面积', 'Built area'], {
      ...area,
      required: true,
      search: 'range',
      sortable: true,
      width: 110,
    }),
    usableArea: decimal(['使用面积', 'Usable area'], {
      ...area,
      width: 110,
      help: ['不大于建筑面积', 'Not above the built area'],
    }),
    format: ref('bizDict.space_type', ['业态', 'Use'], { search: 'in', width: 110 }),
    rent: money(['期望租金', 'Expected rent'], {
      required: true,
      min: 1,
      max: 9_999_999,
      search: 'range',
      sortable: true,
      width: 110,
      help: ['每平方米每月', 'Per m² and month'],
    }),
    rentMin: money(['最低租金', 'Least rent'], {
      min: 0,
      max: 9_999_999,
      width: 110,
      help: ['每平方米每月，不高于期望租金', 'Per m² and month, not above the expected rent'],
    }),
    standing: choice(['状态', 'State'], STANDINGS, { ...seen, search: 'in', width: 80 }),
    tenant: text(['承租品牌', 'Tenant'], { ...seen, width: 130 }),
    endsOn: date(['到期日', 'Let until'], { ...seen, search: 'range', width: 110 }),
    vacantDays: integer(['空置天数', 'Days vacant'], { ...seen, search: 'range', width: 96 }),
    interested: integer(['意向客户', 'Interested'], {
      ...seen,
      width: 96,
      help: [
        '意向项目、面积（±20%）与租金相符的在谈客户，您可见的',
        'Open clients you see whose projects, area (±20 %) and rent fit',
      ],
    }),
    deliveredOn: date(['交付日期', 'Delivered on'], { width: 110 }),
    facilities: text(['配套条件', 'Facilities'], {
      max: 200,
      width: 180,
      placeholder: ['排烟、燃气、上下水、电容量', 'Exhaust, gas, water, power'],
    }),
    photos: images(['照片', 'Photos'], { max: 9, width: 70 }),
    plan: image(['楼层平面图', 'Floor plan'], {}),
    pin: text(['平面图位置', 'Place on the plan'], {
      max: 11,
      pattern: {
        source: '\\d{1,5},\\d{1,5}',
        message: ['格式为 横向,纵向（0–10000）', 'Across,down (0 to 10000)'],
      },
      help: ['在平面图上点击标注', 'Click on the plan'],
    }),
    opensOn: date(['启用日', 'Opens on'], { ...seen, width: 110 }),
    closedOn: date(['关闭日', 'Closed from'], { ...seen, width: 110 }),
    closeReason: text(['关闭原因', 'Why closed'], { ...seen, width: 160 }),
    origin: text(['来自', 'Made of'], { ...seen, width: 160 }),
    successors: text(['变为', 'Became'], { ...seen, width: 160 }),
  },
  list: {
    columns: [
      'number',
      'standing',
      'tenant',
      'endsOn',
      'kind',
      'builtArea',
      'format',
      'rent',
      'vacantDays',
      'interested',
      'project',
      'building',
      'floor',
      'usableArea',
      'rentMin',
      'facilities',
      'deliveredOn',
      'opensOn',
      'closedOn',
      'updatedAt',
    ],
    hidden: ['usableArea', 'rentMin', 'facilities', 'deliveredOn', 'opensOn', 'closedOn', 'updatedAt'],
    filters: [
      'project',
      'building',
      'place',
      'kind',
      'standing',
      'builtArea',
      'rent',
      'vacantDays',
      'endsOn',
      'format',
    ],
    sort: 'number',
    link: 'number',
    tabs: [
      { key: 'present', label: ['在用', 'In use'], named: true },
      { key: 'closed', label: ['已关闭', 'Closed'], named: true },
    ],
    export: true,
    empty: ['此处没有铺位', 'There are no spaces here'],
  },
  importable: {
    key: 'number',
    mode: 'insert',
    fields: [
      'number',
      'project',
      'building',
      'floor',
      'kind',
      'builtArea',
      'usableArea',
      'format',
      'rent',
      'rentMin',
      'deliveredOn',
      'facilities',
    ],
  },
  elements: { btn_import: ['导入', 'Import'] },
  form: {
    width: 720,
    sections: [
      {
        title: ['铺位', 'Space'],
        fields: ['project', 'building', 'floor', 'number', 'kind', 'builtArea', 'usableArea', 'format'],
      },
      {
        title: ['租金与交付', 'Rent and delivery'],
        fields: ['rent', 'rentMin', 'deliveredOn', 'facilities'],
      },
      { title: ['图片', 'Pictures'], fields: ['photos', 'plan', 'pin'] },
    ],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['铺位', 'Space'],
        fields: [
          'project',
          'building',
          'floor',
          'kind',
          'builtArea',
          'usableArea',
          'format',
          'rent',
          'rentMin',
          'deliveredOn',
          'facilities',
          'photos',
        ],
      },
      {
        title: ['出租', 'Letting'],
        fields: ['standing', 'tenant', 'endsOn', 'vacantDays', 'interested'],
      },
      {
        title: ['变动', 'Changes'],
        fields: ['opensOn', 'origin', 'closedOn', 'closeReason', 'successors'],
      },
      { title: ['记录', 'Record'], fields: ['creator', 'createdAt', 'updater', 'updatedAt'] },
    ],
    parts: [
      part({ key: 'occupancies', title: ['占用', 'Occupancy'], resource: spaceOccupancy, by: 'position' }),
    ],
  },
  actions: {
    create: { on: 'page', label: ['新增铺位', 'Add a space'], element: 'btn_add', tone: 'primary' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_edit' },
    hold: {
      on: 'row',
      label: ['预留', 'Hold'],
      element: 'btn_hold',
      untouched: true,
      input: {
        from: date(['开始', 'From'], { required: true }),
        to: date(['结束', 'To'], { required: true, help: ['含当日', 'That day included'] }),
        reason,
        client: ref('spaceClient', ['客户', 'Client'], {}),
        until: date(['预留到', 'Held until'], {
          required: true,
          help: ['含当日，到期自动释放', 'That day included; it is released by itself then'],
        }),
      },
      message: ['已预留', 'Held'],
    },
    contract: {
      on: 'row',
      label: ['起草合同', 'Draft a contract'],
      element: 'btn_contract',
      opens: 'screen',
      untouched: true,
    },
    split: {
      on: 'row',
      label: ['拆分', 'Split'],
      element: 'btn_split',
      input: {
        pieces: lines(
          ['新铺位', 'New spaces'],
          {
            number,
            builtArea: decimal(['建筑面积', 'Built area'], { ...area, required: true }),
            usableArea: decimal(['使用面积', 'Usable area'], area),
          },
          {
            required: true,
            min: 2,
            max: 10,
            help: ['面积之和须等于原面积', 'Their areas add up to that of the old one'],
          },
        ),
        on,
        reason,
      },
      message: ['已拆分为 {numbers}', 'Split into {numbers}'],
    },
    combine: {
      on: 'row',
      label: ['合并', 'Combine'],
      element: 'btn_combine',
      input: {
        others: refs('spaceBeside', ['与之合并的铺位', 'With'], {
          required: true,
          max: 9,
          help: ['同一楼层、未关闭的铺位', 'Spaces of the same floor that are not closed'],
        }),
        number,
        on,
        reason,
      },
      message: ['已合并为 {number}', 'Combined into {number}'],
    },
    close: {
      on: 'row',
      label: ['关闭', 'Close'],
      element: 'btn_close',
      tone: 'danger',
      input: {
        on: date(['关闭日', 'Closed from'], {
          required: true,
          help: ['自该日起不再出租，历史保留', 'It is let no more from that day; its history stays'],
        }),
        reason,
      },
      message: ['已关闭', 'Closed'],
    },
  },
});

/** Business people of projects; who works for one is no owner of its clients by that. */
export const projectPerson = defineResource({
  name: 'projectPerson',
  menu: SPACE_MENU,
  title: ['参与人', 'People'],
  noun: ['参与人', 'Person'],
  titleField: 'staff',
  purpose: [
    '项目的招商人员；增减参与人不改变客户的负责人',
    'Business people of the project; adding or removing one leaves the owners of clients as they are',
  ],
  fields: {
    project: ref('project', ['项目', 'Project'], {
      required: true,
      createOnly: true,
      search: 'in',
      width: 160,
    }),
    staff: ref('businessStaff', ['姓名', 'Name'], { required: true, createOnly: true, width: 120 }),
    department: text(['部门', 'Department'], { ...seen, width: 140 }),
    leader: text(['上级', 'Leader'], { ...seen, width: 110 }),
    standing: choice(
      ['状态', 'State'],
      {
        active: { label: ['在岗', 'Active'], tone: 'success' },
        paused: { label: ['暂停', 'Paused'], tone: 'paused' },
        leaving: { label: ['离职中', 'Leaving'], tone: 'warning' },
        left: { label: ['已离职', 'Left'], tone: 'default' },
      },
      { ...seen, width: 90 },
    ),
    clients: integer(['本项目客户数', 'Clients of the project'], { ...seen, width: 110 }),
    addedAt: instant(['加入', 'Since'], { ...seen, sortable: true, width: 110 }),
  },
  list: {
    columns: ['staff', 'department', 'leader', 'standing', 'clients', 'addedAt', 'project'],
    filters: ['project'],
    sort: '-addedAt',
    empty: ['该项目还没有招商人员', 'The project has no business people yet'],
  },
  form: { sections: [{ title: ['参与人', 'Person'], fields: ['project', 'staff'] }] },
  actions: {
    create: { on: 'page', label: ['添加参与人', 'Add a person'], element: 'btn_people', tone: 'primary' },
    remove: {
      on: 'row',
      label: ['移除', 'Remove'],
      element: 'btn_people',
      tone: 'danger',
      confirm: [
        '移除该参与人？其客户的负责人不变',
        'Remove this person? The owners of clients stay as they are',
      ],
    },
  },
});

/** What goes on in a commercial project. */
export const projectProgress = defineResource({
  name: 'projectProgress',
  menu: SPACE_MENU,
  title: ['项目进展', 'Progress'],
  noun: ['进展', 'Note'],
  titleField: 'content',
  stamps: true,
  fields: {
    project: ref('project', ['项目', 'Project'], {
      required: true,
      createOnly: true,
      search: 'in',
      width: 160,
    }),
    onDay: date(['日期', 'Day'], { required: true, sortable: true, search: 'range', width: 110 }),
    content: longText(['内容', 'Content'], { required: true, min: 2, max: 1_000, width: 420 }),
  },
  list: {
    columns: ['onDay', 'content', 'creator', 'project'],
    filters: ['project', 'onDay'],
    sort: '-onDay',
    empty: ['还没有进展', 'There is no note yet'],
  },
  form: { sections: [{ title: ['进展', 'Note'], fields: ['project', 'onDay', 'content'] }] },
  actions: {
    create: { on: 'page', label: ['写进展', 'Add a note'], element: 'btn_progress', tone: 'primary' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_progress' },
  },
});

export interface SpaceRow extends Row<typeof space> {}

/** A floor of the tree with its spaces. */
export interface FloorLine {
  readonly projectId: string;
  readonly project: string;
  readonly buildingId: string;
  readonly building: string;
  readonly floor: number;
  readonly spaces: number;
  /** Those nobody has today. */
  readonly vacant: number;
}

/** A space as the floor plan draws it. */
export interface PlanSpace {
  readonly id: string;
  readonly number: string;
  readonly planId: string | null;
  readonly pinX: number | null;
  readonly pinY: number | null;
  readonly standing: keyof typeof STANDINGS;
  readonly tenant: string;
  readonly endsOn: string | null;
  /** Yuan per m² and month. */
  readonly rent: string;
}

/** A space that fits what a client wants. Area in m², rent in yuan per m² and month. */
export interface MatchingSpace {
  readonly id: string;
  readonly version: number;
  readonly number: string;
  readonly project: string;
  readonly building: string;
  readonly floor: number;
  readonly area: string;
  readonly rent: string;
  /** First day nobody has it. */
  readonly freeFrom: string;
  /** 100 less the deviation of its area in percent. */
  readonly fit: number;
}

/** Figures of a commercial project. Areas in m², rent in yuan. */
export interface SpaceOverview {
  readonly spaces: number;
  readonly area: string;
  readonly letArea: string;
  /** Percent of the area nobody leases; empty where there is no space. */
  readonly vacancy: string;
  /** Per m² and month, of contracts in force; empty where there is none. */
  readonly averageRent: string;
  readonly endings: readonly { readonly quarter: string; readonly contracts: number }[];
  readonly stages: readonly { readonly stage: string; readonly clients: number }[];
  readonly contracts: readonly {
    readonly id: string;
    readonly code: string;
    readonly name: string;
    readonly partyB: string;
    readonly endsOn: string;
    readonly state: string;
  }[];
}
