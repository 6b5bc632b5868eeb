import {
  boolean,
  choice,
  code,
  date,
  decimal,
  idNumber,
  image,
  instant,
  integer,
  longText,
  money,
  personName,
  phone,
  ref,
  text,
  treeRef,
} from '../../../kernel/contract/fields.ts';
import { defineResource, part, type Resource, type Row } from '../../../kernel/contract/resource.ts';
import { HOUSEHOLD_STATUSES, IDENTITIES } from '../../../domain/residents/registration.rules.ts';
import {
  HOUSE_MENU,
  houseBill,
  houseDecoration,
  houseKeeping,
  houseOrder,
  housePrepaid,
  houseSpace,
  houseVisit,
} from './house-parts.contract.ts';

const seen = { readOnly: true } as const;
const reason = longText(['原因', 'Reason'], { required: true, min: 2, max: 200 });
const mobile = {
  source: '1\\d{10}',
  message: ['请输入11位手机号', 'Please enter a mobile number of 11 digits'],
} as const;
const idText = {
  source: '\\d{17}[0-9Xx]',
  message: ['请输入18位身份证号', 'Please enter an ID number of 18 characters'],
} as const;
const place = {
  project: ref('project', ['项目', 'Project'], { ...seen, search: 'in', width: 100 }),
  building: {
    ...ref('building', ['楼栋', 'Building'], { ...seen, search: 'in', width: 90 }),
    within: 'project',
  },
  unit: {
    ...ref('buildingUnit', ['单元', 'Unit'], { ...seen, search: 'in', width: 90 }),
    within: 'building',
  },
  floor: integer(['楼层', 'Floor'], { ...seen, search: 'range', width: 70 }),
} as const;

/** What a house is used for. */
export const HOUSE_STATES = {
  self_use: { label: ['自住', 'Own use'], tone: 'success' },
  let: { label: ['出租', 'Let'], tone: 'processing' },
  vacant: { label: ['空置', 'Vacant'], tone: 'warning' },
} as const;

/** A person's link to a house. */
export const household = defineResource({
  name: 'household',
  menu: HOUSE_MENU,
  title: ['房屋查询', 'Houses and households'],
  noun: ['住户', 'Household'],
  purpose: [
    '房屋与住户：业主、租客和家属的绑定、审核、过户，以及房屋的账单、工单与记录',
    'Houses and their people: who is bound, reviewed and moves, with bills, orders and records of each house',
  ],
  titleField: 'name',
  sensitive: true,
  fields: {
    ...place,
    house: {
      ...ref('enquiryHouse', ['房屋', 'House'], {
        required: true,
        createOnly: true,
        search: 'in',
        width: 170,
        help: ['按楼栋、单元或房号搜索', 'Search by building, unit or number'],
      }),
    },
    name: personName(['姓名', 'Name'], {
      required: true,
      createOnly: true,
      keyword: true,
      min: 2,
      max: 20,
      width: 100,
    }),
    phone: phone(['手机号', 'Phone'], {
      required: true,
      createOnly: true,
      search: 'equals',
      keyword: true,
      width: 126,
      pattern: mobile,
    }),
    idNo: idNumber(['证件号', 'ID number'], { createOnly: true, width: 170, pattern: idText }),
    photo: image(['照片', 'Photo'], { createOnly: true, width: 72 }),
    identity: choice(['身份', 'Identity'], IDENTITIES, {
      required: true,
      createOnly: true,
      search: 'in',
      initial: 'owner',
      width: 80,
    }),
    consent: boolean(['业主已同意', 'Owner agrees'], {
      createOnly: true,
      width: 100,
      help: [
        '家属和租客须业主同意；未勾选则进入审核',
        'Family and tenants need an owner’s consent; without it they wait for review',
      ],
    }),
    pays: boolean(['缴费业主', 'Pays'], { ...seen, search: 'equals', width: 84 }),
    remark: text(['备注', 'Remark'], { createOnly: true, max: 200, width: 160 }),
    appliedAt: instant(['登记时间', 'Registered'], { ...seen, sortable: true, search: 'range', width: 150 }),
    boundAt: instant(['绑定时间', 'Bound at'], { ...seen, width: 150 }),
    creator: ref('staff', ['登记人', 'Entered by'], { ...seen, width: 90 }),
  },
  states: HOUSEHOLD_STATUSES,
  list: {
    columns: [
      'name',
      'phone',
      'project',
      'house',
      'identity',
      'state',
      'pays',
      'floor',
      'photo',
      'appliedAt',
      'creator',
    ],
    hidden: ['creator'],
    filters: [
      'identity',
      'state',
      'appliedAt',
      'phone',
      'project',
      'building',
      'unit',
      'floor',
      'house',
      'pays',
    ],
    sort: '-appliedAt',
    tabs: [
      { key: 'all', label: ['全部', 'All'] },
      { key: 'normal', label: ['正常', 'Normal'], filter: { state: 'normal' } },
      { key: 'reviewing', label: ['审核中', 'In review'], filter: { state: 'reviewing' } },
      { key: 'ended', label: ['已拒绝/删除', 'Refused or deleted'], filter: { state: 'refused,deleted' } },
    ],
    link: 'name',
    export: [
      'project',
      'building',
      'unit',
      'floor',
      'house',
      'name',
      'phone',
      'idNo',
      'identity',
      'state',
      'pays',
      'appliedAt',
    ],
    empty: ['还没有住户', 'Nobody is bound yet'],
  },
  form: {
    width: 640,
    sections: [
      { title: ['房屋', 'House'], fields: ['house'] },
      {
        title: ['住户', 'Person'],
        note: ['手机号已注册的会员直接绑定', 'Who is a member already is bound by the phone number'],
        fields: ['name', 'phone', 'idNo', 'photo', 'identity', 'consent', 'remark'],
      },
    ],
  },
  detail: {
    mode: 'drawer',
    sections: [
      { title: ['房屋', 'House'], fields: ['project', 'house', 'floor', 'pays'] },
      {
        title: ['住户', 'Person'],
        fields: [
          'name',
          'phone',
          'idNo',
          'photo',
          'identity',
          'consent',
          'remark',
          'appliedAt',
          'boundAt',
          'creator',
        ],
      },
    ],
  },
  elements: { btn_import: ['导入', 'Import'] },
  actions: {
    create: {
      on: 'page',
      label: ['绑定住户', 'Bind a person'],
      element: 'btn_bind',
      tone: 'primary',
      to: ['normal', 'reviewing'],
      event: ['绑定', 'Bound'],
    },
    pass: {
      on: 'rowAndBulk',
      label: ['通过', 'Pass'],
      element: 'btn_audit',
      tone: 'primary',
      from: ['reviewing'],
      to: 'normal',
      event: ['审核通过', 'Passed'],
    },
    refuse: {
      on: 'rowAndBulk',
      label: ['拒绝', 'Refuse'],
      element: 'btn_audit',
      tone: 'danger',
      from: ['reviewing'],
      to: 'refused',
      input: { reason },
    },
    identity: {
      on: 'row',
      label: ['变更身份', 'Change identity'],
      element: 'btn_identity',
      from: ['normal'],
      input: {
        identity: choice(['身份', 'Identity'], IDENTITIES, { required: true }),
        pays: boolean(['由其缴费', 'Pays from now on'], {
          help: [
            '每套房屋一位缴费业主；以后的账单以其为缴费人',
            'One paying owner of a house; bills to come name them',
          ],
        }),
        reason,
      },
    },
    unbind: {
      on: 'row',
      label: ['解绑', 'Unbind'],
      element: 'btn_unbind',
      tone: 'danger',
      from: ['normal', 'reviewing'],
      to: 'deleted',
      confirm: ['将「{name}」从房屋解绑？', 'Unbind “{name}” from the house?'],
      input: { reason },
    },
  },
});

/** A house with what hangs on it. */
export const houseCard = defineResource({
  name: 'house',
  menu: HOUSE_MENU,
  title: ['房屋', 'Houses'],
  noun: ['房屋', 'House'],
  titleField: 'title',
  sensitive: true,
  fields: {
    title: text(['房屋', 'House'], { ...seen, width: 150 }),
    project: ref('project', ['项目', 'Project'], {
      required: true,
      createOnly: true,
      search: 'in',
      width: 130,
    }),
    building: {
      ...ref('building', ['楼栋', 'Building'], { required: true, createOnly: true, search: 'in', width: 90 }),
      within: 'project',
    },
    unit: {
      ...ref('buildingUnit', ['单元', 'Unit'], {
        required: true,
        createOnly: true,
        search: 'in',
        sortable: true,
        width: 90,
      }),
      within: 'building',
    },
    floor: integer(['楼层', 'Floor'], {
      required: true,
      min: -9,
      max: 200,
      search: 'range',
      sortable: true,
      width: 70,
    }),
    number: text(['房号', 'Number'], { required: true, max: 20, keyword: true, sortable: true, width: 90 }),
    builtArea: decimal(['建筑面积', 'Built area'], {
      unit: ['m²', 'm²'],
      required: true,
      min: 0.01,
      max: 999_999.99,
      sortable: true,
      width: 110,
    }),
    innerArea: decimal(['套内面积', 'Inner area'], {
      unit: ['m²', 'm²'],
      min: 0.01,
      max: 999_999.99,
      width: 110,
    }),
    areaFrom: date(['新面积计费日', 'New area bills from'], {
      width: 120,
      help: ['修改面积时必填，此前的账单不变', 'Needed when an area changes; bills before keep theirs'],
    }),
    houseType: text(['户型', 'Type'], { max: 20, width: 100, placeholder: ['三室两厅', '3 rooms'] }),
    state: choice(['状态', 'Use'], HOUSE_STATES, {
      required: true,
      search: 'in',
      initial: 'self_use',
      width: 90,
    }),
    owner: personName(['缴费业主', 'Paying owner'], { ...seen, width: 100 }),
    people: integer(['住户', 'People'], { ...seen, width: 70 }),
    arrears: money(['欠费', 'Arrears'], { ...seen, width: 100 }),
    owing: boolean(['有欠费', 'In arrears'], { ...seen, search: 'equals', width: 80 }),
    prepaid: money(['预存', 'Prepaid'], { ...seen, width: 90 }),
    openOrders: integer(['未完成工单', 'Open orders'], { ...seen, width: 96 }),
    mergedInto: ref('enquiryHouse', ['已并入', 'Joined to'], { ...seen, width: 150 }),
    areas: text(['面积变更', 'Areas by day'], { ...seen, width: 200 }),
  },
  list: {
    columns: [
      'title',
      'project',
      'state',
      'owner',
      'arrears',
      'prepaid',
      'openOrders',
      'people',
      'builtArea',
      'houseType',
      'floor',
      'innerArea',
      'unit',
      'mergedInto',
    ],
    hidden: ['innerArea', 'unit', 'mergedInto'],
    filters: ['project', 'building', 'unit', 'floor', 'state', 'owing'],
    sort: 'unit',
    tabs: [
      { key: 'present', label: ['在册', 'In use'], named: true },
      { key: 'vacant', label: ['空置', 'Vacant'], named: true },
      { key: 'let', label: ['出租', 'Let'], filter: { state: 'let' } },
      { key: 'owing', label: ['欠费', 'In arrears'], filter: { owing: 'true' } },
      { key: 'merged', label: ['已合并', 'Joined'], named: true },
    ],
    link: 'title',
    export: [
      'project',
      'building',
      'unit',
      'floor',
      'number',
      'builtArea',
      'innerArea',
      'houseType',
      'state',
      'owner',
      'people',
      'arrears',
      'prepaid',
    ],
    empty: ['此处没有房屋', 'There are no houses here'],
  },
  form: {
    width: 640,
    sections: [
      { title: ['位置', 'Place'], fields: ['project', 'building', 'unit', 'floor', 'number'] },
      { title: ['房屋', 'House'], fields: ['builtArea', 'innerArea', 'areaFrom', 'houseType', 'state'] },
    ],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['房屋', 'House'],
        fields: [
          'project',
          'building',
          'unit',
          'floor',
          'number',
          'houseType',
          'state',
          'owner',
          'people',
          'mergedInto',
        ],
      },
      { title: ['面积', 'Areas'], fields: ['builtArea', 'innerArea', 'areas'] },
    ],
    parts: [
      part({
        key: 'people',
        title: ['住户', 'Households'],
        resource: household as unknown as Resource,
        by: 'house',
        columns: ['name', 'phone', 'identity', 'pays', 'state', 'appliedAt'],
      }),
      part({
        key: 'bills',
        title: ['账单', 'Bills'],
        resource: houseBill as unknown as Resource,
        by: 'house',
      }),
      part({
        key: 'prepaid',
        title: ['预存', 'Prepaid'],
        resource: housePrepaid as unknown as Resource,
        by: 'house',
      }),
      part({
        key: 'orders',
        title: ['工单', 'Orders'],
        resource: houseOrder as unknown as Resource,
        by: 'house',
      }),
      part({
        key: 'spaces',
        title: ['车位', 'Parking'],
        resource: houseSpace as unknown as Resource,
        by: 'house',
      }),
      part({
        key: 'visits',
        title: ['访客', 'Visitors'],
        resource: houseVisit as unknown as Resource,
        by: 'house',
      }),
      part({
        key: 'decoration',
        title: ['装修', 'Decoration'],
        resource: houseDecoration as unknown as Resource,
        by: 'house',
      }),
      part({
        key: 'custody',
        title: ['托管', 'Custody'],
        resource: houseKeeping as unknown as Resource,
        by: 'house',
      }),
    ],
  },
  deletable: 'unused',
  elements: { btn_import: ['导入', 'Import'] },
  actions: {
    create: { on: 'page', label: ['新增房屋', 'Add a house'], element: 'btn_house', tone: 'primary' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_house' },
    transfer: {
      on: 'row',
      label: ['过户', 'Transfer'],
      element: 'btn_transfer',
      tone: 'primary',
      input: {
        name: text(['新业主姓名', 'Name of the new owner'], { required: true, min: 2, max: 20 }),
        phone: text(['新业主手机号', 'Phone of the new owner'], { required: true, max: 11, pattern: mobile }),
        idNo: text(['证件号', 'ID number'], { max: 18, pattern: idText }),
        date: date(['过户日期', 'From'], {
          required: true,
          help: ['最早为 31 天前，不晚于今天', 'At most 31 days back, not after today'],
        }),
        arrears: choice(
          ['欠费处理', 'Arrears'],
          {
            stay_with_old: { label: ['由原业主承担', 'Stay with the old owner'] },
            taken_over: { label: ['由新业主承担', 'Taken over'] },
          },
          { help: ['有欠费时必选', 'Needed where the house owes money'] },
        ),
        prepaid: choice(
          ['预存处理', 'Prepaid money'],
          {
            moves: { label: ['随房屋转移', 'Moves along'] },
            is_refunded: { label: ['退给原业主', 'Is refunded'] },
          },
          { help: ['有预存时必选', 'Needed where money is paid ahead'] },
        ),
      },
    },
    split: {
      on: 'row',
      label: ['拆分', 'Split'],
      element: 'btn_split',
      input: {
        number: text(['新房号', 'New number'], { required: true, max: 20 }),
        builtArea: decimal(['拆出的建筑面积 m²', 'Built area taken off, m²'], {
          required: true,
          min: 0.01,
          max: 999_999.99,
        }),
        innerArea: decimal(['拆出的套内面积 m²', 'Inner area taken off, m²'], { min: 0.01, max: 999_999.99 }),
        date: date(['计费日', 'Bills from'], { required: true }),
        reason,
      },
      message: ['已拆分出 {number}', '{number} is a house of its own'],
    },
    merge: {
      on: 'row',
      label: ['合并', 'Join'],
      element: 'btn_merge',
      input: {
        other: ref('mergeHouse', ['并入本房屋的房屋', 'House that is joined to this one'], {
          required: true,
          help: ['同一楼栋、同一业主、无欠费', 'Same building and owner, owing nothing'],
        }),
        date: date(['计费日', 'Bills from'], { required: true }),
        reason,
      },
      message: ['{other} 已并入', '{other} is part of it now'],
    },
    remove: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_house',
      tone: 'danger',
      confirm: ['删除房屋「{title}」？', 'Delete the house “{title}”?'],
    },
  },
});

/** A building of a project. */
export const enquiryBuilding = defineResource({
  name: 'enquiryBuilding',
  menu: HOUSE_MENU,
  title: ['楼栋', 'Buildings'],
  noun: ['楼栋', 'Building'],
  titleField: 'name',
  stamps: true,
  fields: {
    project: ref('project', ['项目', 'Project'], {
      required: true,
      createOnly: true,
      search: 'in',
      sortable: true,
      width: 180,
    }),
    name: text(['楼栋', 'Building'], { required: true, max: 30, keyword: true, width: 160 }),
    units: integer(['单元数', 'Units'], { ...seen, width: 90 }),
    houses: integer(['户数', 'Houses'], { ...seen, width: 90 }),
  },
  list: {
    columns: ['name', 'project', 'units', 'houses', 'createdAt', 'creator'],
    filters: ['project', 'createdAt'],
    sort: 'project',
    empty: ['此处没有楼栋', 'There are no buildings here'],
  },
  form: { sections: [{ title: ['楼栋', 'Building'], fields: ['project', 'name'] }] },
  deletable: 'unused',
  actions: {
    create: { on: 'page', label: ['新增楼栋', 'Add a building'], element: 'btn_house', tone: 'primary' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_house' },
    remove: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_house',
      tone: 'danger',
      confirm: ['删除楼栋「{name}」？', 'Delete the building “{name}”?'],
    },
  },
});

/** A unit of a building: the houses of one stairway. */
export const enquiryUnit = defineResource({
  name: 'enquiryUnit',
  menu: HOUSE_MENU,
  title: ['单元', 'Units'],
  noun: ['单元', 'Unit'],
  titleField: 'name',
  stamps: true,
  fields: {
    project: ref('project', ['项目', 'Project'], { ...seen, search: 'in', width: 180 }),
    building: ref('building', ['楼栋', 'Building'], {
      required: true,
      createOnly: true,
      search: 'in',
      sortable: true,
      width: 140,
    }),
    name: text(['单元', 'Unit'], { required: true, max: 30, keyword: true, width: 140 }),
    houses: integer(['户数', 'Houses'], { ...seen, width: 90 }),
  },
  list: {
    columns: ['name', 'building', 'project', 'houses', 'createdAt', 'creator'],
    filters: ['project', 'building', 'createdAt'],
    sort: 'building',
    empty: ['此处没有单元', 'There are no units here'],
  },
  form: { sections: [{ title: ['单元', 'Unit'], fields: ['building', 'name'] }] },
  deletable: 'unused',
  actions: {
    create: { on: 'page', label: ['新增单元', 'Add a unit'], element: 'btn_house', tone: 'primary' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_house' },
    remove: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_house',
      tone: 'danger',
      confirm: ['删除单元「{name}」？', 'Delete the unit “{name}”?'],
    },
  },
});

/** A project: the place buildings stand in. */
export const enquiryProject = defineResource({
  name: 'enquiryProject',
  menu: HOUSE_MENU,
  title: ['项目', 'Projects'],
  noun: ['项目', 'Project'],
  titleField: 'name',
  stamps: true,
  fields: {
    name: text(['名称', 'Name'], { required: true, max: 40, keyword: true, sortable: true, width: 180 }),
    code: code(['编码', 'Code'], {
      required: true,
      max: 20,
      keyword: true,
      sortable: true,
      width: 110,
      pattern: {
        source: '[A-Z0-9]{2,20}',
        message: ['2–20 位大写字母或数字', '2 to 20 capital letters or digits'],
      },
      help: [
        '收据号以此开头，出过收据后不能修改',
        'Receipt numbers begin with it; fixed once there are receipts',
      ],
    }),
    company: ref('projectCompany', ['物业公司', 'Property company'], {
      required: true,
      createOnly: true,
      width: 160,
    }),
    unit: ref('projectUnit', ['管理单元', 'Management unit'], {
      required: true,
      createOnly: true,
      search: 'in',
      width: 150,
      help: ['以后在机构管理中调整', 'Moved on the organisation screen later'],
    }),
    region: treeRef('regionPlace', ['地区', 'Region'], { required: true, search: 'in', width: 140 }),
    address: text(['地址', 'Address'], { required: true, max: 100, width: 200 }),
    openedOn: date(['开盘/接管日期', 'Opened on'], { sortable: true, width: 120 }),
    buildings: integer(['楼栋数', 'Buildings'], { ...seen, width: 80 }),
    houses: integer(['户数', 'Houses'], { ...seen, width: 80 }),
    enabled: boolean(['启用', 'Enabled'], { ...seen, search: 'equals', width: 80 }),
  },
  list: {
    columns: [
      'name',
      'code',
      'company',
      'unit',
      'region',
      'address',
      'openedOn',
      'buildings',
      'houses',
      'enabled',
    ],
    filters: ['unit', 'region', 'enabled'],
    sort: 'code',
    link: 'name',
    empty: ['此处没有项目', 'There are no projects here'],
  },
  form: {
    sections: [
      {
        title: ['项目', 'Project'],
        fields: ['name', 'code', 'company', 'unit', 'region', 'address', 'openedOn'],
      },
    ],
  },
  actions: {
    create: { on: 'page', label: ['新增项目', 'Add a project'], element: 'btn_project', tone: 'primary' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_project' },
    enable: {
      on: 'row',
      label: ['启用', 'Enable'],
      element: 'btn_project',
      confirm: ['启用项目「{name}」？', 'Enable the project “{name}”?'],
    },
    disable: {
      on: 'row',
      label: ['停用', 'Disable'],
      element: 'btn_project',
      tone: 'danger',
      confirm: [
        '停用后「{name}」不再出现在选择中，已有数据保留。',
        '“{name}” is offered no more; what there is stays.',
      ],
    },
  },
});

export interface Household extends Row<typeof household> {}
export interface HouseCard extends Row<typeof houseCard> {}

/** A place of the tree, as its level is asked for. */
export interface PlaceLine {
  /** `project:1`, `building:2`, `unit:3`, `floor:3.12`, `house:4`. */
  readonly key: string;
  readonly name: string;
  /** Houses below; absent for a house. */
  readonly houses?: number;
  readonly leaf: boolean;
  /** What marks a house. */
  readonly state?: keyof typeof HOUSE_STATES;
  readonly owing?: boolean;
  /** Where a found place stands. */
  readonly path?: string;
}

/** A part of one level; `next` asks for what follows. */
export interface PlaceLines {
  readonly rows: readonly PlaceLine[];
  readonly next?: string;
}
