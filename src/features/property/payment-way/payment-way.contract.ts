import { boolean, choice, integer, ref, refs } from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';

/** Menu of the ways of paying. */
export const WAY_MENU = 'cs_payMentWay';

const CHANNELS = {
  cash: { label: ['现金', 'Cash'] },
  pos: { label: ['刷卡', 'POS'] },
  transfer: { label: ['银行转账', 'Transfer'] },
  alipay: { label: ['支付宝', 'Alipay'] },
  wechat: { label: ['微信', 'WeChat'] },
  unionpay: { label: ['银联', 'UnionPay'] },
  prepaid: { label: ['预存', 'Prepaid'] },
} as const;
const SCENES = {
  app: { label: ['App', 'App'] },
  counter: { label: ['柜台', 'Counter'] },
} as const;

const payee = ref('wayPayee', ['收款账户', 'Payee account'], {
  width: 170,
  help: [
    '刷卡、转账、银联用银行账户；现金与预存不填',
    'POS, transfer and UnionPay take a bank account; none for cash and prepaid',
  ],
});
const items = refs('wayFeeItem', ['收费项目', 'Fee items'], {
  max: 50,
  width: 160,
  help: ['留空为全部', 'Empty: all'],
});
const feePpm = integer(['手续费率', 'Channel fee'], {
  min: 0,
  max: 100_000,
  initial: 0,
  width: 100,
  unit: ['ppm', 'ppm'],
  help: ['百万分之一，6000 为 0.6%', 'Millionths: 6000 is 0.6 %'],
});
const needsSlip = boolean(['需凭证与确认', 'Slip and confirmation'], {
  initial: false,
  width: 120,
  help: ['仅银行转账', 'Transfers only'],
});
const position = integer(['排序', 'Order'], {
  required: true,
  min: 1,
  max: 999,
  initial: 1,
  sortable: true,
  width: 80,
});

/** A way in which houses of a project may be paid for. */
export const paymentWay = defineResource({
  name: 'paymentWay',
  menu: WAY_MENU,
  title: ['支付方式', 'Payment ways'],
  noun: ['支付方式', 'Payment way'],
  titleField: 'channel',
  purpose: [
    '各项目在 App 与柜台可用的缴费方式及其收款账户；修改只影响之后的缴费，退款按原账户',
    'How houses of a project may be paid for, in the app and at the counter. Changes serve new payments only, refunds use the account of their payment',
  ],
  stamps: true,
  fields: {
    project: ref('project', ['项目', 'Project'], { readOnly: true, search: 'in', width: 150 }),
    channel: choice(['渠道', 'Channel'], CHANNELS, { readOnly: true, search: 'in', width: 100 }),
    scene: choice(['场景', 'Scene'], SCENES, { readOnly: true, search: 'in', width: 90 }),
    payee,
    items,
    feePpm,
    needsSlip,
    position,
    enabled: boolean(['启用', 'Enabled'], { readOnly: true, search: 'equals', width: 80 }),
  },
  list: {
    columns: [
      'project',
      'scene',
      'channel',
      'payee',
      'items',
      'feePpm',
      'needsSlip',
      'position',
      'enabled',
      'updater',
      'updatedAt',
    ],
    hidden: ['updater'],
    filters: ['project', 'channel', 'scene', 'enabled'],
    sort: 'position',
    empty: [
      '还没有支付方式；未设置的项目柜台可用全部方式',
      'No payment ways yet; a project without any takes all of them at the counter',
    ],
  },
  form: {
    width: 560,
    sections: [
      { title: ['支付方式', 'Payment way'], fields: ['payee', 'items', 'feePpm', 'needsSlip', 'position'] },
    ],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['支付方式', 'Payment way'],
        fields: [
          'project',
          'scene',
          'channel',
          'payee',
          'items',
          'feePpm',
          'needsSlip',
          'position',
          'enabled',
        ],
      },
    ],
  },
  actions: {
    add: {
      on: 'page',
      label: ['新增', 'Add'],
      element: 'btn_add',
      tone: 'primary',
      input: {
        projects: refs('project', ['项目', 'Projects'], {
          required: true,
          max: 50,
          help: ['每个项目各建一条', 'One for each project'],
        }),
        channel: choice(['渠道', 'Channel'], CHANNELS, { required: true }),
        scene: choice(['场景', 'Scene'], SCENES, { required: true, initial: 'counter' }),
        payee,
        items,
        feePpm,
        needsSlip,
        position,
        enabled: boolean(['立即启用', 'Enable at once'], { initial: true }),
      },
      message: ['已新增 {made} 条', '{made} added'],
    },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_edit' },
    enable: { on: 'row', label: ['启用', 'Enable'], element: 'btn_enable', tone: 'primary' },
    disable: {
      on: 'row',
      label: ['停用', 'Disable'],
      element: 'btn_enable',
      tone: 'danger',
      input: {
        sure: boolean(['确认停用最后一种 App 支付方式', 'Disable the last way of the app'], {
          initial: false,
          help: ['停用项目最后一种 App 支付方式时须勾选', 'Needed for the last way of the app in a project'],
        }),
      },
    },
    copyTo: {
      on: 'row',
      label: ['复制到项目', 'Copy to projects'],
      element: 'btn_copy',
      input: {
        projects: refs('project', ['项目', 'Projects'], { required: true, max: 50 }),
      },
      message: [
        '已复制到 {made} 个项目，{skipped} 个已有',
        'Copied to {made} projects, {skipped} had it already',
      ],
    },
    test: {
      on: 'row',
      label: ['测试', 'Test'],
      element: 'btn_test',
      confirm: [
        '用该支付方式的收款账户发起 0.01 元测试付款？',
        'Start a test payment of 0.01 into the account of this way?',
      ],
      message: [
        '测试付款 {code} 已发起，请在收款账户的测试记录中查看结果',
        'Test payment {code} is under way; its result stands with the payee account',
      ],
    },
    remove: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_edit',
      tone: 'danger',
      confirm: ['删除该支付方式？', 'Delete this payment way?'],
    },
  },
});

export type PaymentWay = Row<typeof paymentWay>;
