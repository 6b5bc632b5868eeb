import {
  boolean,
  choice,
  choices,
  code,
  date,
  images,
  instant,
  integer,
  lines,
  longText,
  money,
  personName,
  phone,
  ref,
  refs,
  tags,
  text,
  treeRef,
} from '../../../kernel/contract/fields.ts';
import { defineResource, part } from '../../../kernel/contract/resource.ts';
import { receivable } from '../../life-service/receivable/receivable.contract.ts';
import { contract } from '../../public-resource/contract/contract.contract.ts';

/** Menu of commercial clients. */
export const CLIENT_MENU = 'customerList';

const seen = { readOnly: true } as const;
const client = { createOnly: true, required: true, search: 'in', width: 180 } as const;

/** People of a client one talks to. */
export const clientContact = defineResource({
  name: 'clientContact',
  menu: CLIENT_MENU,
  title: ['联系人', 'Contacts'],
  noun: ['联系人', 'Contact'],
  titleField: 'position',
  sensitive: true,
  fields: {
    client: ref('client', ['客户', 'Client'], client),
    name: personName(['姓名', 'Name'], { required: true, max: 40, width: 110 }),
    phone: phone(['电话', 'Phone'], { required: true, width: 130 }),
    position: text(['职位', 'Position'], { max: 40, width: 120 }),
    wechat: text(['微信', 'WeChat'], { max: 40, width: 120 }),
    email: text(['邮箱', 'E-mail'], {
      max: 80,
      width: 160,
      pattern: {
        source: '[^@\\s]+@[^@\\s]+\\.[^@\\s]+',
        message: ['邮箱格式不正确', 'This is no e-mail address'],
      },
    }),
    birthday: date(['生日', 'Birthday'], { width: 110 }),
    decides: boolean(['决策人', 'Decides'], { initial: false, width: 90 }),
    main: boolean(['主要联系人', 'Main contact'], { ...seen, width: 110 }),
    addedAt: instant(['添加时间', 'Added'], { ...seen, sortable: true, width: 150 }),
  },
  list: {
    columns: [
      'name',
      'phone',
      'position',
      'wechat',
      'decides',
      'main',
      'email',
      'birthday',
      'addedAt',
      'client',
    ],
    hidden: ['email', 'birthday'],
    filters: ['client'],
    sort: 'addedAt',
    empty: ['还没有联系人', 'There is no contact yet'],
  },
  form: {
    sections: [
      {
        title: ['联系人', 'Contact'],
        fields: ['client', 'name', 'phone', 'position', 'wechat', 'email', 'birthday', 'decides'],
      },
    ],
  },
  actions: {
    create: { on: 'page', label: ['新增联系人', 'Add a contact'], element: 'btn_edit', tone: 'primary' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_edit' },
    makeMain: { on: 'row', label: ['设为主要', 'Make main'], element: 'btn_edit' },
    remove: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_edit',
      tone: 'danger',
      confirm: ['删除该联系人？', 'Delete this contact?'],
    },
  },
});

const KINDS = {
  phone: { label: ['电话', 'Phone call'] },
  visit: { label: ['拜访', 'Visit'] },
  wechat: { label: ['微信', 'WeChat'] },
  meeting: { label: ['会谈', 'Meeting'] },
  viewing: { label: ['看铺', 'Viewing'] },
} as const;

/** What was said and agreed with a client. */
export const followUp = defineResource({
  name: 'followUp',
  menu: CLIENT_MENU,
  title: ['跟进', 'Follow-ups'],
  noun: ['跟进', 'Follow-up'],
  titleField: 'content',
  fields: {
    client: ref('client', ['客户', 'Client'], client),
    kind: choice(['方式', 'Kind'], KINDS, { required: true, initial: 'phone', search: 'in', width: 90 }),
    at: instant(['时间', 'At'], {
      required: true,
      sortable: true,
      search: 'range',
      width: 150,
      help: ['不晚于现在，不早于 7 天前', 'Not after now, not more than 7 days ago'],
    }),
    content: longText(['内容', 'Content'], { required: true, min: 5, max: 1_000, width: 320 }),
    contact: text(['联系人', 'Contact'], { max: 40, width: 100 }),
    space: ref('clientSpace', ['铺位', 'Space'], {
      width: 120,
      help: ['看铺必填', 'Needed for a viewing'],
    }),
    result: text(['结果', 'Result'], { max: 200, width: 180 }),
    stage: choice(
      ['变更阶段', 'Change the stage'],
      {
        lead: { label: ['线索', 'Lead'] },
        contacted: { label: ['已接洽', 'Contacted'] },
        viewing: { label: ['看铺', 'Viewing'] },
        negotiating: { label: ['谈判', 'Negotiating'] },
      },
      {
        createOnly: true,
        help: [
          '按阶段规则变更，结果作为退回原因',
          'By the rules of stages; the result is the reason of going back',
        ],
      },
    ),
    nextAt: instant(['下次跟进', 'Next'], { width: 150, help: ['晚于现在', 'After now'] }),
    images: images(['图片', 'Pictures'], { max: 9, width: 70 }),
    location: text(['位置', 'Place'], { max: 100, width: 140 }),
    colleagues: refs('staff', ['@同事', 'Tell'], { createOnly: true, max: 10, width: 140 }),
    author: ref('staff', ['跟进人', 'By'], { ...seen, search: 'in', width: 100 }),
    struck: boolean(['已删除', 'Struck out'], { ...seen, search: 'equals', width: 90 }),
    strikeReason: text(['删除原因', 'Why struck out'], { ...seen, width: 160 }),
  },
  list: {
    columns: [
      'at',
      'kind',
      'content',
      'result',
      'nextAt',
      'author',
      'space',
      'contact',
      'images',
      'location',
      'colleagues',
      'struck',
      'strikeReason',
      'client',
    ],
    hidden: ['contact', 'images', 'location', 'colleagues', 'struck', 'strikeReason'],
    filters: ['client', 'kind', 'at', 'author', 'struck'],
    sort: '-at',
    export: true,
    empty: ['还没有跟进', 'Nobody followed up yet'],
  },
  form: {
    sections: [
      {
        title: ['跟进', 'Follow-up'],
        fields: [
          'client',
          'kind',
          'at',
          'contact',
          'space',
          'content',
          'result',
          'stage',
          'nextAt',
          'images',
          'location',
          'colleagues',
        ],
      },
    ],
  },
  actions: {
    create: { on: 'page', label: ['写跟进', 'Follow up'], element: 'btn_follow', tone: 'primary' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_follow' },
    strike: {
      on: 'row',
      label: ['删除', 'Strike out'],
      element: 'btn_follow',
      remark: 'reason',
      tone: 'danger',
      input: { reason: text(['原因', 'Reason'], { required: true, min: 2, max: 200 }) },
    },
  },
});

/** Who had a client when, and why it changed hands. */
export const clientAssignment = defineResource({
  name: 'clientAssignment',
  menu: CLIENT_MENU,
  title: ['归属记录', 'Assignments'],
  noun: ['归属记录', 'Assignment'],
  titleField: 'kind',
  fields: {
    client: ref('client', ['客户', 'Client'], { ...seen, search: 'in', width: 180 }),
    kind: choice(
      ['类型', 'Kind'],
      {
        create: { label: ['新建', 'Created'] },
        claim: { label: ['认领', 'Claimed'] },
        assign: { label: ['分配', 'Assigned'] },
        transfer: { label: ['移交', 'Handed over'] },
        release: { label: ['退回公海', 'Released'] },
        auto_pool: { label: ['自动进入公海', 'Moved to the pool'] },
      },
      { ...seen, width: 120 },
    ),
    staff: ref('staff', ['人员', 'Person'], { ...seen, search: 'in' }),
    fromStaff: text(['原负责人', 'From'], { ...seen, width: 110 }),
    toStaff: text(['新负责人', 'To'], { ...seen, width: 110 }),
    reason: text(['原因', 'Reason'], { ...seen, width: 200 }),
    byStaff: text(['操作人', 'By'], { ...seen, width: 100 }),
    happenedAt: instant(['时间', 'At'], { ...seen, sortable: true, width: 150 }),
  },
  list: {
    columns: ['happenedAt', 'kind', 'fromStaff', 'toStaff', 'reason', 'byStaff', 'client'],
    filters: ['client', 'staff'],
    sort: '-happenedAt',
    empty: ['没有归属记录', 'It never changed hands'],
  },
});

/** Colleagues who read a client or work on it beside the owner. */
export const clientMember = defineResource({
  name: 'clientMember',
  menu: CLIENT_MENU,
  title: ['协作人', 'Members'],
  noun: ['协作人', 'Member'],
  titleField: 'staff',
  fields: {
    client: ref('client', ['客户', 'Client'], client),
    staff: ref('staff', ['人员', 'Staff'], { createOnly: true, required: true, width: 130 }),
    right: choice(
      ['权限', 'Right'],
      { read: { label: ['查看', 'Reads'] }, write: { label: ['编辑与跟进', 'Edits and follows up'] } },
      { required: true, initial: 'read', width: 140 },
    ),
    until: date(['有效期至', 'Until'], {
      width: 110,
      help: ['含当日，空为长期', 'That day included; empty: for good'],
    }),
    addedAt: instant(['添加时间', 'Added'], { ...seen, sortable: true, width: 150 }),
  },
  list: {
    columns: ['staff', 'right', 'until', 'addedAt', 'client'],
    filters: ['client'],
    sort: '-addedAt',
    empty: ['没有协作人', 'Nobody shares it'],
  },
  form: { sections: [{ title: ['协作人', 'Member'], fields: ['client', 'staff', 'right', 'until'] }] },
  actions: {
    create: { on: 'page', label: ['添加协作人', 'Add a member'], element: 'btn_member', tone: 'primary' },
    update: { on: 'row', label: ['修改权限', 'Change right'], element: 'btn_member' },
    remove: {
      on: 'row',
      label: ['移除', 'Remove'],
      element: 'btn_member',
      tone: 'danger',
      confirm: ['移除该协作人？', 'Remove this member?'],
    },
  },
});

/** What colleagues say about a client; who may only read it comments, too. */
export const clientComment = defineResource({
  name: 'clientComment',
  menu: CLIENT_MENU,
  title: ['评论', 'Comments'],
  noun: ['评论', 'Comment'],
  titleField: 'content',
  fields: {
    client: ref('client', ['客户', 'Client'], client),
    content: longText(['内容', 'Content'], { required: true, min: 1, max: 500, width: 420 }),
    author: text(['评论人', 'By'], { ...seen, width: 100 }),
    saidAt: instant(['时间', 'At'], { ...seen, sortable: true, width: 150 }),
  },
  list: {
    columns: ['saidAt', 'content', 'author', 'client'],
    filters: ['client'],
    sort: '-saidAt',
    empty: ['还没有评论', 'Nobody commented yet'],
  },
  form: { sections: [{ title: ['评论', 'Comment'], fields: ['client', 'content'] }] },
  actions: {
    create: { on: 'page', label: ['写评论', 'Comment'], element: 'btn_comment', tone: 'primary' },
  },
});

const days = (most: number, least = 1) =>
  ({ min: least, max: most, unit: ['天', 'days'], width: 100 }) as const;

/** How clients go to the pool and how many one may own; the closest rule wins, value by value. */
export const clientRule = defineResource({
  name: 'clientRule',
  menu: CLIENT_MENU,
  title: ['公海规则', 'Rules of the pool'],
  noun: ['公海规则', 'Rule'],
  titleField: 'scopeKind',
  stamps: true,
  purpose: [
    '个人规则优先于部门，部门优先于全部；留空的项目取上一级，最后取系统默认',
    'A rule of a person comes before one of a department, and that before the one for all; what is empty falls to the next',
  ],
  fields: {
    scopeKind: choice(
      ['适用', 'For'],
      {
        tenant: { label: ['全部', 'Everybody'] },
        department: { label: ['部门', 'Department'] },
        person: { label: ['个人', 'Person'] },
      },
      { required: true, createOnly: true, initial: 'tenant', search: 'in', width: 90 },
    ),
    department: treeRef('department', ['部门', 'Department'], { createOnly: true, width: 140 }),
    staff: ref('businessStaff', ['人员', 'Person'], { createOnly: true, width: 120 }),
    noFollowDays: integer(['未跟进退回', 'Without a follow-up'], days(365)),
    noDealDays: integer(['未签约退回', 'Without signing'], days(730)),
    warnDays: integer(['提前提醒', 'Told before'], days(30)),
    maxOwn: integer(['拥有上限', 'Most clients'], {
      min: 1,
      max: 10_000,
      width: 100,
      help: ['与人员上限取小', 'The lower of it and the limit of the person'],
    }),
    maxDailyClaim: integer(['每日认领', 'Claims a day'], { min: 0, max: 1_000, width: 100 }),
    reclaimDays: integer(['不可再认领', 'Not reclaimed for'], days(365, 0)),
    maxLocked: integer(['锁定上限', 'Most locked'], { min: 0, max: 1_000, width: 100 }),
    countSigned: boolean(['签约计入上限', 'Signed ones count'], { initial: false, width: 110 }),
  },
  list: {
    columns: [
      'scopeKind',
      'department',
      'staff',
      'noFollowDays',
      'noDealDays',
      'warnDays',
      'maxOwn',
      'maxDailyClaim',
      'reclaimDays',
      'maxLocked',
      'countSigned',
      'updater',
      'updatedAt',
    ],
    filters: ['scopeKind'],
    sort: '-createdAt',
    empty: ['没有规则，使用系统默认', 'There are no rules: the defaults hold'],
  },
  form: {
    sections: [
      { title: ['适用范围', 'For'], fields: ['scopeKind', 'department', 'staff'] },
      { title: ['公海', 'The pool'], fields: ['noFollowDays', 'noDealDays', 'warnDays'] },
      {
        title: ['拥有与认领', 'Owning and claiming'],
        fields: ['maxOwn', 'countSigned', 'maxDailyClaim', 'reclaimDays', 'maxLocked'],
      },
    ],
  },
  actions: {
    create: { on: 'page', label: ['新增规则', 'Add a rule'], element: 'btn_rule', tone: 'primary' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_rule' },
    remove: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_rule',
      tone: 'danger',
      confirm: ['删除该规则？', 'Delete this rule?'],
    },
  },
});

/** Deleted clients, for thirty days. */
export const clientBin = defineResource({
  name: 'clientBin',
  menu: CLIENT_MENU,
  title: ['回收站', 'Recycle list'],
  noun: ['已删除客户', 'Deleted client'],
  titleField: 'name',
  purpose: [
    '删除的客户保留 30 天，可恢复联系人、跟进与归属记录；到期自动清除',
    'Deleted clients are kept for 30 days with contacts, follow-ups and history; then they are gone',
  ],
  fields: {
    code: text(['编号', 'Code'], { ...seen, keyword: true, sortable: true, width: 160 }),
    name: text(['名称', 'Name'], { ...seen, keyword: true, width: 200 }),
    brand: text(['品牌', 'Brand'], { ...seen, width: 130 }),
    owner: text(['原负责人', 'Owner then'], { ...seen, width: 110 }),
    reason: text(['删除原因', 'Why'], { ...seen, width: 200 }),
    deletedBy: text(['删除人', 'Deleted by'], { ...seen, width: 100 }),
    deletedAt: instant(['删除时间', 'Deleted'], { ...seen, sortable: true, width: 150 }),
    daysLeft: integer(['剩余天数', 'Days left'], { ...seen, width: 90 }),
  },
  list: {
    columns: ['code', 'name', 'brand', 'owner', 'reason', 'deletedBy', 'deletedAt', 'daysLeft'],
    sort: '-deletedAt',
    empty: ['回收站是空的', 'Nothing was deleted'],
  },
  actions: {
    restore: {
      on: 'row',
      label: ['恢复', 'Restore'],
      element: 'btn_restore',
      confirm: ['恢复「{name}」？', 'Restore “{name}”?'],
      message: ['已恢复', 'Restored'],
    },
  },
});

/** What was contracted with a client. */
export const clientContract = defineResource({
  name: 'clientContract',
  menu: CLIENT_MENU,
  title: ['合同', 'Contracts'],
  noun: ['合同', 'Contract'],
  titleField: 'code',
  fields: {
    client: ref('client', ['客户', 'Client'], { ...seen, search: 'in', width: 180 }),
    code: text(['编号', 'Code'], { ...seen, sortable: true, width: 160 }),
    name: text(['名称', 'Name'], { ...seen, width: 180 }),
    project: text(['项目', 'Project'], { ...seen, width: 120 }),
    places: text(['点位', 'Positions'], { ...seen, width: 140 }),
    startsOn: date(['开始', 'From'], { ...seen, width: 110 }),
    endsOn: date(['结束', 'To'], { ...seen, sortable: true, width: 110 }),
    amount: money(['总额', 'Amount'], { ...seen, width: 120 }),
    owner: text(['负责人', 'Owner'], { ...seen, width: 100 }),
  },
  states: contract.states!,
  list: {
    columns: [
      'code',
      'name',
      'state',
      'project',
      'places',
      'startsOn',
      'endsOn',
      'amount',
      'owner',
      'client',
    ],
    filters: ['client', 'state'],
    sort: '-endsOn',
    empty: ['还没有合同', 'There is no contract yet'],
  },
});

/** What the contracts of a client brought and still bring in. */
export const clientReceivable = defineResource({
  name: 'clientReceivable',
  menu: CLIENT_MENU,
  title: ['应收', 'Receivables'],
  noun: ['应收', 'Receivable'],
  titleField: 'code',
  fields: {
    client: ref('client', ['客户', 'Client'], { ...seen, search: 'in', width: 180 }),
    code: text(['编号', 'Code'], { ...seen, width: 160 }),
    contract: text(['合同', 'Contract'], { ...seen, width: 160 }),
    dueOn: date(['应收日', 'Due'], { ...seen, sortable: true, width: 110 }),
    amount: money(['应收', 'Amount'], { ...seen, width: 120 }),
    received: money(['已收', 'Received'], { ...seen, width: 120 }),
    balance: money(['余额', 'Balance'], { ...seen, width: 120 }),
    overdueDays: integer(['逾期天数', 'Days overdue'], { ...seen, width: 96 }),
  },
  states: receivable.states!,
  list: {
    columns: ['code', 'contract', 'dueOn', 'state', 'amount', 'received', 'balance', 'overdueDays', 'client'],
    filters: ['client', 'state'],
    sort: '-dueOn',
    empty: ['没有应收', 'Nothing is owed'],
  },
});

const reason = text(['原因', 'Reason'], { required: true, min: 2, max: 200 });
const LIVE = ['lead', 'contacted', 'viewing', 'negotiating', 'signed'];
const OPEN = ['lead', 'contacted', 'viewing', 'negotiating'];

/** Tenants to be won for shops, venues and advertising. */
export const commercialClient = defineResource({
  name: 'client',
  menu: CLIENT_MENU,
  title: ['商业客户', 'Commercial clients'],
  noun: ['客户', 'Client'],
  titleField: 'name',
  prefix: 'CL',
  sensitive: true,
  stamps: true,
  purpose: [
    '招商客户：归属、公海、阶段与跟进。长期不跟进或不签约的客户自动进入公海，由招商人员认领',
    'Clients of the business people: owners, the pool, stages and follow-ups. Who is not followed up or signed for long goes to the pool and is claimed from there',
  ],
  modes: { add: 'addCustomer', edit: 'addCustomer', detail: 'details' },
  elements: { btn_all: ['全部客户', 'All clients'], btn_import: ['导入', 'Import'] },
  importable: {
    key: 'name',
    mode: 'insert',
    fields: [
      'name',
      'brand',
      'licenceNo',
      'industry',
      'level',
      'source',
      'contactName',
      'contactPhone',
      'projects',
      'assignee',
      'toPool',
      'note',
    ],
  },
  fields: {
    code: code(['编号', 'Code'], { ...seen, keyword: true, sortable: true, width: 160 }),
    brand: text(['品牌', 'Brand'], { max: 30, keyword: true, width: 130 }),
    name: text(['名称', 'Name'], { required: true, max: 60, keyword: true, width: 200 }),
    licenceNo: text(['统一社会信用代码', 'Licence number'], {
      max: 18,
      width: 180,
      help: ['18 位，校验位须正确', '18 characters with their check character'],
    }),
    industry: ref('bizDict.client_industry', ['行业', 'Industry'], {
      required: true,
      search: 'in',
      width: 110,
    }),
    level: choice(
      ['等级', 'Level'],
      {
        A: { label: ['A', 'A'] },
        B: { label: ['B', 'B'] },
        C: { label: ['C', 'C'] },
        D: { label: ['D', 'D'] },
      },
      { required: true, initial: 'C', search: 'in', width: 70 },
    ),
    source: ref('bizDict.client_source', ['来源', 'Source'], { required: true, search: 'in', width: 110 }),
    region: text(['地区', 'Region'], { max: 60, width: 120 }),
    address: text(['地址', 'Address'], { max: 120, width: 180 }),
    tags: tags(['标签', 'Tags'], { max: 10, search: 'contains', width: 140 }),
    projects: refs('project', ['意向项目', 'Projects'], {
      required: true,
      max: 50,
      search: 'in',
      width: 170,
    }),
    areaMin: integer(['意向面积从', 'Area from'], { min: 1, max: 100_000, unit: ['m²', 'm²'] }),
    areaMax: integer(['意向面积至', 'Area to'], { min: 1, max: 100_000, unit: ['m²', 'm²'] }),
    rentMax: money(['租金上限', 'Rent at most'], {
      min: 1,
      max: 99_999_999,
      help: ['每平方米每月', 'Per m² and month'],
    }),
    contactName: personName(['联系人', 'Contact'], { required: true, createOnly: true, max: 40, width: 110 }),
    contactPhone: phone(['联系电话', 'Phone'], { required: true, createOnly: true, width: 130 }),
    contacts: lines(
      ['其他联系人', 'Further contacts'],
      {
        name: text(['姓名', 'Name'], { required: true, max: 40 }),
        phone: text(['电话', 'Phone'], {
          required: true,
          max: 20,
          pattern: { source: '[0-9+ -]{5,20}', message: ['电话格式不正确', 'This is no phone number'] },
        }),
        position: text(['职位', 'Position'], { max: 40 }),
      },
      { createOnly: true, max: 9 },
    ),
    members: refs('staff', ['协作人', 'Members'], {
      createOnly: true,
      max: 20,
      help: ['可查看与评论，之后可改为编辑', 'They read and comment; the right is changed later'],
    }),
    confirmed: boolean(['确认不是同一客户', 'It is another client'], {
      createOnly: true,
      initial: false,
      help: ['名称相近时须确认', 'To be ticked where a name is alike'],
    }),
    note: longText(['备注', 'Note'], { max: 500 }),
    assignee: ref('businessStaff', ['归属', 'Goes to'], {
      createOnly: true,
      help: [
        '不填：招商人员归自己，招商管理员放入公海；上级可指定下属',
        'Empty: business people keep it, administrators leave it to the pool; leaders may name somebody below',
      ],
    }),
    toPool: boolean(['放入公海', 'Into the pool'], { createOnly: true, initial: false }),
    owner: ref('staff', ['负责人', 'Owner'], { ...seen, search: 'in', width: 100 }),
    department: treeRef('department', ['负责部门', 'Department'], { ...seen, search: 'in', width: 120 }),
    idleDays: integer(['未跟进天数', 'Days without a follow-up'], { ...seen, search: 'range', width: 110 }),
    stageDays: integer(['阶段天数', 'Days in the stage'], { ...seen, search: 'range', width: 100 }),
    lastFollowAt: instant(['最近跟进', 'Last follow-up'], {
      ...seen,
      sortable: true,
      search: 'range',
      width: 150,
    }),
    nextFollowAt: instant(['下次跟进', 'Next follow-up'], { ...seen, sortable: true, width: 150 }),
    poolOn: date(['进入公海', 'Pool on'], {
      ...seen,
      width: 110,
      help: [
        '不跟进、不签约将在这天进入公海',
        'The day it goes to the pool unless it is followed up or signed',
      ],
    }),
    stageSince: instant(['进入阶段', 'In stage since'], { ...seen, width: 150 }),
    locked: boolean(['锁定', 'Locked'], { ...seen, search: 'equals', width: 80 }),
    lostReason: ref('bizDict.client_lost_reason', ['流失原因', 'Lost because'], { ...seen, width: 120 }),
    lostNote: text(['流失说明', 'About the loss'], { ...seen, width: 180 }),
    poolReason: text(['进入公海原因', 'Why in the pool'], { ...seen, width: 180 }),
  },
  states: {
    lead: { label: ['线索', 'Lead'], tone: 'default' },
    contacted: { label: ['已接洽', 'Contacted'], tone: 'processing' },
    viewing: { label: ['看铺', 'Viewing'], tone: 'processing' },
    negotiating: { label: ['谈判', 'Negotiating'], tone: 'warning' },
    signed: { label: ['签约', 'Signed'], tone: 'success' },
    lost: { label: ['流失', 'Lost'], tone: 'error' },
  },
  list: {
    columns: [
      'code',
      'brand',
      'name',
      'industry',
      'level',
      'state',
      'projects',
      'contactName',
      'contactPhone',
      'owner',
      'lastFollowAt',
      'nextFollowAt',
      'poolOn',
      'locked',
      'tags',
      'source',
      'department',
      'idleDays',
      'stageDays',
      'createdAt',
    ],
    hidden: ['code', 'source', 'createdAt', 'contactPhone', 'tags', 'department', 'idleDays', 'stageDays'],
    filters: [
      'state',
      'level',
      'industry',
      'source',
      'projects',
      'owner',
      'department',
      'idleDays',
      'stageDays',
      'tags',
      'lastFollowAt',
      'locked',
      'createdAt',
    ],
    sort: '-createdAt',
    link: 'name',
    tabs: [
      { key: 'today', label: ['今日', 'Today'], named: true },
      { key: 'mine', label: ['我的', 'Mine'], named: true },
      { key: 'shared', label: ['协作', 'Shared with me'], named: true },
      { key: 'below', label: ['下属', 'Below me'], named: true },
      { key: 'pool', label: ['公海', 'Pool'], named: true },
      { key: 'all', label: ['全部', 'All'], named: true },
    ],
    export: true,
    empty: ['这里没有客户', 'There are no clients here'],
  },
  form: {
    as: 'page',
    sections: [
      {
        title: ['客户', 'Client'],
        fields: [
          'name',
          'brand',
          'licenceNo',
          'industry',
          'level',
          'source',
          'region',
          'address',
          'tags',
          'confirmed',
        ],
      },
      { title: ['意向', 'Wanted'], fields: ['projects', 'areaMin', 'areaMax', 'rentMax'] },
      { title: ['主要联系人', 'Main contact'], fields: ['contactName', 'contactPhone', 'contacts'] },
      { title: ['归属与备注', 'Owner and note'], fields: ['assignee', 'toPool', 'members', 'note'] },
    ],
  },
  detail: {
    mode: 'page',
    sections: [
      {
        title: ['概况', 'Profile'],
        fields: [
          'code',
          'brand',
          'licenceNo',
          'industry',
          'level',
          'source',
          'region',
          'address',
          'tags',
          'owner',
          'stageSince',
          'poolOn',
          'locked',
        ],
      },
      { title: ['意向', 'Wanted'], fields: ['projects', 'areaMin', 'areaMax', 'rentMax'] },
      { title: ['跟进', 'Follow-up'], fields: ['lastFollowAt', 'nextFollowAt', 'note'] },
      { title: ['流失与公海', 'Lost and pool'], fields: ['lostReason', 'lostNote', 'poolReason'] },
    ],
    parts: [
      part({ key: 'followUps', title: ['跟进', 'Follow-ups'], resource: followUp, by: 'client' }),
      part({ key: 'contacts', title: ['联系人', 'Contacts'], resource: clientContact, by: 'client' }),
      part({ key: 'contracts', title: ['合同', 'Contracts'], resource: clientContract, by: 'client' }),
      part({ key: 'receivables', title: ['应收', 'Receivables'], resource: clientReceivable, by: 'client' }),
      part({ key: 'comments', title: ['评论', 'Comments'], resource: clientComment, by: 'client' }),
      part({ key: 'members', title: ['协作人', 'Members'], resource: clientMember, by: 'client' }),
      part({
        key: 'assignments',
        title: ['归属记录', 'Assignments'],
        resource: clientAssignment,
        by: 'client',
      }),
    ],
  },
  actions: {
    create: {
      on: 'page',
      label: ['新增客户', 'Add a client'],
      element: 'btn_add',
      tone: 'primary',
      to: 'lead',
    },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_edit' },
    advance: {
      on: 'row',
      label: ['变更阶段', 'Change the stage'],
      element: 'btn_edit',
      tone: 'primary',
      from: LIVE,
      to: OPEN,
      input: {
        stage: choice(
          ['阶段', 'Stage'],
          {
            lead: { label: ['线索', 'Lead'] },
            contacted: { label: ['已接洽', 'Contacted'] },
            viewing: { label: ['看铺', 'Viewing'] },
            negotiating: { label: ['谈判', 'Negotiating'] },
            signed: { label: ['签约', 'Signed'] },
          },
          {
            required: true,
            help: [
              '最多跳过一个阶段；看铺须先有看铺跟进；签约由合同审批产生',
              'One stage may be skipped; viewing needs a follow-up of a viewing; signed follows from a contract',
            ],
          },
        ),
        reason: text(['原因', 'Reason'], { max: 200, help: ['退回时必填', 'Needed when going back'] }),
      },
    },
    lose: {
      on: 'row',
      label: ['标记流失', 'Lost'],
      element: 'btn_edit',
      remark: 'note',
      tone: 'danger',
      from: OPEN,
      to: 'lost',
      input: {
        because: ref('bizDict.client_lost_reason', ['流失原因', 'Reason'], { required: true }),
        competitor: text(['竞品', 'Competitor'], { max: 40, help: ['被谁签走', 'Who won it'] }),
        note: text(['说明', 'Note'], { max: 150 }),
      },
    },
    revive: { on: 'row', label: ['重新激活', 'Revive'], element: 'btn_edit', from: ['lost'], to: 'lead' },
    claim: {
      on: 'row',
      label: ['认领', 'Claim'],
      element: 'btn_claim',
      tone: 'primary',
      confirm: ['认领「{name}」？', 'Claim “{name}”?'],
      message: ['已认领', 'Claimed'],
    },
    assign: {
      on: 'rowAndBulk',
      label: ['分配', 'Assign'],
      element: 'btn_assign',
      bulkMax: 200,
      input: {
        to: refs('businessStaff', ['负责人', 'Owner'], {
          required: true,
          max: 20,
          help: ['多人时逐个分给在手最少的', 'Several: each client goes to who has the fewest'],
        }),
      },
    },
    transfer: {
      on: 'row',
      label: ['移交', 'Hand over'],
      element: 'btn_transfer',
      input: {
        to: ref('businessStaff', ['接收人', 'To'], { required: true }),
        reason,
        contracts: boolean(['合同负责人一并移交', 'Its contracts, too'], { initial: true }),
        receivables: boolean(['应收负责人一并移交', 'What is to be collected, too'], { initial: true }),
        follows: boolean(['未完成跟进一并移交', 'Its open follow-ups, too'], {
          initial: true,
          help: ['不选则清除下次跟进时间', 'Otherwise the next follow-up is taken away'],
        }),
        keep: boolean(['保留我 30 天的查看权限', 'I keep reading it for 30 days'], { initial: false }),
      },
    },
    release: {
      on: 'row',
      label: ['退回公海', 'Release'],
      element: 'btn_release',
      tone: 'danger',
      input: { reason },
      confirm: ['退回「{name}」？7 天内您不能再认领', 'Release “{name}”? You cannot claim it for 7 days'],
    },
    lock: {
      on: 'row',
      label: ['锁定', 'Lock'],
      element: 'btn_lock',
      confirm: [
        '锁定「{name}」？锁定后不会自动进入公海',
        'Lock “{name}”? It does not go to the pool by itself then',
      ],
    },
    unlock: { on: 'row', label: ['解锁', 'Unlock'], element: 'btn_lock' },
    merge: {
      on: 'row',
      label: ['合并', 'Merge'],
      element: 'btn_merge',
      tone: 'danger',
      to: [...OPEN, 'signed', 'lost'],
      input: {
        other: ref('clientToMerge', ['并入的客户', 'Client that is joined to it'], {
          required: true,
          help: [
            '其联系人、跟进、合同与归属记录全部转入本客户，原编号和链接指向本客户',
            'Its contacts, follow-ups, contracts and history come here; its number and links lead here',
          ],
        }),
        take: choices(
          ['改用对方的内容', 'Taken from the other'],
          {
            name: { label: ['名称', 'Name'] },
            brand: { label: ['品牌', 'Brand'] },
            licenceNo: { label: ['统一社会信用代码', 'Licence number'] },
            industry: { label: ['行业', 'Industry'] },
            level: { label: ['等级', 'Level'] },
            source: { label: ['来源', 'Source'] },
            address: { label: ['地址', 'Address'] },
            area: { label: ['意向面积', 'Area'] },
            rentMax: { label: ['租金上限', 'Rent at most'] },
            note: { label: ['备注', 'Note'] },
          },
          { help: ['未选的保留本客户内容', 'What is not chosen stays as it is here'] },
        ),
      },
      confirm: ['合并后对方客户不再单独存在', 'The other client stands no longer by itself then'],
    },
    remove: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_del',
      tone: 'danger',
      input: { reason },
      confirm: ['删除「{name}」？30 天内可从回收站恢复', 'Delete “{name}”? It can be restored for 30 days'],
    },
    contract: {
      on: 'row',
      label: ['起草合同', 'Draft a contract'],
      element: 'btn_contract',
      opens: 'screen',
      untouched: true,
    },
    fallBack: {
      on: 'system',
      label: ['合同已全部结束', 'Its contracts are over'],
      element: 'btn_edit',
      from: ['signed'],
      to: 'negotiating',
    },
    autoPool: { on: 'system', label: ['自动进入公海', 'Moved to the pool'], element: 'btn_release' },
  },
});

/** A client as a card of the board shows it. */
export interface ClientCard {
  readonly id: string;
  readonly version: number;
  readonly name: string;
  readonly brand: string;
  readonly level: string;
  readonly owner: string;
  readonly nextFollowAt: string | null;
  readonly area: string;
  /** Actions the caller may do with it now. */
  readonly actions: readonly string[];
}

/** Clients by stage with how many they are and the area they want, in m². */
export interface ClientBoard {
  readonly columns: readonly {
    readonly stage: string;
    readonly count: number;
    readonly areaMin: string;
    readonly areaMax: string;
    readonly cards: readonly ClientCard[];
  }[];
}

/** What the day brings: clients to call and unread ones, contracts that end, and what is owed. */
export interface ClientToday {
  readonly blocks: readonly {
    readonly key: 'due' | 'unread' | 'ending' | 'owed';
    readonly count: number;
    /** Yuan; of what is owed. */
    readonly sum?: string;
    readonly rows: readonly { readonly client: string; readonly title: string; readonly note: string }[];
  }[];
}

/** One event of a client. */
export interface ClientEvent {
  readonly kind: 'change' | 'follow' | 'owner' | 'contract' | 'comment';
  readonly at: string;
  readonly title: readonly [zh: string, en: string];
  readonly text: string;
  readonly by: string;
}
