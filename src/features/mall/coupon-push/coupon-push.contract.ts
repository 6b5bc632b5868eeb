import {
  choice,
  code,
  instant,
  integer,
  longText,
  personName,
  phone,
  ref,
  refs,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, part, type Row } from '../../../kernel/contract/resource.ts';

/** The menu of targeted coupons. */
export const PUSH_MENU = 'mm_targetedCoupons';

/** What became of one coupon for one member. */
export const couponPushItem = defineResource({
  name: 'couponPushItem',
  menu: PUSH_MENU,
  title: ['发放结果', 'Results'],
  noun: ['发放结果', 'Result'],
  titleField: 'member',
  sensitive: true,
  fields: {
    push: ref('couponPush', ['任务', 'Task'], { readOnly: true, search: 'in', width: 180 }),
    member: personName(['会员', 'Member'], { readOnly: true, width: 110 }),
    phone: phone(['手机', 'Phone'], { readOnly: true, width: 130 }),
    n: integer(['第几张', 'No.'], { readOnly: true, width: 80 }),
    reason: text(['原因', 'Reason'], { readOnly: true, width: 180 }),
    coupon: text(['券码', 'Coupon code'], { readOnly: true, width: 150 }),
    sequence: integer(['序号', 'Row'], { readOnly: true, sortable: true, width: 80 }),
    doneAt: instant(['时间', 'Time'], { readOnly: true, width: 150 }),
  },
  states: {
    pending: { label: ['待发送', 'Waiting'], tone: 'default' },
    success: { label: ['成功', 'Given'], tone: 'success' },
    failed: { label: ['失败', 'Failed'], tone: 'error' },
  },
  list: {
    columns: ['sequence', 'push', 'member', 'phone', 'n', 'state', 'reason', 'coupon', 'doneAt'],
    filters: ['push', 'state'],
    sort: '-sequence',
    export: true,
    empty: ['提交发送后显示每位会员的结果', 'Results of each member stand here once it is sent'],
  },
});

/** One task that gives a coupon to chosen members. */
export const couponPush = defineResource({
  name: 'couponPush',
  menu: PUSH_MENU,
  title: ['定向发券', 'Targeted coupons'],
  noun: ['发券任务', 'Push'],
  purpose: [
    '把已发布的优惠券发给指定会员：按手机号、小区、等级、楼栋业主或购买记录；超过成本上限的先审批，失败的可单独重试',
    'Give a published coupon to chosen members: by phones, projects, grades, owners of buildings or what they bought; above the cost limit it is approved first, failed rows can be tried again',
  ],
  prefix: 'CT',
  titleField: 'name',
  stamps: true,
  sensitive: true,
  fields: {
    code: code(['编号', 'Code'], { readOnly: true, keyword: true, width: 150 }),
    name: text(['任务名称', 'Name'], { required: true, max: 40, keyword: true, width: 180 }),
    coupon: ref('pushCoupon', ['优惠券', 'Coupon'], {
      required: true,
      search: 'in',
      width: 180,
      help: ['已发布或使用中的券，显示余量', 'Published coupons or those in use, with what is left'],
    }),
    audience: choice(
      ['对象', 'Audience'],
      {
        phones: { label: ['手机号名单', 'List of phones'] },
        projects: { label: ['小区会员', 'Members of projects'] },
        grades: { label: ['会员等级', 'Members of grades'] },
        buildings: { label: ['楼栋业主', 'Owners of buildings'] },
        bought: { label: ['购买过商品', 'Bought a product'] },
      },
      { required: true, search: 'in', initial: 'projects', width: 110 },
    ),
    phones: longText(['手机号', 'Phones'], {
      max: 150_000,
      help: [
        '每行一个，最多 10,000 个；保存后不再显示，编辑时留空保持原名单',
        'One a line, at most 10,000; not shown once saved, left empty it stays as it is',
      ],
    }),
    projects: refs('project', ['小区', 'Projects'], { max: 200 }),
    grades: refs('grade', ['会员等级', 'Grades'], { max: 20 }),
    buildings: refs('building', ['楼栋', 'Buildings'], { max: 200 }),
    product: ref('product', ['商品', 'Product']),
    withinDays: integer(['最近天数', 'Within days'], { min: 1, max: 365, unit: ['天', 'days'] }),
    excluded: longText(['排除手机号', 'Excluded phones'], {
      max: 150_000,
      help: [
        '每行一个；保存后不再显示，编辑时留空保持原名单',
        'One a line; not shown once saved, left empty it stays',
      ],
    }),
    perPerson: integer(['每人张数', 'Per person'], {
      required: true,
      min: 1,
      max: 5,
      initial: 1,
      unit: ['张', 'pcs'],
      width: 90,
    }),
    sendAt: instant(['计划时间', 'Send at'], {
      sortable: true,
      width: 150,
      help: ['留空：提交后立即发送', 'Empty: at once'],
    }),
    reason: text(['发券原因', 'Reason'], { required: true, max: 200 }),
    people: integer(['人数', 'People'], {
      readOnly: true,
      width: 80,
      help: [
        '草稿为保存时匹配的人数，发送时重新匹配',
        'Of a draft: who matched when it was saved; matched anew when it is sent',
      ],
    }),
    succeeded: integer(['成功', 'Given'], { readOnly: true, width: 80 }),
    failed: integer(['失败', 'Failed'], { readOnly: true, width: 80 }),
    reviewState: choice(
      ['审批', 'Review'],
      {
        none: { label: ['无需', 'Not needed'] },
        waiting: { label: ['审批中', 'In review'], tone: 'warning' },
        passed: { label: ['已通过', 'Approved'], tone: 'success' },
        refused: { label: ['已驳回', 'Refused'], tone: 'error' },
      },
      { readOnly: true, search: 'in', width: 90 },
    ),
    finishedAt: instant(['完成时间', 'Finished'], { readOnly: true, width: 150 }),
  },
  states: {
    draft: { label: ['草稿', 'Draft'], tone: 'default' },
    scheduled: { label: ['待发送', 'Scheduled'], tone: 'warning' },
    sending: { label: ['发送中', 'Sending'], tone: 'processing' },
    done: { label: ['已完成', 'Done'], tone: 'success' },
    part_failed: { label: ['部分失败', 'Partly failed'], tone: 'error' },
    cancelled: { label: ['已取消', 'Cancelled'], tone: 'paused' },
  },
  list: {
    columns: [
      'name',
      'coupon',
      'audience',
      'people',
      'perPerson',
      'sendAt',
      'succeeded',
      'failed',
      'state',
      'reviewState',
      'creator',
      'createdAt',
      'code',
    ],
    hidden: ['code'],
    filters: ['state', 'coupon', 'audience', 'reviewState', 'createdAt'],
    sort: '-createdAt',
    link: 'name',
    export: true,
  },
  form: {
    width: 720,
    sections: [
      { title: ['任务', 'Task'], fields: ['name', 'coupon', 'perPerson', 'sendAt', 'reason'] },
      {
        title: ['对象', 'Audience'],
        note: [
          '按所选对象填写一项；保存后在详情中预览人数与成本',
          'Fill in what the audience asks for; the detail shows people and cost before it is sent',
        ],
        fields: [
          'audience',
          'projects',
          'grades',
          'buildings',
          'product',
          'withinDays',
          'phones',
          'excluded',
        ],
      },
    ],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['任务', 'Task'],
        fields: [
          'code',
          'coupon',
          'audience',
          'projects',
          'grades',
          'buildings',
          'product',
          'withinDays',
          'perPerson',
          'sendAt',
          'reason',
          'people',
          'succeeded',
          'failed',
          'reviewState',
          'finishedAt',
        ],
      },
    ],
    parts: [part({ key: 'results', title: ['发放结果', 'Results'], resource: couponPushItem, by: 'push' })],
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
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_add', from: ['draft'] },
    send: {
      on: 'row',
      label: ['发送', 'Send'],
      element: 'btn_send',
      tone: 'primary',
      from: ['draft'],
      to: ['scheduled', 'draft'],
      confirm: [
        '发送「{name}」？人数与成本见详情预览；超过成本上限的先提交审批',
        'Send “{name}”? People and cost stand in the detail; above the cost limit it goes to review first',
      ],
    },
    approve: {
      on: 'row',
      label: ['通过', 'Approve'],
      element: 'btn_audit',
      tone: 'primary',
      from: ['draft'],
      to: ['scheduled', 'draft'],
      input: { opinion: longText(['意见', 'Opinion'], { max: 200 }) },
    },
    reject: {
      on: 'row',
      label: ['驳回', 'Reject'],
      element: 'btn_audit',
      tone: 'danger',
      from: ['draft'],
      to: ['draft', 'scheduled'],
      input: { opinion: longText(['驳回原因', 'Reason'], { required: true, min: 2, max: 200 }) },
    },
    withdraw: {
      on: 'row',
      label: ['撤回审批', 'Withdraw from review'],
      element: 'btn_send',
      from: ['draft'],
      confirm: ['撤回「{name}」的审批？', 'Withdraw “{name}” from review?'],
    },
    cancel: {
      on: 'row',
      label: ['取消', 'Cancel'],
      element: 'btn_cancel',
      tone: 'danger',
      from: ['draft', 'scheduled'],
      to: 'cancelled',
      confirm: ['取消「{name}」？', 'Cancel “{name}”?'],
    },
    retry: {
      on: 'row',
      label: ['重试失败', 'Retry failed'],
      element: 'btn_retry',
      from: ['part_failed'],
      to: 'sending',
      confirm: ['只重试「{name}」失败的记录？', 'Retry only the failed rows of “{name}”?'],
    },
    start: {
      on: 'system',
      label: ['开始发送', 'Sending'],
      element: 'btn_send',
      from: ['scheduled'],
      to: 'sending',
    },
    finish: {
      on: 'system',
      label: ['发送完成', 'Sent'],
      element: 'btn_send',
      from: ['sending'],
      to: ['done', 'part_failed'],
    },
  },
});

/** A push on the wire. */
export interface CouponPush extends Row<typeof couponPush> {}

/** What a push would give, told before it is sent. Money in yuan. */
export interface PushPreview {
  readonly people: number;
  readonly needed: number;
  readonly ceiling: string;
  readonly left: number;
  readonly short: number;
  /** Of a list of phones: numbers no member in reach has. */
  readonly unknown: number;
  readonly unknownSample: readonly string[];
}
