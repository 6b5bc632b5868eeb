import {
  boolean,
  choice,
  choices,
  code,
  date,
  instant,
  integer,
  longText,
  money,
  personName,
  phone,
  ref,
  refs,
  text,
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
    decides: boolean(['决策人', 'Decides'], { initial: false, width: 90 }),
    main: boolean(['主要联系人', 'Main contact'], { ...seen, width: 110 }),
    addedAt: instant(['添加时间', 'Added'], { ...seen, sortable: true, width: 150 }),
  },
  list: {
    columns: ['name', 'phone', 'position', 'wechat', 'decides', 'main', 'addedAt', 'client'],
    filters: ['client'],
    sort: 'addedAt',
    empty: ['还没有联系人', 'There is no contact yet'],
  },
  form: {
    sections: [
      { title: ['联系人', 'Contact'], fields: ['client', 'name', 'phone', 'position', 'wechat', 'decides'] },
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
    result: text(['结果', 'Result'], { max: 200, width: 180 }),
    nextAt: instant(['下次跟进', 'Next'], { width: 150, help: ['晚于现在', 'After now'] }),
    author: text(['跟进人', 'By'], { ...seen, width: 100 }),
  },
  list: {
    columns: ['at', 'kind', 'content', 'result', 'nextAt', 'author', 'client'],
    filters: ['client', 'kind', 'at'],
    sort: '-at',
    export: true,
    empty: ['还没有跟进', 'Nobody followed up yet'],
  },
  form: {
    sections: [
      { title: ['跟进', 'Follow-up'], fields: ['client', 'kind', 'at', 'content', 'result', 'nextAt'] },
    ],
  },
  actions: {
    create: { on: 'page', label: ['写跟进', 'Follow up'], element: 'btn_follow', tone: 'primary' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_follow' },
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
    fromStaff: text(['原负责人', 'From'], { ...seen, width: 110 }),
    toStaff: text(['新负责人', 'To'], { ...seen, width: 110 }),
    reason: text(['原因', 'Reason'], { ...seen, width: 200 }),
    byStaff: text(['操作人', 'By'], { ...seen, width: 100 }),
    happenedAt: instant(['时间', 'At'], { ...seen, sortable: true, width: 150 }),
  },
  list: {
    columns: ['happenedAt', 'kind', 'fromStaff', 'toStaff', 'reason', 'byStaff', 'client'],
    filters: ['client'],
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
    addedAt: instant(['添加时间', 'Added'], { ...seen, sortable: true, width: 150 }),
  },
  list: {
    columns: ['staff', 'right', 'addedAt', 'client'],
    filters: ['client'],
    sort: '-addedAt',
    empty: ['没有协作人', 'Nobody shares it'],
  },
  form: { sections: [{ title: ['协作人', 'Member'], fields: ['client', 'staff', 'right'] }] },
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
  elements: { btn_all: ['全部客户', 'All clients'] },
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
    address: text(['地址', 'Address'], { max: 120, width: 180 }),
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
    owner: ref('staff', ['负责人', 'Owner'], { ...seen, search: 'in', width: 100 }),
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
      'source',
      'createdAt',
    ],
    hidden: ['code', 'source', 'createdAt', 'contactPhone'],
    filters: [
      'state',
      'level',
      'industry',
      'source',
      'projects',
      'owner',
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
        fields: ['name', 'brand', 'licenceNo', 'industry', 'level', 'source', 'address', 'confirmed'],
      },
      { title: ['意向', 'Wanted'], fields: ['projects', 'areaMin', 'areaMax', 'rentMax'] },
      { title: ['主要联系人', 'Main contact'], fields: ['contactName', 'contactPhone'] },
      { title: ['归属与备注', 'Owner and note'], fields: ['assignee', 'note'] },
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
          'address',
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
        note: text(['说明', 'Note'], { max: 200, help: ['如竞品名称', 'Such as who won it'] }),
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
      input: { to: ref('businessStaff', ['负责人', 'Owner'], { required: true }) },
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
        keep: boolean(['保留我的查看权限', 'I keep reading it'], { initial: false }),
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
