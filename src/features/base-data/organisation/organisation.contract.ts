import {
  boolean,
  choice,
  code,
  date,
  decimal,
  file,
  integer,
  longText,
  phone,
  ref,
  refs,
  text,
  treeRef,
} from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';
import { kindsBelow, type OrganisationKind } from '../../../domain/places/organisation.rules.ts';

const reason = longText(['原因', 'Reason'], { max: 200 });
const confirmName = text(['输入机构名称确认', 'Type the name to confirm'], {
  max: 40,
  help: ['有员工将失去数据时必填', 'Needed when staff lose rows'],
});

/** Words of the kinds, for screens that show them beside the list. */
export const KINDS = {
  company: { label: ['公司', 'Company'] },
  centre_city: { label: ['中心城市', 'Centre city'] },
  management_unit: { label: ['管理单元', 'Management unit'] },
} as const;

/** A node of the tree company › centre city › management unit, under which every project hangs. */
export const organisation = defineResource({
  name: 'organisation',
  menu: 'mechanism',
  title: ['机构管理', 'Organisations'],
  noun: ['机构', 'Organisation'],
  purpose: [
    '项目挂在管理单元下；机构的调整会改变员工看到的数据，确认前会逐一列出',
    'Projects hang below management units; changes of the tree change what staff see, and are listed before they are made',
  ],
  sensitive: true,
  fields: {
    code: code(['编码', 'Code'], {
      required: true,
      keyword: true,
      sortable: true,
      search: 'equals',
      min: 2,
      max: 20,
      width: 130,
      pattern: {
        source: '[A-Z0-9-]+',
        message: ['仅限大写字母、数字和 -', 'Capital letters, digits and - only'],
      },
      help: ['使用后不可修改', 'Cannot be changed once it is in use'],
    }),
    name: text(['名称', 'Name'], {
      required: true,
      keyword: true,
      sortable: true,
      min: 2,
      max: 40,
      width: 180,
    }),
    shortName: text(['简称', 'Short name'], { max: 12, keyword: true, width: 100 }),
    kind: choice(['类型', 'Kind'], KINDS, { required: true, createOnly: true, search: 'in', width: 100 }),
    parent: ref('organisation', ['上级', 'Parent'], { createOnly: true, search: 'in', width: 150 }),
    region: treeRef('regionPlace', ['地区', 'Region'], { required: true, search: 'in', width: 140 }),
    leader: ref('organisationLeader', ['负责人', 'Leader'], { width: 100 }),
    contact: text(['联系人', 'Contact'], { min: 2, max: 20, width: 100 }),
    phone: phone(['电话', 'Phone'], { search: 'equals', width: 130 }),
    projects: integer(['项目数', 'Projects'], { readOnly: true, width: 80 }),
    houses: integer(['户数', 'Houses'], { readOnly: true, width: 80 }),
    staff: integer(['员工数', 'Staff'], {
      readOnly: true,
      width: 80,
      help: [
        '每名员工计入其项目共同的最低一级机构，上级含下级',
        'Everybody counts at the lowest organisation above all own projects, and for all above it',
      ],
    }),
    path: text(['路径', 'Path'], { readOnly: true, width: 260 }),
    address: text(['地址', 'Address'], { max: 120, width: 200 }),
    longitude: decimal(['经度', 'Longitude'], { scale: 6, min: -180, max: 180 }),
    latitude: decimal(['纬度', 'Latitude'], { scale: 6, min: -90, max: 90 }),
    position: integer(['排序', 'Order'], { min: 0, max: 9999, sortable: true, width: 70 }),
    tenant: ref('tenant', ['租户', 'Tenant'], { readOnly: true, width: 150 }),
    createTenant: boolean(['同时开通租户', 'Create its tenant'], {
      createOnly: true,
      help: [
        '开通后该租户的员工看到本机构下的项目',
        'Staff of that tenant then see the projects below this organisation',
      ],
    }),
    licenceNo: text(['统一社会信用代码', 'Credit code'], { min: 18, max: 18 }),
    legalPerson: text(['法定代表人', 'Legal person'], { max: 20 }),
    foundedOn: date(['成立日期', 'Founded on']),
    registeredCapital: decimal(['注册资本', 'Registered capital'], {
      scale: 2,
      min: 0,
      max: 999_999_999,
      unit: ['万元', '×10,000 yuan'],
    }),
    licenceFile: file(['执照文件', 'Licence file'], {
      megabytes: 10,
      help: ['图片或 PDF', 'Image or PDF'],
    }),
    licenceUntil: date(['执照有效期至', 'Licence valid until'], { search: 'range', sortable: true }),
    licenceUnlimited: boolean(['执照长期有效', 'Licence unlimited']),
    bankName: text(['开户行', 'Bank'], { max: 40 }),
    bankAccount: text(['银行账号', 'Bank account'], {
      mask: 'idNumber',
      pattern: { source: '\\d{8,32}', message: ['8–32 位数字', '8 to 32 digits'] },
      max: 32,
    }),
    hang: refs('project', ['挂接项目', 'Projects to hang'], { createOnly: true }),
    confirmName: { ...confirmName, createOnly: true },
    mergedInto: ref('organisation', ['并入', 'Merged into'], { readOnly: true }),
  },
  states: {
    enabled: { label: ['启用', 'Enabled'], tone: 'success' },
    stopped: { label: ['停用', 'Stopped'], tone: 'paused' },
    merged: { label: ['已合并', 'Merged'], tone: 'default' },
  },
  stamps: true,
  tree: { parent: 'parent', maxDepth: 5 },
  orderable: { field: 'position', within: 'parent' },
  deletable: 'unused',
  modes: { add: 'mechanismAdd', edit: 'mechanismAdd' },
  importable: {
    key: 'code',
    fields: [
      'code',
      'name',
      'kind',
      'parent',
      'region',
      'leader',
      'contact',
      'phone',
      'address',
      'licenceNo',
    ],
    mode: 'insert',
  },
  list: {
    columns: [
      'code',
      'name',
      'kind',
      'parent',
      'region',
      'leader',
      'contact',
      'phone',
      'projects',
      'houses',
      'staff',
      'state',
      'updatedAt',
      'updater',
      'shortName',
      'path',
      'position',
      'licenceUntil',
    ],
    hidden: ['shortName', 'path', 'position', 'licenceUntil'],
    filters: ['kind', 'region', 'state', 'parent', 'licenceUntil'],
    tabs: [
      { key: 'all', label: ['全部', 'All'] },
      { key: 'licence', label: ['执照将到期', 'Licence ending'], named: true },
    ],
    sort: 'position',
    link: 'name',
    export: [
      'code',
      'name',
      'shortName',
      'kind',
      'parent',
      'path',
      'region',
      'leader',
      'contact',
      'phone',
      'address',
      'projects',
      'houses',
      'staff',
      'state',
      'updatedAt',
      'updater',
    ],
    empty: ['这里还没有机构', 'No organisations here yet'],
  },
  form: {
    as: 'page',
    sections: [
      {
        title: ['基本', 'Basics'],
        fields: [
          'kind',
          'parent',
          'name',
          'shortName',
          'code',
          'region',
          'address',
          'longitude',
          'latitude',
          'leader',
          'contact',
          'phone',
          'position',
          'createTenant',
        ],
      },
      {
        title: ['证照与银行', 'Licence and bank'],
        fields: [
          'licenceNo',
          'legalPerson',
          'foundedOn',
          'registeredCapital',
          'licenceFile',
          'licenceUntil',
          'licenceUnlimited',
          'bankName',
          'bankAccount',
        ],
      },
      { title: ['下级项目', 'Projects below'], fields: ['hang', 'confirmName'] },
    ],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['基本', 'Basics'],
        fields: [
          'code',
          'name',
          'shortName',
          'kind',
          'parent',
          'path',
          'region',
          'address',
          'longitude',
          'latitude',
          'leader',
          'contact',
          'phone',
          'projects',
          'houses',
          'staff',
          'tenant',
          'mergedInto',
          'position',
        ],
      },
      {
        title: ['证照与银行', 'Licence and bank'],
        fields: [
          'licenceNo',
          'legalPerson',
          'foundedOn',
          'registeredCapital',
          'licenceFile',
          'licenceUntil',
          'licenceUnlimited',
          'bankName',
          'bankAccount',
        ],
      },
      { title: ['系统', 'System'], fields: ['creator', 'createdAt', 'updater', 'updatedAt'] },
    ],
  },
  elements: {
    btn_view: ['查看', 'View'],
    btn_import: ['导入', 'Import'],
    btn_history: ['变更历史', 'History'],
  },
  actions: {
    create: { on: 'page', label: ['新增', 'Add'], element: 'btn_add', tone: 'primary', to: 'enabled' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_edit', from: ['enabled', 'stopped'] },
    move: {
      on: 'row',
      label: ['移动', 'Move'],
      element: 'btn_move',
      from: ['enabled', 'stopped'],
      opens: 'screen',
      input: { parent: ref('organisation', ['上级', 'Parent']), reason, confirmName },
    },
    hang: {
      on: 'row',
      label: ['挂接项目', 'Hang projects'],
      element: 'btn_project',
      from: ['enabled'],
      opens: 'screen',
      input: { projects: refs('project', ['项目', 'Projects'], { required: true }), reason, confirmName },
    },
    merge: {
      on: 'row',
      label: ['合并', 'Merge'],
      element: 'btn_merge',
      from: ['enabled', 'stopped'],
      to: 'merged',
      opens: 'screen',
      tone: 'danger',
      input: {
        into: ref('organisation', ['目标机构', 'Into'], { required: true }),
        reason: { ...reason, required: true },
        confirmName,
      },
    },
    stop: {
      on: 'row',
      label: ['停用', 'Stop'],
      element: 'btn_stop',
      from: ['enabled'],
      to: 'stopped',
      opens: 'screen',
      tone: 'danger',
      input: { reason: { ...reason, required: true } },
    },
    enable: {
      on: 'row',
      label: ['启用', 'Enable'],
      element: 'btn_enable',
      remark: 'reason',
      from: ['stopped'],
      to: 'enabled',
      input: { reason: { ...reason, required: true } },
    },
    order: {
      on: 'row',
      label: ['排序', 'Sort'],
      element: 'btn_sort',
      opens: 'drag',
      untouched: true,
      input: { before: text(['放在其前', 'Before'], { max: 15 }) },
    },
    remove: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_del',
      from: ['enabled', 'stopped'],
      tone: 'danger',
      confirm: ['删除机构「{name}」？', 'Delete the organisation "{name}"?'],
    },
  },
});

export interface Organisation extends Row<typeof organisation> {}

/** Fields of the licence card: companies need the first, centre cities may fill them, management units have none. */
export const PAPERS = organisation.form!.sections[1]!.fields;

/** Fields that must be filled for a kind besides those every organisation needs. */
export function requiredFor(kind: OrganisationKind): readonly string[] {
  const common = ['contact', 'phone'];
  return kind === 'company'
    ? [...common, 'licenceNo']
    : kind === 'centre_city'
      ? [...common, 'parent']
      : [...common, 'parent'];
}

/** Fields a kind has nothing to do with. */
export function foreignTo(kind: OrganisationKind): readonly string[] {
  return kind === 'management_unit' ? [...PAPERS, 'createTenant'] : ['hang', 'confirmName'];
}

/** Kinds that can be added below an organisation. */
export const choicesBelow = kindsBelow;
