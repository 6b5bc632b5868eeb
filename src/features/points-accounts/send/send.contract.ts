import {
  boolean,
  choice,
  code,
  date,
  file,
  instant,
  integer,
  longText,
  money,
  percent,
  personName,
  phone,
  ref,
  refs,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, part, type Row } from '../../../kernel/contract/resource.ts';

/** The menu of batches and budgets. */
export const SEND_MENU = 'pointsSend';

/** One member of a batch. */
export const pointsGrantLine = defineResource({
  name: 'pointsGrantLine',
  menu: SEND_MENU,
  title: ['发放明细', 'Lines'],
  noun: ['发放明细', 'Line'],
  titleField: 'rowNo',
  sensitive: true,
  fields: {
    batch: ref('pointsGrantBatch', ['批次', 'Batch'], { readOnly: true, search: 'in', width: 170 }),
    rowNo: integer(['行号', 'Row'], { readOnly: true, sortable: true, width: 70 }),
    member: personName(['会员', 'Member'], { readOnly: true, width: 100 }),
    phone: phone(['手机', 'Phone'], { readOnly: true, width: 130 }),
    points: integer(['积分', 'Points'], { readOnly: true, width: 90 }),
    reason: text(['原因', 'Reason'], { readOnly: true, width: 180 }),
    lotRemaining: integer(['批次剩余', 'Lot remaining'], { readOnly: true, width: 100 }),
    recalled: integer(['已撤回', 'Given back'], { readOnly: true, width: 90 }),
    remark: text(['备注', 'Remark'], { readOnly: true, width: 140 }),
    doneAt: instant(['时间', 'Time'], { readOnly: true, width: 150 }),
  },
  states: {
    pending: { label: ['待发放', 'Waiting'], tone: 'default' },
    sent: { label: ['已发放', 'Sent'], tone: 'success' },
    failed: { label: ['失败', 'Failed'], tone: 'error' },
    recalled: { label: ['已撤回', 'Recalled'], tone: 'paused' },
  },
  list: {
    columns: ['rowNo', 'batch', 'member', 'phone', 'points', 'state', 'reason', 'lotRemaining', 'recalled', 'remark', 'doneAt'],
    filters: ['batch', 'state'],
    sort: 'rowNo',
    export: true,
    empty: ['提交后显示每位会员的发放结果', 'Results of each member stand here once it is submitted'],
  },
});

/** One change of a budget. */
export const pointsBudgetChange = defineResource({
  name: 'pointsBudgetChange',
  menu: SEND_MENU,
  title: ['预算变动', 'Changes'],
  noun: ['预算变动', 'Change'],
  titleField: 'code',
  fields: {
    budget: ref('pointsBudget', ['预算', 'Budget'], { readOnly: true, search: 'in', width: 160 }),
    code: code(['编号', 'Code'], { readOnly: true, width: 160 }),
    amount: integer(['变动积分', 'Points'], { readOnly: true, width: 110 }),
    reason: text(['原因', 'Reason'], { readOnly: true, width: 200 }),
    opinion: text(['审批意见', 'Opinion'], { readOnly: true, width: 160 }),
    creator: ref('staff', ['申请人', 'Applicant'], { readOnly: true, width: 100 }),
    createdAt: instant(['申请时间', 'Applied'], { readOnly: true, sortable: true, width: 150 }),
  },
  states: {
    reviewing: { label: ['待审批', 'In review'], tone: 'warning' },
    booked: { label: ['已生效', 'Booked'], tone: 'success' },
    rejected: { label: ['已驳回', 'Rejected'], tone: 'error' },
    withdrawn: { label: ['已撤回', 'Withdrawn'], tone: 'paused' },
  },
  list: {
    columns: ['code', 'budget', 'amount', 'reason', 'state', 'opinion', 'creator', 'createdAt'],
    filters: ['budget', 'state'],
    sort: '-createdAt',
    empty: ['还没有充值或调减', 'It was never loaded or reduced'],
  },
  actions: {
    approve: {
      on: 'row',
      label: ['通过', 'Approve'],
      element: 'btn_budget',
      tone: 'primary',
      from: ['reviewing'],
      to: ['booked', 'reviewing'],
      input: { opinion: longText(['意见', 'Opinion'], { max: 200 }) },
    },
    reject: {
      on: 'row',
      label: ['驳回', 'Reject'],
      element: 'btn_budget',
      tone: 'danger',
      from: ['reviewing'],
      to: ['rejected', 'reviewing'],
      input: { opinion: longText(['驳回原因', 'Reason'], { required: true, min: 2, max: 200 }) },
    },
    withdraw: {
      on: 'row',
      label: ['撤回', 'Withdraw'],
      element: 'btn_budget',
      from: ['reviewing'],
      to: 'withdrawn',
      confirm: ['撤回「{code}」？', 'Withdraw “{code}”?'],
    },
  },
});

/** Points somebody may give in a year. */
export const pointsBudget = defineResource({
  name: 'pointsBudget',
  menu: SEND_MENU,
  title: ['积分预算', 'Budgets'],
  noun: ['积分预算', 'Budget'],
  titleField: 'name',
  fields: {
    code: code(['编号', 'Code'], { readOnly: true, keyword: true, width: 150 }),
    name: text(['预算名称', 'Name'], { required: true, max: 40, keyword: true, width: 180 }),
    owner: ref('budgetOwner', ['归属', 'Owner'], {
      createOnly: true,
      width: 140,
      help: ['留空归平台；非平台账号归本公司', 'Empty: the platform; others: their own company'],
    }),
    year: integer(['年度', 'Year'], { required: true, createOnly: true, min: 2020, max: 2100, search: 'equals', width: 70 }),
    loaded: integer(['已充值', 'Loaded'], { readOnly: true, width: 110 }),
    held: integer(['占用', 'Held'], { readOnly: true, width: 100 }),
    issued: integer(['已发放', 'Issued'], { readOnly: true, width: 110 }),
    left: integer(['剩余', 'Left'], { readOnly: true, width: 110 }),
    used: percent(['已用', 'Used'], { readOnly: true, width: 80 }),
    warnPercent: integer(['提醒比例', 'Warn at'], {
      required: true,
      min: 1,
      max: 100,
      initial: 80,
      unit: ['%', '%'],
      width: 90,
    }),
    enabled: boolean(['启用', 'Enabled'], { readOnly: true, search: 'equals', width: 70 }),
  },
  stamps: true,
  list: {
    columns: ['name', 'code', 'owner', 'year', 'loaded', 'held', 'issued', 'left', 'used', 'warnPercent', 'enabled'],
    filters: ['year', 'enabled'],
    sort: '-createdAt',
    link: 'name',
  },
  form: {
    width: 480,
    sections: [{ title: ['预算', 'Budget'], fields: ['name', 'owner', 'year', 'warnPercent'] }],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['预算', 'Budget'],
        fields: ['code', 'name', 'owner', 'year', 'loaded', 'held', 'issued', 'left', 'used', 'warnPercent', 'enabled'],
      },
    ],
    parts: [part({ key: 'changes', title: ['充值与调减', 'Changes'], resource: pointsBudgetChange, by: 'budget' })],
  },
  actions: {
    create: { on: 'page', label: ['新增', 'Add'], element: 'btn_budget', tone: 'primary' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_budget' },
    load: {
      on: 'row',
      label: ['充值/调减', 'Load / reduce'],
      element: 'btn_budget',
      untouched: true,
      input: {
        amount: integer(['积分', 'Points'], {
          required: true,
          min: -1_000_000_000,
          max: 1_000_000_000,
          help: ['正数充值，负数调减；超过 100,000 须他人审批', 'Above zero loads, below reduces; above 100,000 somebody else approves'],
        }),
        reason: longText(['原因', 'Reason'], { required: true, min: 2, max: 200 }),
      },
    },
    enable: { on: 'row', label: ['启用', 'Enable'], element: 'btn_budget' },
    disable: {
      on: 'row',
      label: ['停用', 'Disable'],
      element: 'btn_budget',
      tone: 'danger',
      confirm: ['停用预算「{name}」？停用后不能再发放', 'Disable “{name}”? Nothing is given from it any more'],
    },
  },
});

/** One batch of points for many members. */
export const pointsGrantBatch = defineResource({
  name: 'pointsGrantBatch',
  menu: SEND_MENU,
  title: ['积分发放', 'Sending points'],
  noun: ['发放批次', 'Batch'],
  purpose: [
    '把预算内的积分发给指定会员：提交时冻结名单并占用预算，超过免审额度先审批，逐人发放，失败的可重试，期限内可撤回未用部分',
    'Give points of a budget to chosen members: submitting freezes the members and holds the budget, larger ones are approved first, each member gets an own booking, failed ones can be tried again, and what is unused can be recalled in time',
  ],
  prefix: 'PG',
  titleField: 'name',
  stamps: true,
  copy: true,
  sensitive: true,
  fields: {
    code: code(['批次号', 'Batch'], { readOnly: true, keyword: true, width: 170 }),
    name: text(['批次名称', 'Name'], { required: true, max: 40, keyword: true, width: 180 }),
    projects: refs('project', ['项目', 'Projects'], {
      max: 200,
      search: 'in',
      width: 160,
      help: ['按条件发放时留空为负责的全部项目', 'By filter: empty for all in reach'],
    }),
    audience: choice(
      ['人群', 'Audience'],
      {
        chosen: { label: ['指定会员', 'Chosen'] },
        filter: { label: ['条件', 'Filter'] },
        import: { label: ['导入', 'Import'] },
      },
      { required: true, initial: 'filter', width: 100 },
    ),
    members: integer(['人数', 'Members'], { readOnly: true, width: 80 }),
    points: integer(['每人积分', 'Points each'], {
      min: 1,
      max: 100_000,
      width: 90,
      help: ['导入的批次按行各异，无须填写', 'Imported batches have points of their own in each row'],
    }),
    total: integer(['总积分', 'Total'], { readOnly: true, width: 100 }),
    liability: money(['负债（元）', 'Liability (yuan)'], { readOnly: true, width: 110 }),
    budget: ref('pointsBudget', ['预算', 'Budget'], { required: true, search: 'in', width: 150 }),
    validity: choice(
      ['有效期', 'Validity'],
      {
        default: { label: ['默认规则', 'Default rule'] },
        fixed: { label: ['固定日期', 'Fixed date'] },
      },
      { required: true, initial: 'default', width: 100 },
    ),
    expiresOn: date(['到期日', 'Expires'], {
      width: 110,
      help: ['固定日期：最早明天，最晚 36 个月后', 'Fixed date: tomorrow at the earliest, 36 months ahead at the latest'],
    }),
    reasonCode: choice(
      ['发放原因', 'Reason'],
      {
        event: { label: ['活动奖励', 'Event reward'] },
        compensation: { label: ['投诉补偿', 'Compensation'] },
        festive: { label: ['节日关怀', 'Festive gift'] },
        correction: { label: ['更正', 'Correction'] },
        other: { label: ['其他', 'Other'] },
      },
      { required: true, width: 100 },
    ),
    reasonText: text(['原因说明', 'Explanation'], { max: 200 }),
    attachment: file(['附件', 'Attachment']),
    countsForGrade: boolean(['计入成长值', 'Counts for grade'], { initial: false }),
    sendAt: instant(['计划时间', 'Send at'], {
      width: 150,
      help: ['留空：通过后立即发放', 'Empty: as soon as it may be sent'],
    }),
    chosen: refs('pointsMember', ['会员', 'Members'], {
      max: 2_000,
      help: ['按完整姓名或手机号查找', 'Found by the whole name or phone'],
    }),
    identity: choice(['房屋身份', 'House identity'], {
      owner: { label: ['业主', 'Owner'] },
      family: { label: ['家属', 'Family'] },
      tenant: { label: ['租客', 'Tenant'] },
    }),
    registeredFrom: date(['注册起', 'Registered from']),
    registeredTo: date(['注册止', 'Registered to']),
    activeFrom: date(['最近活跃起', 'Last active from']),
    activeTo: date(['最近活跃止', 'Last active to']),
    hasActivity: boolean(['有活跃记录', 'Has used the app'], { initial: false }),
    sent: integer(['成功', 'Sent'], { readOnly: true, width: 70 }),
    failed: integer(['失败', 'Failed'], { readOnly: true, width: 70 }),
    recalledPoints: integer(['已撤回积分', 'Recalled'], { readOnly: true, width: 100 }),
    applicant: ref('staff', ['申请人', 'Applicant'], { readOnly: true, search: 'in', width: 100 }),
    approver: ref('staff', ['审批人', 'Approver'], { readOnly: true, width: 100 }),
    sentAt: instant(['发放时间', 'Sent at'], { readOnly: true, width: 150 }),
    recallReason: text(['撤回原因', 'Reason of recall'], { readOnly: true }),
  },
  states: {
    draft: { label: ['草稿', 'Draft'], tone: 'default', code: 0 },
    reviewing: { label: ['待审核', 'In review'], tone: 'warning', code: 1 },
    rejected: { label: ['已驳回', 'Rejected'], tone: 'error', code: 2 },
    to_send: { label: ['待发放', 'To send'], tone: 'warning', code: 3 },
    sending: { label: ['发放中', 'Sending'], tone: 'processing', code: 4 },
    sent: { label: ['已发放', 'Sent'], tone: 'success', code: 5 },
    part_sent: { label: ['部分失败', 'Partly failed'], tone: 'error', code: 6 },
    recalled: { label: ['已撤回', 'Recalled'], tone: 'paused', code: 7 },
    cancelled: { label: ['已取消', 'Cancelled'], tone: 'paused', code: 8 },
  },
  list: {
    columns: [
      'name',
      'code',
      'projects',
      'audience',
      'members',
      'points',
      'total',
      'liability',
      'budget',
      'expiresOn',
      'state',
      'sent',
      'failed',
      'recalledPoints',
      'applicant',
      'approver',
      'createdAt',
    ],
    hidden: ['recalledPoints', 'projects'],
    filters: ['state', 'projects', 'budget', 'applicant', 'createdAt'],
    sort: '-createdAt',
    link: 'name',
    export: true,
  },
  form: {
    as: 'steps',
    sections: [
      {
        title: ['基本信息', 'Basics'],
        fields: [
          'name',
          'budget',
          'reasonCode',
          'reasonText',
          'attachment',
          'validity',
          'expiresOn',
          'countsForGrade',
          'sendAt',
        ],
      },
      {
        title: ['发放对象', 'Audience'],
        note: [
          '名单在提交时冻结；保存后在详情中预览人数、总额与预算，再提交',
          'Members are frozen when it is submitted; the detail shows members, total and budget before',
        ],
        fields: [
          'audience',
          'points',
          'chosen',
          'projects',
          'identity',
          'registeredFrom',
          'registeredTo',
          'activeFrom',
          'activeTo',
          'hasActivity',
        ],
      },
    ],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['基本信息', 'Basics'],
        fields: [
          'code',
          'budget',
          'reasonCode',
          'reasonText',
          'attachment',
          'validity',
          'expiresOn',
          'countsForGrade',
          'sendAt',
          'members',
          'points',
          'total',
          'liability',
          'sent',
          'failed',
          'recalledPoints',
          'recallReason',
          'applicant',
          'approver',
          'sentAt',
        ],
      },
      {
        title: ['发放对象', 'Audience'],
        fields: [
          'audience',
          'chosen',
          'projects',
          'identity',
          'registeredFrom',
          'registeredTo',
          'activeFrom',
          'activeTo',
          'hasActivity',
        ],
      },
    ],
    parts: [part({ key: 'lines', title: ['发放明细', 'Lines'], resource: pointsGrantLine, by: 'batch' })],
  },
  actions: {
    create: {
      on: 'page',
      label: ['新增', 'Add'],
      element: 'btn_add',
      tone: 'primary',
      to: 'draft',
      // eslint-disable-next-line unicorn/no-thenable
      then: 'open',
    },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_edit', from: ['draft', 'rejected'] },
    submit: {
      on: 'row',
      label: ['提交', 'Submit'],
      element: 'btn_submit',
      tone: 'primary',
      from: ['draft', 'rejected'],
      to: ['reviewing', 'to_send'],
      confirm: [
        '提交「{name}」？名单将冻结并占用预算',
        'Submit “{name}”? The members are frozen and the budget is held',
      ],
    },
    approve: {
      on: 'row',
      label: ['通过', 'Approve'],
      element: 'btn_approve',
      tone: 'primary',
      from: ['reviewing'],
      to: ['to_send', 'reviewing'],
      input: { opinion: longText(['意见', 'Opinion'], { max: 200 }) },
    },
    reject: {
      on: 'row',
      label: ['驳回', 'Reject'],
      element: 'btn_approve',
      tone: 'danger',
      from: ['reviewing'],
      to: ['rejected', 'reviewing'],
      input: { opinion: longText(['驳回原因', 'Reason'], { required: true, min: 2, max: 200 }) },
    },
    withdraw: {
      on: 'row',
      label: ['撤回审核', 'Withdraw'],
      element: 'btn_submit',
      from: ['reviewing'],
      to: 'draft',
      confirm: ['撤回「{name}」？预算将释放', 'Withdraw “{name}”? The budget is released'],
    },
    send: {
      on: 'row',
      label: ['立即发放', 'Send now'],
      element: 'btn_send',
      tone: 'primary',
      from: ['to_send'],
      confirm: ['立即发放「{name}」，共 {total} 积分？', 'Send “{name}” now, {total} points in all?'],
    },
    retry: {
      on: 'row',
      label: ['重试失败', 'Retry failed'],
      element: 'btn_retry',
      from: ['part_sent'],
      to: 'sending',
      confirm: ['只重试「{name}」失败的明细？', 'Retry only the failed lines of “{name}”?'],
    },
    recall: {
      on: 'row',
      label: ['撤回发放', 'Recall'],
      element: 'btn_recall',
      tone: 'danger',
      from: ['sent', 'part_sent'],
      to: 'recalled',
      confirm: [
        '撤回「{name}」未使用的积分？已使用和占用的不受影响',
        'Take back what is unused of “{name}”? What is spent or held stays',
      ],
      input: { reason: longText(['撤回原因', 'Reason'], { required: true, min: 2, max: 200 }) },
    },
    cancel: {
      on: 'row',
      label: ['取消', 'Cancel'],
      element: 'btn_cancel',
      tone: 'danger',
      from: ['draft', 'to_send'],
      to: 'cancelled',
      confirm: ['取消「{name}」？', 'Cancel “{name}”?'],
    },
    budget: { on: 'page', label: ['预算', 'Budgets'], element: 'btn_budget', opens: 'screen' },
    start: {
      on: 'system',
      label: ['开始发放', 'Sending'],
      element: 'btn_send',
      from: ['to_send'],
      to: 'sending',
    },
    finish: {
      on: 'system',
      label: ['发放完成', 'Sent'],
      element: 'btn_send',
      from: ['sending'],
      to: ['sent', 'part_sent'],
    },
  },
});

/** A batch on the wire. */
export interface PointsGrantBatch extends Row<typeof pointsGrantBatch> {}

/** What a batch would give, told before it is submitted. */
export interface SendPreview {
  readonly members: number;
  readonly total: number;
  /** In yuan. */
  readonly liability: string;
  readonly budgetLeft: number;
  readonly budgetAfter: number;
  /** Approvals it needs. */
  readonly approvals: 0 | 1 | 2;
  readonly first: readonly { readonly member: string; readonly phone: string; readonly points: number }[];
}
