import {
  boolean,
  choice,
  date,
  decimal,
  image,
  images,
  instant,
  integer,
  longText,
  money,
  ref,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, part, viewOf } from '../../../kernel/contract/resource.ts';

/** Menu of positions. */
export const POSITION_MENU = 'positionList';
/** Menu of the availability board. */
export const BOARD_MENU = 'pointList';

const seen = { readOnly: true } as const;

/** What takes a position for some days. */
export const OCCUPANCY_KINDS = {
  lease: { label: ['出租', 'Lease'], tone: 'success' },
  hold: { label: ['预留', 'Hold'], tone: 'warning' },
  repair: { label: ['维修', 'Repair'], tone: 'error' },
} as const;

/** Who has a position when, in its detail. */
export const positionOccupancy = defineResource({
  name: 'positionOccupancy',
  menu: POSITION_MENU,
  title: ['占用', 'Occupancy'],
  noun: ['占用', 'Occupancy'],
  titleField: 'reason',
  fields: {
    position: ref('position', ['点位', 'Position'], { ...seen, search: 'in', width: 150 }),
    kind: choice(['类型', 'Kind'], OCCUPANCY_KINDS, { ...seen, search: 'in', width: 80 }),
    from: date(['开始', 'From'], { ...seen, sortable: true, width: 110 }),
    to: date(['结束', 'To'], { ...seen, sortable: true, width: 110 }),
    within: date(['占用时段', 'Taken in'], { ...seen, search: 'range' }),
    standing: choice(
      ['状态', 'State'],
      {
        coming: { label: ['未开始', 'To come'], tone: 'processing' },
        running: { label: ['进行中', 'Running'], tone: 'success' },
        over: { label: ['已结束', 'Over'], tone: 'default' },
        released: { label: ['已释放', 'Released'], tone: 'default' },
      },
      { ...seen, search: 'in', width: 90 },
    ),
    client: text(['客户', 'Client'], { ...seen, width: 150 }),
    contract: ref('contract', ['合同', 'Contract'], { ...seen, width: 170 }),
    reason: text(['事由', 'Reason'], { ...seen, width: 180 }),
    holder: ref('staff', ['预留人', 'Held by'], { ...seen, search: 'in', width: 100 }),
    expiresAt: instant(['预留到', 'Held until'], { ...seen, width: 150 }),
    releasedAt: instant(['释放时间', 'Released'], { ...seen, width: 150 }),
    releaseReason: text(['释放原因', 'Why released'], { ...seen, width: 140 }),
  },
  list: {
    columns: [
      'kind',
      'from',
      'to',
      'standing',
      'client',
      'contract',
      'reason',
      'holder',
      'expiresAt',
      'releasedAt',
      'releaseReason',
      'position',
    ],
    filters: ['position', 'kind', 'standing', 'holder', 'within'],
    sort: '-from',
    empty: ['没有占用', 'Nobody had it'],
  },
  actions: {
    expire: { on: 'system', label: ['预留到期', 'The hold ended'], element: 'btn_release' },
    prolong: {
      on: 'row',
      label: ['延期一次', 'Prolong once'],
      element: 'btn_hold',
      input: {
        until: date(['预留到', 'Held until'], {
          required: true,
          help: ['含当日；只能延期一次', 'That day included; once only'],
        }),
      },
    },
    release: {
      on: 'row',
      label: ['释放', 'Release'],
      element: 'btn_release',
      tone: 'danger',
      input: { reason: text(['原因', 'Reason'], { max: 200 }) },
    },
  },
});

/** What a position cost, in its detail. */
export const positionPrice = defineResource({
  name: 'positionPrice',
  menu: POSITION_MENU,
  title: ['价格记录', 'Prices'],
  noun: ['价格', 'Price'],
  titleField: 'at',
  fields: {
    position: ref('position', ['点位', 'Position'], { ...seen, search: 'in', width: 150 }),
    at: instant(['起于', 'From'], { ...seen, sortable: true, width: 160 }),
    listPrice: money(['刊例价', 'List price'], { ...seen, width: 120 }),
    floorPrice: money(['底价', 'Floor price'], { ...seen, width: 120 }),
    staff: text(['操作人', 'By'], { ...seen, width: 110 }),
  },
  list: {
    columns: ['at', 'listPrice', 'floorPrice', 'staff', 'position'],
    filters: ['position'],
    sort: '-at',
    empty: ['没有价格记录', 'No price yet'],
  },
});

/** How prices of several positions change. */
const PRICE_WAYS = {
  percent: { label: ['按比例', 'By a percentage'] },
  add: { label: ['按金额', 'By an amount'] },
  set: { label: ['统一为', 'All to'] },
} as const;

const from = date(['开始', 'From'], { required: true });
const to = date(['结束', 'To'], { required: true, help: ['含当日', 'That day included'] });
const reason = text(['事由', 'Reason'], { required: true, min: 2, max: 200 });

/** Positions of projects that are let by time. */
export const position = defineResource({
  name: 'position',
  menu: POSITION_MENU,
  title: ['点位台账', 'Positions'],
  noun: ['点位', 'Position'],
  titleField: 'code',
  stamps: true,
  deletable: 'unused',
  purpose: [
    '各项目可按时间出租的广告位、场地、铺位与设备机位；状态由当天的占用得出，同一点位的占用不能重叠',
    'Advertising frames, venues, shops and device slots let by time; the state follows from who has it today, and nobody has it twice',
  ],
  modes: { detail: 'positionDetails' },
  fields: {
    photos: images(['照片', 'Photos'], { max: 9, width: 70 }),
    code: text(['编码', 'Code'], { required: true, max: 30, keyword: true, sortable: true, width: 120 }),
    name: text(['名称', 'Name'], { required: true, max: 40, keyword: true, width: 160 }),
    project: ref('project', ['项目', 'Project'], {
      required: true,
      createOnly: true,
      search: 'in',
      width: 130,
    }),
    type: ref('bizDict.position_type', ['类型', 'Type'], { required: true, search: 'in', width: 110 }),
    building: {
      ...ref('building', ['楼栋', 'Building'], {
        width: 110,
        help: ['不填为公共区域', 'Empty: the public area'],
      }),
      within: 'project',
    },
    location: text(['位置', 'Location'], { max: 100, keyword: true, width: 170 }),
    width: integer(['宽', 'Width'], { min: 1, max: 100_000, unit: ['mm', 'mm'] }),
    height: integer(['高', 'Height'], { min: 1, max: 100_000, unit: ['mm', 'mm'] }),
    area: decimal(['面积', 'Area'], { min: 0.01, max: 100_000, scale: 2, unit: ['m²', 'm²'] }),
    size: text(['尺寸', 'Size'], { ...seen, width: 130 }),
    listPrice: money(['刊例价', 'List price'], {
      required: true,
      min: 1,
      sortable: true,
      search: 'range',
      width: 120,
      help: ['每月', 'A month'],
    }),
    floorPrice: money(['底价', 'Floor price'], {
      min: 0,
      width: 110,
      help: ['每月，不高于刊例价；不填则没有底价', 'A month, not above the list price; empty: there is none'],
    }),
    plan: image(['平面图', 'Floor plan'], {}),
    pinX: integer(['横向位置', 'Pin, across'], {
      min: 0,
      max: 10_000,
      help: ['0–10000，自左向右', '0 to 10000 from the left'],
    }),
    pinY: integer(['纵向位置', 'Pin, down'], {
      min: 0,
      max: 10_000,
      help: ['0–10000，自上向下', '0 to 10000 from the top'],
    }),
    description: longText(['说明', 'Description'], { max: 500 }),
    standing: choice(
      ['状态', 'State'],
      {
        free: { label: ['空闲', 'Free'], tone: 'default' },
        held: { label: ['预留', 'Held'], tone: 'warning' },
        repair: { label: ['维修', 'Repair'], tone: 'error' },
        leased: { label: ['已租', 'Leased'], tone: 'success' },
      },
      { ...seen, search: 'in', width: 80 },
    ),
    user: text(['当前使用', 'Current user'], { ...seen, width: 150 }),
    until: date(['至', 'Until'], { ...seen, width: 110 }),
    occupied: integer(['近 12 月出租率', 'Let, 12 months'], { ...seen, unit: ['%', '%'], width: 120 }),
    freeIn: date(['空闲时段', 'Free in'], { ...seen, search: 'range' }),
    enabled: boolean(['启用', 'Enabled'], { ...seen, search: 'equals', width: 72 }),
  },
  list: {
    columns: [
      'photos',
      'code',
      'name',
      'project',
      'type',
      'standing',
      'listPrice',
      'user',
      'until',
      'occupied',
      'location',
      'size',
      'enabled',
      'floorPrice',
      'updatedAt',
    ],
    hidden: ['floorPrice', 'updatedAt'],
    filters: ['project', 'type', 'standing', 'listPrice', 'freeIn', 'enabled'],
    sort: '-createdAt',
    link: 'code',
    export: true,
    empty: ['还没有点位', 'There are no positions yet'],
  },
  importable: {
    key: 'code',
    mode: 'insert',
    fields: [
      'code',
      'name',
      'project',
      'type',
      'building',
      'location',
      'width',
      'height',
      'area',
      'listPrice',
      'floorPrice',
      'description',
    ],
  },
  elements: { btn_import: ['导入', 'Import'] },
  form: {
    width: 720,
    sections: [
      {
        title: ['点位', 'Position'],
        fields: ['code', 'name', 'project', 'type', 'building', 'location', 'width', 'height', 'area'],
      },
      { title: ['价格', 'Price'], fields: ['listPrice', 'floorPrice'] },
      { title: ['图片', 'Pictures'], fields: ['photos', 'plan', 'pinX', 'pinY'] },
      { title: ['说明', 'Description'], fields: ['description'] },
    ],
  },
  detail: {
    mode: 'page',
    sections: [
      {
        title: ['点位', 'Position'],
        fields: [
          'name',
          'project',
          'type',
          'building',
          'location',
          'size',
          'listPrice',
          'floorPrice',
          'standing',
          'user',
          'until',
          'occupied',
          'enabled',
          'description',
          'photos',
          'plan',
        ],
      },
      { title: ['记录', 'Record'], fields: ['creator', 'createdAt', 'updater', 'updatedAt'] },
    ],
    parts: [
      part({ key: 'occupancies', title: ['占用', 'Occupancy'], resource: positionOccupancy, by: 'position' }),
      part({ key: 'prices', title: ['价格记录', 'Prices'], resource: positionPrice, by: 'position' }),
    ],
  },
  actions: {
    create: { on: 'page', label: ['新增点位', 'Add a position'], element: 'btn_add', tone: 'primary' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_edit' },
    hold: {
      on: 'row',
      label: ['预留', 'Hold'],
      element: 'btn_hold',
      untouched: true,
      input: {
        from,
        to,
        reason,
        client: ref('positionClient', ['客户', 'Client'], {}),
        until: date(['预留到', 'Held until'], {
          required: true,
          help: ['含当日，到期自动释放', 'That day included; it is released by itself then'],
        }),
      },
      message: ['已预留', 'Held'],
    },
    repair: {
      on: 'row',
      label: ['登记维修', 'Repair'],
      element: 'btn_repair',
      untouched: true,
      input: { from, to, reason },
      message: ['已登记维修', 'The repair is entered'],
    },
    price: {
      on: 'bulk',
      label: ['调价', 'Change prices'],
      element: 'btn_price',
      bulkMax: 500,
      input: {
        way: choice(['方式', 'How'], PRICE_WAYS, { required: true, initial: 'percent' }),
        percent: integer(['调整比例', 'Change'], {
          min: -90,
          max: 300,
          unit: ['%', '%'],
          help: [
            '按比例时填写，负数为下调；四舍五入到分',
            'With a percentage; negative lowers; rounded to the fen',
          ],
        }),
        amount: money(['金额', 'Amount'], {
          min: -100_000_000,
          help: ['按金额增减（负数为下调）或统一为此价', 'Added, negative lowers; or the price all get'],
        }),
      },
      message: ['已调价', 'The prices are changed'],
    },
    enable: { on: 'rowAndBulk', label: ['启用', 'Enable'], element: 'btn_enable' },
    disable: {
      on: 'rowAndBulk',
      label: ['停用', 'Disable'],
      element: 'btn_enable',
      confirm: ['停用后不能再预留或出租。', 'It cannot be held or let any more.'],
    },
    remove: { on: 'row', label: ['删除', 'Delete'], element: 'btn_del', tone: 'danger' },
  },
});

/** The positions of the availability board, with rights of its own. */
export const boardPosition = viewOf(position, {
  name: 'boardPosition',
  menu: BOARD_MENU,
  title: ['点位档期', 'Availability board'],
  noun: ['点位', 'Position'],
  purpose: [
    '按时间看各点位的预留、出租与维修；选择空闲时段可一次预留多个点位',
    'Holds, leases and repairs of positions in time; free days of several positions are held at once',
  ],
  modes: {},
  fixed: {},
  elements: { ...position.elements, btn_draft: ['起草合同', 'Draft a contract'] },
  actions: ['hold'],
});

/** Holds seen on the board. */
export const boardOccupancy = viewOf(positionOccupancy, {
  name: 'boardOccupancy',
  menu: BOARD_MENU,
  title: ['占用', 'Occupancy'],
  noun: ['占用', 'Occupancy'],
  fixed: {},
  actions: ['prolong', 'release'],
});
