import {
  boolean,
  choice,
  code,
  instant,
  integer,
  money,
  percent,
  personName,
  ref,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, part, type Resource, type Row } from '../../../kernel/contract/resource.ts';
import { RULES, SHARE_CHANNELS, WAYS } from '../butler-choices.rules.ts';

const MENU = 'butler_share';
const seen = { readOnly: true } as const;

/** A visit to a link, counted or not with the reason. */
export const butlerShareVisit = defineResource({
  name: 'butlerShareVisit',
  menu: MENU,
  title: ['访问记录', 'Visits'],
  noun: ['访问', 'Visit'],
  titleField: 'visitor',
  sensitive: true,
  fields: {
    share: ref('butlerShare', ['分享码', 'Link'], { search: 'in', width: 110 }),
    at: instant(['访问时间', 'Visited'], { sortable: true, width: 160 }),
    visitor: code(['访客', 'Visitor'], { width: 110 }),
    member: personName(['会员', 'Member'], { width: 90 }),
    source: choice(
      ['来源', 'Source'],
      {
        link: { label: ['链接', 'Link'], tone: 'default' },
        poster: { label: ['海报', 'Poster'], tone: 'default' },
        qr: { label: ['二维码', 'QR code'], tone: 'default' },
        chat: { label: ['会话', 'Chat'], tone: 'default' },
        moments: { label: ['朋友圈', 'Moments'], tone: 'default' },
      },
      { width: 90 },
    ),
    counted: boolean(['计入', 'Counted'], { search: 'equals', width: 76 }),
    reason: choice(
      ['不计原因', 'Why not'],
      {
        repeat: { label: ['30 分钟内重复', 'Again within 30 minutes'], tone: 'default' },
        own: { label: ['管家本人', 'The butler'], tone: 'default' },
        bot: { label: ['机器访问', 'A machine'], tone: 'default' },
        flood: { label: ['访问过频', 'Too many'], tone: 'warning' },
        expired: { label: ['链接已失效', 'The link has ended'], tone: 'default' },
        off_shelf: { label: ['商品已下架', 'Goods off the shelf'], tone: 'default' },
      },
      { width: 140 },
    ),
  },
  list: {
    columns: ['at', 'visitor', 'member', 'source', 'counted', 'reason', 'share'],
    filters: ['share', 'counted'],
    sort: '-at',
    link: 'visitor',
    empty: ['还没有访问', 'Nobody came yet'],
  },
});

/** An order line a link brought. */
export const butlerShareOrder = defineResource({
  name: 'butlerShareOrder',
  menu: MENU,
  title: ['成交订单', 'Orders'],
  noun: ['订单', 'Order'],
  titleField: 'order',
  fields: {
    share: ref('butlerShare', ['分享码', 'Link'], { search: 'in', width: 110 }),
    order: code(['订单号', 'Order'], { width: 190 }),
    product: text(['商品', 'Goods'], { width: 200 }),
    qty: integer(['数量', 'Pieces'], { width: 70 }),
    way: choice(['来源', 'Way'], WAYS, { width: 96 }),
    paidAt: instant(['支付时间', 'Paid'], { sortable: true, width: 160 }),
    cash: money(['实付', 'Paid amount'], { width: 96 }),
    refunded: money(['退款', 'Refunded'], { width: 96 }),
    valid: money(['有效', 'Valid'], { width: 96 }),
    rule: choice(['规则', 'Rule'], RULES, { width: 130 }),
  },
  list: {
    columns: ['order', 'product', 'qty', 'way', 'paidAt', 'cash', 'refunded', 'valid', 'rule', 'share'],
    filters: ['share'],
    sort: '-paidAt',
    link: 'order',
    empty: ['还没有订单', 'No order yet'],
  },
});

/** A link a butler gave out, with what came of it. */
export const butlerShare = defineResource({
  name: 'butlerShare',
  menu: MENU,
  title: ['分享记录', 'Share records'],
  noun: ['分享', 'Share'],
  purpose: [
    '同一访客 30 分钟内只计一次；本人、机器与过频访问保留但不计入；转化率为分享成交会员数 ÷ 访问人数',
    'A visitor counts once in 30 minutes; the butler’s own, machines and floods are kept and not counted; conversion is buyers ÷ visitors',
  ],
  titleField: 'code',
  fields: {
    code: code(['分享码', 'Code'], { ...seen, keyword: true, width: 120 }),
    butler: ref('butler', ['管家', 'Butler'], { ...seen, search: 'in', width: 90 }),
    project: ref('project', ['项目', 'Project'], { ...seen, search: 'in', width: 130 }),
    kind: choice(
      ['类型', 'Kind'],
      {
        product: { label: ['商品', 'Goods'], tone: 'default' },
        coupon: { label: ['优惠券', 'Coupon'], tone: 'default' },
        activity: { label: ['活动', 'Activity'], tone: 'default' },
        article: { label: ['文章', 'Article'], tone: 'default' },
      },
      { ...seen, width: 80 },
    ),
    target: text(['对象', 'Target'], { ...seen, keyword: true, width: 200 }),
    product: ref('butlerProduct', ['商品', 'Goods'], { ...seen, search: 'in' }),
    channel: choice(['渠道', 'Channel'], SHARE_CHANNELS, { ...seen, search: 'in', width: 88 }),
    reminder: text(['提醒/任务', 'Reminder or task'], { ...seen, width: 150 }),
    source: choice(
      ['来源', 'From'],
      {
        own: { label: ['自主分享', 'On their own'], tone: 'default' },
        reminder: { label: ['分享提醒', 'Reminder'], tone: 'processing' },
        task: { label: ['运营任务', 'Task'], tone: 'processing' },
      },
      { ...seen, search: 'in', width: 96 },
    ),
    sharedAt: instant(['分享时间', 'Shared'], { ...seen, sortable: true, search: 'range', width: 160 }),
    visits: integer(['访问人次', 'Visits'], { ...seen, width: 90 }),
    visitors: integer(['访问人数', 'Visitors'], { ...seen, width: 90 }),
    newVisitors: integer(['新访客', 'New'], {
      ...seen,
      width: 80,
      help: ['此前没有访问过任何管家分享的访客', 'Visitors who had come to no link before'],
    }),
    orders: integer(['订单数', 'Orders'], { ...seen, width: 80 }),
    withOrders: boolean(['有订单', 'With orders'], { ...seen, search: 'equals' }),
    completed: integer(['完成订单', 'Completed'], { ...seen, width: 90 }),
    amount: money(['成交额', 'Amount'], { ...seen, width: 106 }),
    refunded: money(['退款', 'Refunded'], { ...seen, width: 96 }),
    conversion: percent(['转化率', 'Conversion'], { ...seen, scale: 1, width: 90 }),
    standing: choice(
      ['状态', 'State'],
      {
        live: { label: ['有效', 'Live'], tone: 'success' },
        expired: { label: ['已失效', 'Expired'], tone: 'default' },
      },
      { ...seen, search: 'in', width: 84 },
    ),
    expiresAt: instant(['有效期至', 'Works until'], { ...seen, width: 160 }),
    disabledReason: text(['终止原因', 'Why ended'], { ...seen, width: 160 }),
  },
  list: {
    columns: [
      'code',
      'butler',
      'target',
      'visits',
      'visitors',
      'newVisitors',
      'orders',
      'amount',
      'refunded',
      'conversion',
      'standing',
      'channel',
      'source',
      'reminder',
      'project',
      'kind',
      'sharedAt',
    ],
    filters: ['butler', 'project', 'product', 'channel', 'source', 'standing', 'sharedAt', 'withOrders'],
    sort: '-sharedAt',
    link: 'code',
    export: true,
    empty: ['还没有分享', 'Nothing is shared yet'],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['分享', 'Share'],
        fields: [
          'code',
          'butler',
          'project',
          'kind',
          'target',
          'channel',
          'source',
          'reminder',
          'sharedAt',
          'expiresAt',
          'standing',
          'disabledReason',
        ],
      },
      {
        title: ['结果', 'Results'],
        fields: [
          'visits',
          'visitors',
          'newVisitors',
          'orders',
          'completed',
          'amount',
          'refunded',
          'conversion',
        ],
      },
    ],
    parts: [
      part({
        key: 'visits',
        title: butlerShareVisit.title,
        resource: butlerShareVisit as unknown as Resource,
        by: 'share',
      }),
      part({
        key: 'orders',
        title: butlerShareOrder.title,
        resource: butlerShareOrder as unknown as Resource,
        by: 'share',
      }),
    ],
  },
  elements: { btn_view: ['查看', 'View'] },
  actions: {
    disable: {
      on: 'row',
      label: ['终止链接', 'End the link'],
      element: 'btn_disable',
      remark: 'reason',
      tone: 'danger',
      confirm: ['终止后该链接的访问不再计入。', 'Visits to the link count no more.'],
      input: { reason: text(['原因', 'Reason'], { required: true, max: 200 }) },
    },
  },
});

export interface ButlerShare extends Row<typeof butlerShare> {}

/** Counted visits of a link by hour since it went out. */
export interface ShareHours {
  readonly hours: readonly { readonly hour: string; readonly visits: number }[];
}
