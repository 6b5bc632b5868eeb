import {
  boolean,
  choice,
  code,
  image,
  instant,
  integer,
  json,
  lines,
  longText,
  money,
  percent,
  personName,
  phone,
  ref,
  refs,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, part } from '../../../kernel/contract/resource.ts';
import { AUDIENCES, CLAIM_STATES, SECKILL_STATES } from '../../../domain/seckill/seckill.rules.ts';

/** Menu of the activities. */
export const SECKILL_MENU = 'mk_seckillActivityManagement';
/** Menu of who decides about them. */
export const PUBLISH_MENU = 'mk_seckillActivityPublish';
/** Menu of the paused ones. */
export const RESUME_MENU = 'mk_seckillActivityResume';

const seen = { readOnly: true } as const;
const reason = { reason: longText(['原因', 'Reason'], { required: true, min: 2, max: 200 }) } as const;
const copiesLimits = { min: 1, max: 999_999 } as const;
const yuan = ['元', 'yuan'] as const;
const KEPT = ['留空不修改', 'Left empty it stays as it is'] as const;

/** What one spec is sold for in one session, and where its copies are. */
export const seckillItem = defineResource({
  name: 'seckillItem',
  menu: SECKILL_MENU,
  title: ['秒杀商品', 'Items'],
  noun: ['秒杀商品', 'Item'],
  titleField: 'product',
  fields: {
    activity: ref('seckillActivity', ['活动', 'Activity'], { ...seen, search: 'in' }),
    sessionNo: integer(['场次', 'Session'], { ...seen, width: 70 }),
    startsAt: instant(['开始', 'Start'], { ...seen, sortable: true, width: 150 }),
    endsAt: instant(['结束', 'End'], { ...seen, width: 150 }),
    product: text(['商品', 'Goods'], { ...seen, keyword: true, width: 180 }),
    spec: text(['规格', 'Spec'], { ...seen, width: 110 }),
    basePrice: money(['原价', 'Ordinary price'], { ...seen, width: 100 }),
    price: money(['秒杀价', 'Price'], { ...seen, width: 100 }),
    reserved: integer(['预留', 'Reserved'], { ...seen, sortable: true, width: 80 }),
    remaining: integer(['剩余', 'Remaining'], { ...seen, width: 80 }),
    held: integer(['占用', 'Held'], {
      ...seen,
      width: 80,
      help: ['未付款订单占用的份数', 'Copies held by unpaid orders'],
    }),
    sold: integer(['已售', 'Sold'], { ...seen, sortable: true, width: 80 }),
    returned: integer(['已归还', 'Returned'], { ...seen, width: 80 }),
    refunded: integer(['已退款', 'Refunded'], { ...seen, width: 80 }),
    sellThrough: percent(['售罄率', 'Sell-through'], { ...seen, width: 90, unit: ['%', '%'] }),
    discount: money(['让利', 'Discount given'], {
      ...seen,
      width: 110,
      help: ['（原价 − 秒杀价）× 已售', '(Ordinary price − price) × sold'],
    }),
    perOrderLimit: integer(['单笔限购', 'Per order'], { ...seen, width: 90 }),
    perMemberLimit: integer(['每人限购', 'Per member'], { ...seen, width: 90 }),
  },
  states: SECKILL_STATES,
  list: {
    columns: [
      'product',
      'spec',
      'sessionNo',
      'startsAt',
      'endsAt',
      'basePrice',
      'price',
      'reserved',
      'remaining',
      'held',
      'sold',
      'returned',
      'refunded',
      'sellThrough',
      'discount',
      'perOrderLimit',
      'perMemberLimit',
    ],
    filters: ['activity', 'state'],
    sort: 'startsAt',
    empty: ['还没有商品', 'No goods yet'],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['秒杀商品', 'Item'],
        fields: [
          'product',
          'spec',
          'sessionNo',
          'startsAt',
          'endsAt',
          'basePrice',
          'price',
          'perOrderLimit',
          'perMemberLimit',
          'reserved',
          'remaining',
          'held',
          'sold',
          'returned',
          'refunded',
          'sellThrough',
          'discount',
        ],
      },
    ],
  },
  actions: {
    addStock: {
      on: 'row',
      label: ['增减库存', 'Change stock'],
      element: 'btn_addStock',
      from: ['scheduled', 'running', 'paused'],
      confirm: [
        '调整「{product}」的份数：增加从普通库存取，减少只能减剩余 {remaining} 份。',
        'Change the copies of “{product}”: more come from the ordinary stock, fewer only from the {remaining} remaining.',
      ],
      input: {
        change: integer(['增减份数', 'Change by'], {
          required: true,
          min: -999_999,
          max: 999_999,
          help: ['负数为减少', 'A negative number takes away'],
        }),
        ...reason,
      },
    },
  },
});

/** What a member claimed: an order that holds copies, paid for them or gave them back. */
export const seckillClaim = defineResource({
  name: 'seckillClaim',
  menu: SECKILL_MENU,
  title: ['抢购订单', 'Orders'],
  noun: ['抢购订单', 'Order'],
  titleField: 'orderCode',
  sensitive: true,
  fields: {
    activity: ref('seckillActivity', ['活动', 'Activity'], { ...seen, search: 'in' }),
    orderCode: text(['订单号', 'Order no.'], { ...seen, keyword: true, width: 170 }),
    order: ref('goodsOrder', ['订单', 'Order'], { ...seen, width: 170 }),
    product: text(['商品', 'Goods'], { ...seen, width: 180 }),
    sessionNo: integer(['场次', 'Session'], { ...seen, width: 70 }),
    memberName: personName(['会员', 'Member'], { ...seen, width: 90 }),
    memberPhone: phone(['电话', 'Phone'], { ...seen, width: 150 }),
    qty: integer(['份数', 'Copies'], { ...seen, width: 70 }),
    amount: money(['金额', 'Amount'], { ...seen, width: 100 }),
    refunded: integer(['已退款', 'Refunded'], { ...seen, width: 80 }),
    createdAt: instant(['下单时间', 'Ordered'], { ...seen, sortable: true, search: 'range', width: 150 }),
    payDeadline: instant(['付款截止', 'Pay until'], { ...seen, width: 150 }),
    paidAt: instant(['付款时间', 'Paid'], { ...seen, width: 150 }),
    releasedWhy: text(['释放原因', 'Why released'], { ...seen, width: 110 }),
  },
  states: CLAIM_STATES,
  list: {
    columns: [
      'orderCode',
      'product',
      'sessionNo',
      'memberName',
      'memberPhone',
      'qty',
      'amount',
      'state',
      'createdAt',
      'payDeadline',
      'paidAt',
      'refunded',
      'releasedWhy',
    ],
    filters: ['activity', 'state', 'createdAt'],
    sort: '-createdAt',
    link: 'orderCode',
    empty: ['还没有订单', 'No orders yet'],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['抢购', 'Order'],
        fields: [
          'orderCode',
          'product',
          'sessionNo',
          'memberName',
          'memberPhone',
          'qty',
          'amount',
          'createdAt',
          'payDeadline',
          'paidAt',
          'refunded',
          'releasedWhy',
        ],
      },
    ],
  },
});

const FACTS = {
  code: code(['编号', 'No.'], { ...seen, keyword: true, sortable: true, width: 160 }),
  merchant: ref('merchant', ['商户', 'Merchant'], { ...seen, search: 'in', width: 130 }),
  firstStart: instant(['首场开始', 'First start'], { ...seen, sortable: true, search: 'range', width: 150 }),
  lastEnd: instant(['末场结束', 'Last end'], { ...seen, sortable: true, search: 'range', width: 150 }),
  itemCount: integer(['商品数', 'Items'], { ...seen, width: 80 }),
  reserved: integer(['预留', 'Reserved'], { ...seen, width: 80 }),
  remaining: integer(['剩余', 'Remaining'], { ...seen, width: 80 }),
  held: integer(['占用', 'Held'], {
    ...seen,
    width: 80,
    help: ['未付款订单占用的份数', 'Copies held by unpaid orders'],
  }),
  worstCase: money(['最大让利', 'Worst-case discount'], {
    ...seen,
    width: 120,
    help: [
      '全部售出时的让利：（原价 − 秒杀价）× 预留',
      'If all is sold: (ordinary price − price) × reserved',
    ],
  }),
  submitter: ref('staff', ['提交人', 'Submitted by'], { ...seen, width: 100 }),
  submittedAt: instant(['提交时间', 'Submitted'], { ...seen, sortable: true, search: 'range', width: 150 }),
} as const;

/** A seckill: sessions in which goods are sold at a price of their own, with copies set aside. */
export const seckillActivity = defineResource({
  name: 'seckillActivity',
  menu: SECKILL_MENU,
  title: ['秒杀活动', 'Seckill activities'],
  noun: ['秒杀活动', 'Seckill'],
  purpose: [
    '分场次限量秒杀：提交后由他人审核发布，发布时预留库存，结束时归还剩余',
    'Limited sales by session: somebody else reviews and publishes them, which sets the stock aside; the end gives the rest back',
  ],
  titleField: 'name',
  prefix: 'SK',
  stamps: true,
  copy: true,
  modes: {
    add: 'mk_seckillActivityManagement_add',
    edit: 'mk_seckillActivityManagement_edit',
    detail: 'mk_seckillActivityManagement_detail',
  },
  elements: {
    btn_addStock: ['增减库存', 'Change stock'],
    btn_verify: ['核对', 'Verify'],
  },
  fields: {
    ...FACTS,
    name: text(['活动名称', 'Name'], { required: true, max: 40, keyword: true, width: 200 }),
    projects: refs('project', ['项目', 'Projects'], { required: true, max: 200, search: 'in', width: 160 }),
    goods: refs('seckillSpec', ['商品', 'Goods'], { ...seen, search: 'in', width: 200 }),
    audience: choice(['参与人群', 'Audience'], AUDIENCES, { required: true, initial: 'all', width: 120 }),
    audienceGrade: ref('seckillGrade', ['最低等级', 'Lowest grade'], {
      width: 110,
      help: ['参与人群为指定等级时填写', 'Where the audience is a grade or higher'],
    }),
    audienceDays: integer(['注册天数内', 'Registered within'], {
      min: 1,
      max: 3_650,
      unit: ['天', 'days'],
      width: 110,
      help: ['参与人群为新会员时填写', 'Where the audience is new members'],
    }),
    payMinutes: integer(['付款时限', 'Time to pay'], {
      required: true,
      min: 1,
      max: 30,
      initial: { setting: 'seckill.pay.minutes' },
      unit: ['分钟', 'min'],
      width: 100,
    }),
    allowCoupon: boolean(['可用优惠券', 'Coupons allowed'], { initial: false }),
    allowPoints: boolean(['可用积分', 'Points allowed'], { initial: false }),
    allowCoin: boolean(['可用代币', 'Coins allowed'], { initial: false }),
    cover: image(['封面', 'Cover'], { required: true }),
    rulesText: longText(['活动规则', 'Rules'], { max: 2_000 }),
    sessionTools: json(['批量生成场次', 'Fill in sessions']),
    priceTools: json(['按折扣定价', 'Prices by per cent off']),
    sessions: lines(
      ['场次', 'Sessions'],
      {
        startsAt: instant(['开始', 'Start'], { required: true, width: 210 }),
        endsAt: instant(['结束', 'End'], { required: true, width: 210 }),
      },
      {
        required: true,
        max: 60,
        help: [
          '每场 10 分钟至 24 小时，互不重叠',
          'Each lasts 10 minutes to 24 hours, none overlaps another',
        ],
      },
    ),
    entries: lines(
      ['秒杀商品', 'Goods'],
      {
        spec: ref('seckillSpec', ['商品规格', 'Spec'], { required: true, width: 220 }),
        sessionNo: integer(['场次号', 'Session no.'], {
          min: 1,
          max: 60,
          width: 110,
          help: ['留空为全部场次', 'Empty: every session'],
        }),
        price: money(['秒杀价', 'Price'], {
          required: true,
          min: 1,
          max: 99_999_999,
          unit: yuan,
          width: 130,
        }),
        reserved: integer(['每场数量', 'Copies a session'], { required: true, ...copiesLimits, width: 120 }),
        perOrderLimit: integer(['单笔限购', 'Per order'], {
          required: true,
          min: 1,
          max: 9_999,
          initial: 1,
          width: 100,
        }),
        perMemberLimit: integer(['每人限购', 'Per member'], {
          required: true,
          min: 1,
          max: 9_999,
          initial: 1,
          width: 100,
        }),
      },
      {
        required: true,
        max: 100,
        help: [
          '场次号留空时，每一场都按此价格和数量销售',
          'Without a session number the goods are sold in every session at this price, with as many copies each',
        ],
      },
    ),
    sessionCount: integer(['场次数', 'Sessions'], { ...seen, width: 80 }),
    nextStart: instant(['下一场', 'Next start'], { ...seen, width: 150 }),
    sold: integer(['已售', 'Sold'], { ...seen, width: 80 }),
    sellThrough: percent(['售罄率', 'Sell-through'], {
      ...seen,
      width: 90,
      unit: ['%', '%'],
      help: ['已售 ÷ 预留', 'Sold ÷ reserved'],
    }),
    paid: money(['实付金额', 'Paid'], { ...seen, width: 110 }),
    discount: money(['让利', 'Discount given'], {
      ...seen,
      width: 110,
      help: ['（原价 − 秒杀价）× 已售', '(Ordinary price − price) × sold'],
    }),
    stateReason: text(['说明', 'Why'], { ...seen, width: 180 }),
    endedAt: instant(['结束时间', 'Ended'], { ...seen, width: 150 }),
  },
  states: SECKILL_STATES,
  list: {
    columns: [
      'name',
      'state',
      'nextStart',
      'reserved',
      'sold',
      'held',
      'remaining',
      'sellThrough',
      'paid',
      'merchant',
      'sessionCount',
      'itemCount',
      'projects',
      'firstStart',
      'lastEnd',
      'submitter',
      'code',
      'stateReason',
    ],
    hidden: ['stateReason'],
    filters: ['state', 'merchant', 'projects', 'goods', 'firstStart', 'lastEnd'],
    sort: '-createdAt',
    link: 'name',
    tabs: [
      { key: 'all', label: ['全部', 'All'] },
      { key: 'running', label: ['进行中', 'Running'], filter: { state: 'running' } },
      { key: 'scheduled', label: ['待开始', 'Scheduled'], filter: { state: 'scheduled' } },
      { key: 'paused', label: ['已暂停', 'Paused'], filter: { state: 'paused' } },
      { key: 'reviewing', label: ['待审核', 'In review'], filter: { state: 'reviewing' } },
      { key: 'rejected', label: ['已驳回', 'Rejected'], filter: { state: 'rejected' } },
      { key: 'draft', label: ['草稿', 'Draft'], filter: { state: 'draft' } },
      { key: 'ended', label: ['已结束', 'Ended'], filter: { state: 'ended' } },
      { key: 'cancelled', label: ['已取消', 'Cancelled'], filter: { state: 'cancelled' } },
    ],
    export: [
      'code',
      'name',
      'merchant',
      'projects',
      'state',
      'sessionCount',
      'firstStart',
      'lastEnd',
      'itemCount',
      'reserved',
      'sold',
      'held',
      'remaining',
      'sellThrough',
      'paid',
      'discount',
      'submitter',
      'submittedAt',
    ],
    empty: ['还没有秒杀活动', 'There are no seckills yet'],
  },
  form: {
    as: 'steps',
    sections: [
      {
        title: ['基本信息', 'Basics'],
        fields: [
          'name',
          'projects',
          'audience',
          'audienceGrade',
          'audienceDays',
          'payMinutes',
          'cover',
          'allowCoupon',
          'allowPoints',
          'allowCoin',
        ],
      },
      { title: ['场次', 'Sessions'], fields: ['sessionTools', 'sessions'] },
      { title: ['商品', 'Goods'], fields: ['priceTools', 'entries'] },
      { title: ['规则与检查', 'Rules and checks'], fields: ['rulesText'] },
    ],
  },
  detail: {
    mode: 'page',
    sections: [
      {
        title: ['活动', 'Activity'],
        fields: [
          'code',
          'merchant',
          'projects',
          'audience',
          'audienceGrade',
          'audienceDays',
          'payMinutes',
          'allowCoupon',
          'allowPoints',
          'allowCoin',
          'sessionCount',
          'firstStart',
          'lastEnd',
          'cover',
          'rulesText',
        ],
      },
      {
        title: ['成果', 'Results'],
        fields: [
          'itemCount',
          'reserved',
          'sold',
          'held',
          'remaining',
          'sellThrough',
          'paid',
          'discount',
          'worstCase',
        ],
      },
      {
        title: ['审核与状态', 'Review and state'],
        fields: ['submitter', 'submittedAt', 'stateReason', 'endedAt'],
      },
    ],
    parts: [
      part({ key: 'items', title: ['商品', 'Items'], resource: seckillItem, by: 'activity' }),
      part({ key: 'claims', title: ['订单', 'Orders'], resource: seckillClaim, by: 'activity' }),
    ],
  },
  actions: {
    create: { on: 'page', label: ['新增秒杀', 'Add'], element: 'btn_add', tone: 'primary', to: 'draft' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_edit', from: ['draft', 'rejected'] },
    submit: {
      on: 'row',
      label: ['提交审核', 'Submit'],
      element: 'btn_submit',
      tone: 'primary',
      from: ['draft', 'rejected'],
      to: 'reviewing',
      confirm: [
        '提交「{name}」审核？提交后原价冻结，商品、价格与场次不能再改；由他人审核发布。',
        'Hand “{name}” in for review? Ordinary prices are frozen then, goods, prices and sessions stay as they are; somebody else decides.',
      ],
    },
    withdraw: {
      on: 'row',
      label: ['撤回', 'Withdraw'],
      element: 'btn_withdraw',
      from: ['reviewing'],
      to: 'draft',
      confirm: ['撤回「{name}」的审核？', 'Withdraw the review of “{name}”?'],
    },
    pause: {
      on: 'row',
      label: ['暂停', 'Pause'],
      element: 'btn_pause',
      from: ['scheduled', 'running'],
      to: 'paused',
      confirm: [
        '暂停「{name}」？会员立即不能再抢购；已占用 {held} 份的未付款订单可继续付款，除非勾选停止付款。',
        'Pause “{name}”? Nobody can claim from this moment on; unpaid orders over {held} copies can still be paid unless payments are stopped too.',
      ],
      input: { ...reason, stopPayment: boolean(['同时停止付款', 'Also stop payments'], { initial: false }) },
    },
    resume: {
      on: 'row',
      label: ['恢复', 'Resume'],
      element: 'btn_resume',
      tone: 'primary',
      from: ['paused'],
      to: ['running', 'scheduled'],
      confirm: [
        '恢复「{name}」？可将当前场次延长，最多为暂停的分钟数。',
        'Resume “{name}”? The session that is running can be made longer, at most by the minutes it was paused.',
      ],
      input: {
        ...reason,
        extension: integer(['延长分钟', 'Longer by'], {
          required: true,
          min: 0,
          max: 1_440,
          initial: 0,
          unit: ['分钟', 'min'],
        }),
      },
    },
    end: {
      on: 'row',
      label: ['提前结束', 'End early'],
      element: 'btn_end',
      tone: 'danger',
      from: ['running', 'paused'],
      to: 'ended',
      confirm: [
        '提前结束「{name}」？剩余 {remaining} 份归还普通库存，不能恢复。',
        'End “{name}” early? The {remaining} copies left go back to the ordinary stock. This cannot be undone.',
      ],
      input: reason,
    },
    cancel: {
      on: 'row',
      label: ['取消活动', 'Cancel'],
      element: 'btn_cancel',
      tone: 'danger',
      from: ['scheduled', 'paused'],
      to: 'cancelled',
      confirm: [
        '取消「{name}」？未付款订单将关闭，已付款订单照常履行，剩余份数归还普通库存。',
        'Cancel “{name}”? Unpaid orders are closed, paid ones stand, the copies left go back to the ordinary stock.',
      ],
      input: reason,
    },
    purchase: {
      on: 'row',
      label: ['代客下单', 'Order for a member'],
      element: 'btn_claim',
      from: ['running'],
      untouched: true,
      message: ['已下单 {orderCode}，请在时限内付款', 'Ordered {orderCode}, to be paid in time'],
      input: {
        item: ref('seckillOnSale', ['商品', 'Goods'], {
          required: true,
          help: [
            '正在销售的秒杀商品，可搜索活动或商品名称',
            'Goods on sale now; search the activity or the goods',
          ],
        }),
        qty: integer(['份数', 'Copies'], { required: true, min: 1, max: 9_999, initial: 1 }),
        memberPhone: text(['会员手机号', 'Phone of the member'], {
          required: true,
          max: 11,
          pattern: {
            source: '^1\\d{10}$',
            message: ['请填写完整的11位手机号', 'Please enter the whole phone number of 11 digits'],
          },
        }),
        receiver: text(['收货人', 'Receiver'], { required: true, max: 40 }),
        address: text(['收货地址', 'Address'], { required: true, max: 200 }),
      },
    },
    retouch: {
      on: 'row',
      label: ['修改名称、封面与规则', 'Change name, cover and rules'],
      element: 'btn_edit',
      from: ['scheduled', 'running', 'paused'],
      input: {
        name: text(['活动名称', 'Name'], { required: true, max: 40 }),
        cover: image(['封面', 'Cover'], { help: KEPT }),
        rulesText: longText(['活动规则', 'Rules'], { max: 2_000, help: KEPT }),
      },
    },
    remove: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_del',
      tone: 'danger',
      from: ['draft', 'rejected'],
      confirm: ['删除「{name}」？', 'Delete “{name}”?'],
    },
  },
});

/** One session of one spec in the calendar. */
export interface SeckillBlock {
  readonly spec: string;
  readonly goods: string;
  readonly activity: string;
  readonly name: string;
  readonly state: keyof typeof SECKILL_STATES;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly conflict: boolean;
}

const { draft: _draft, ...decidedStates } = SECKILL_STATES;

/** Activities that wait for a decision, and those it was made about. */
export const seckillReview = defineResource({
  name: 'seckillReview',
  menu: PUBLISH_MENU,
  title: ['秒杀审核发布', 'Seckill review and publish'],
  noun: ['秒杀活动', 'Seckill'],
  purpose: [
    '审核提交的秒杀活动，先提交的在前；提交人不能审核自己的活动。通过即预留库存并进入待开始',
    'Decide about seckills, the oldest first; nobody decides about the own. Publishing sets the stock aside and schedules them',
  ],
  titleField: 'name',
  fields: {
    ...FACTS,
    name: text(['活动名称', 'Name'], { ...seen, keyword: true, width: 200 }),
    projects: refs('project', ['项目', 'Projects'], { ...seen, width: 160 }),
    sessionCount: integer(['场次数', 'Sessions'], { ...seen, width: 80 }),
    lowestRatio: percent(['最低折扣', 'Lowest price ratio'], {
      ...seen,
      width: 120,
      unit: ['%', '%'],
      help: ['秒杀价 ÷ 原价的最小值', 'The smallest price ÷ ordinary price'],
    }),
    failing: integer(['未通过检查', 'Failing checks'], {
      ...seen,
      width: 110,
      help: [
        '库存不足、未上架、价格、场次冲突或首场已开始的条目数',
        'Entries that are short, off the shelf, not cheaper, in conflict, or whose first session has begun',
      ],
    }),
    decidedBy: ref('staff', ['审核人', 'Decided by'], { ...seen, width: 100 }),
    decidedAt: instant(['审核时间', 'Decided'], { ...seen, width: 150 }),
    stateReason: text(['说明', 'Why'], { ...seen, width: 180 }),
  },
  states: SECKILL_STATES,
  list: {
    columns: [
      'name',
      'merchant',
      'submitter',
      'submittedAt',
      'firstStart',
      'itemCount',
      'reserved',
      'lowestRatio',
      'worstCase',
      'failing',
      'state',
      'code',
      'decidedBy',
      'decidedAt',
      'stateReason',
    ],
    filters: ['state', 'merchant', 'firstStart', 'submittedAt'],
    sort: 'submittedAt',
    link: 'name',
    tabs: [
      { key: 'mine', label: ['待我审核', 'Waiting for me'], named: true },
      { key: 'decided', label: ['已处理', 'Decided'], named: true },
      { key: 'all', label: ['全部', 'All'] },
    ],
    empty: ['没有待审核的秒杀活动', 'No seckill waits for a decision'],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['活动', 'Activity'],
        fields: [
          'code',
          'merchant',
          'projects',
          'submitter',
          'submittedAt',
          'sessionCount',
          'firstStart',
          'lastEnd',
          'itemCount',
          'reserved',
          'lowestRatio',
          'worstCase',
          'decidedBy',
          'decidedAt',
          'stateReason',
        ],
      },
    ],
  },
  actions: {
    publish: {
      on: 'rowAndBulk',
      label: ['通过并发布', 'Publish'],
      element: 'btn_publish',
      tone: 'primary',
      from: ['reviewing'],
      to: ['scheduled', 'rejected', 'reviewing'],
      bulkMax: 20,
      confirm: [
        '发布「{name}」？将预留库存 {reserved} 份。',
        'Publish “{name}”? {reserved} copies are set aside.',
      ],
      input: { opinion: longText(['备注', 'Remark'], { max: 200 }) },
    },
    reject: {
      on: 'row',
      label: ['驳回', 'Reject'],
      element: 'btn_reject',
      tone: 'danger',
      from: ['reviewing'],
      to: ['rejected', 'scheduled', 'reviewing'],
      confirm: ['驳回「{name}」？', 'Reject “{name}”?'],
      input: {
        opinion: longText(['驳回原因', 'Reason'], {
          required: true,
          min: 2,
          max: 500,
          help: ['可逐个商品说明', 'Say what is wrong, item by item if needed'],
        }),
      },
    },
  },
});

// Every row of that list is paused; what goes on or ends leaves it.
const { from: _resumedFrom, ...resumePaused } = seckillActivity.actions!.resume;
const { from: _endedFrom, ...endPaused } = seckillActivity.actions!.end;

/** Paused activities, until they go on or end. */
export const seckillResume = defineResource({
  name: 'seckillResume',
  menu: RESUME_MENU,
  title: ['秒杀活动恢复', 'Seckill resume'],
  noun: ['秒杀活动', 'Seckill'],
  purpose: [
    '已暂停的秒杀活动：恢复前重新检查，可延长当前场次；平台暂停的由平台恢复',
    'Paused seckills: checked again before they go on, the running session can be made longer; what the platform paused the platform resumes',
  ],
  titleField: 'name',
  fields: {
    ...FACTS,
    name: text(['活动名称', 'Name'], { ...seen, keyword: true, width: 200 }),
    pausedAt: instant(['暂停时间', 'Paused'], { ...seen, sortable: true, width: 150 }),
    pausedBy: ref('staff', ['暂停人', 'Paused by'], { ...seen, width: 100 }),
    pauseReason: text(['暂停原因', 'Reason'], { ...seen, width: 200 }),
    pausedMinutes: integer(['已暂停', 'Paused for'], { ...seen, width: 110, unit: ['分钟', 'min'] }),
    byPlatform: boolean(['平台暂停', 'By the platform'], { ...seen, width: 100 }),
    paymentStopped: boolean(['停止付款', 'Payments stopped'], { ...seen, width: 110 }),
    sessionsLeft: integer(['剩余场次', 'Sessions left'], { ...seen, width: 100 }),
  },
  states: { ...decidedStates },
  list: {
    columns: [
      'name',
      'merchant',
      'pausedAt',
      'pausedMinutes',
      'pausedBy',
      'pauseReason',
      'sessionsLeft',
      'remaining',
      'held',
      'lastEnd',
      'byPlatform',
      'paymentStopped',
      'code',
    ],
    filters: ['merchant', 'lastEnd'],
    sort: 'pausedAt',
    link: 'name',
    empty: ['没有暂停的秒杀活动', 'No seckill is paused'],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['暂停', 'Pause'],
        fields: [
          'code',
          'merchant',
          'pausedAt',
          'pausedBy',
          'pauseReason',
          'pausedMinutes',
          'byPlatform',
          'paymentStopped',
          'sessionsLeft',
          'reserved',
          'remaining',
          'held',
          'lastEnd',
        ],
      },
    ],
  },
  actions: {
    resume: resumePaused,
    end: endPaused,
  },
});
