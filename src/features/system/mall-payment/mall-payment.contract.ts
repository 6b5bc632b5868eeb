import {
  boolean,
  choice,
  code,
  instant,
  integer,
  money,
  ref,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';
import { defineSettings } from '../../../kernel/contract/settings.ts';
import { APP_ID_FIELDS, PAYEE_CHANNELS } from '../../../domain/payee/payee.rules.ts';
import { payeeAccount } from '../../base-data/payee-account/payee-account.contract.ts';

const { alipay, wechat } = PAYEE_CHANNELS;
const of = payeeAccount.fields;
const appIds = Object.fromEntries(
  Object.entries(APP_ID_FIELDS).map(([name, { label }]) => [name, text(label, { max: 64, width: 170 })]),
);
const APP_IDS = Object.keys(appIds);
const secrets = {
  accountNumber: of.accountNumber,
  apiKey: of.apiKey,
  certificate: of.certificate,
  privateKey: of.privateKey,
  publicKey: of.publicKey,
};

/** A payee account as the mall sees it: whether buyers pay into it, with the keys of its channel. */
export const mallPayment = defineResource({
  name: 'mallPayment',
  menu: 'ssm_mallPayment',
  title: ['商城支付配置', 'Mall payment'],
  noun: ['收款账户', 'Payee account'],
  purpose: [
    '商城用哪些账户收款；已启用账户的资料变更须经审批，停用只影响之后的付款',
    'Which accounts the mall is paid into; changes of active accounts are approved first, switching off concerns later payments only',
  ],
  sensitive: true,
  fields: {
    code: code(['编码', 'Code'], { readOnly: true, sortable: true, keyword: true, width: 140 }),
    name: text(['名称', 'Name'], { readOnly: true, sortable: true, keyword: true, width: 170 }),
    owner: ref('payeeOwner', ['所属租户', 'Owner'], { readOnly: true, width: 150 }),
    channel: choice(['渠道', 'Channel'], { alipay, wechat }, { readOnly: true, search: 'in', width: 90 }),
    number: text(['商户号', 'Merchant no.'], { readOnly: true, width: 110 }),
    appId: text(['应用 ID', 'App id'], {
      max: 64,
      width: 150,
      help: ['微信：各来源没有单独填写时使用', 'WeChat: used by every source without an id of its own'],
    }),
    ...appIds,
    ...secrets,
    certificateExpiresAt: instant(['证书到期', 'Certificate expires'], {
      readOnly: true,
      sortable: true,
      width: 170,
    }),
    isPayInMall: boolean(['商城账户', 'Account of the mall'], {
      readOnly: true,
      search: 'equals',
      width: 100,
    }),
    mallEnabled: boolean(['商城启用', 'On in the mall'], { readOnly: true, search: 'equals', width: 125 }),
    pendingChange: boolean(['变更待审批', 'Change waiting'], { readOnly: true, width: 130 }),
    updatedAt: instant(['更新时间', 'Updated'], { readOnly: true, sortable: true, width: 150 }),
  },
  states: payeeAccount.states!,
  list: {
    columns: [
      'code',
      'name',
      'number',
      'appId',
      'state',
      'mallEnabled',
      'pendingChange',
      'certificateExpiresAt',
      'owner',
      'updatedAt',
      ...APP_IDS,
    ],
    hidden: ['channel', ...APP_IDS],
    filters: ['state', 'mallEnabled', 'isPayInMall'],
    sort: 'code',
    tabs: [
      { key: 'alipay', label: alipay.label, filter: { channel: 'alipay' } },
      { key: 'wechat', label: wechat.label, filter: { channel: 'wechat' } },
    ],
    link: 'name',
    empty: ['先在「收款账户」中新增账户', 'Accounts are added under "Payee accounts" first'],
  },
  form: {
    width: 640,
    sections: [
      {
        title: ['应用与密钥', 'App and keys'],
        note: [
          '密钥与证书只写不读，留空表示不修改；已启用的账户提交后须经他人审批',
          'Keys are never shown again, leave empty to keep them; changes of an active account wait for the approval of somebody else',
        ],
        fields: ['appId', ...APP_IDS, 'accountNumber', 'apiKey', 'certificate', 'privateKey', 'publicKey'],
      },
    ],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['账户', 'Account'],
        fields: ['code', 'name', 'owner', 'channel', 'number', 'appId', ...APP_IDS, 'state', 'pendingChange'],
      },
      {
        title: ['商城', 'Mall'],
        fields: ['isPayInMall', 'mallEnabled', 'certificateExpiresAt', 'updatedAt'],
      },
    ],
  },
  elements: { btn_edit: ['编辑', 'Edit'] },
  actions: {
    update: {
      on: 'row',
      label: ['编辑', 'Edit'],
      element: 'btn_edit',
      from: ['draft', 'rejected', 'active', 'stopped', 'expired'],
      to: ['draft'],
    },
    rotate: {
      on: 'row',
      label: ['更换密钥', 'Replace keys'],
      element: 'btn_rotate',
      from: ['draft', 'rejected', 'active', 'stopped', 'expired'],
      to: ['draft'],
      input: secrets,
    },
    test: {
      on: 'row',
      label: ['测试', 'Test'],
      element: 'btn_test',
      untouched: true,
      message: ['{signature}；{query}，{milliseconds} 毫秒', '{signature}; {query}, {milliseconds} ms'],
    },
    mallOn: {
      on: 'row',
      label: ['商城启用', 'Switch on'],
      element: 'btn_enable',
      from: ['active'],
      tone: 'primary',
      untouched: true,
      confirm: [
        '商城改用「{name}」收款？同渠道原账户停止接收新付款，其订单的退款仍从原账户退回。',
        'Have the mall paid into "{name}"? The account before takes no new payments; refunds of its orders still leave it.',
      ],
    },
    mallOff: {
      on: 'row',
      label: ['商城停用', 'Switch off'],
      element: 'btn_enable',
      tone: 'danger',
      untouched: true,
      confirm: [
        '商城不再用「{name}」收款？已发起的付款与退款不受影响。',
        'Stop paying into "{name}"? Payments that were started and refunds go on.',
      ],
      input: {
        last: boolean(['即使这是最后一个支付方式', 'Even if it is the last pay way'], {
          help: [
            '停用最后一个支付方式后，买家无法付款',
            'Without a pay way nobody can pay in the mall any more',
          ],
        }),
      },
    },
    replaced: {
      on: 'system',
      label: ['商城改用其他账户', 'Replaced by another account'],
      element: 'btn_enable',
      untouched: true,
    },
  },
});

export interface MallPayment extends Row<typeof mallPayment> {}

/** A request to a payment channel or a result it told, one line a number. */
export const channelCall = defineResource({
  name: 'channelCall',
  menu: 'ssm_mallPayment',
  title: ['渠道调用', 'Channel calls'],
  noun: ['渠道调用', 'Channel call'],
  purpose: [
    '发给支付渠道的请求与渠道的回调；同一单号合为一行',
    'What was asked of the channels and what they told; one line a number',
  ],
  titleField: 'number',
  sensitive: true,
  fields: {
    at: instant(['最近时间', 'Last'], { sortable: true, search: 'range', width: 150 }),
    firstAt: instant(['首次时间', 'First'], { width: 150 }),
    direction: choice(
      ['方向', 'Direction'],
      { request: { label: ['请求', 'Request'] }, callback: { label: ['回调', 'Callback'] } },
      { search: 'in', width: 90 },
    ),
    kind: choice(
      ['类型', 'Kind'],
      {
        pay: { label: ['支付', 'Payment'] },
        refund: { label: ['退款', 'Refund'] },
        query: { label: ['查询', 'Query'] },
      },
      { search: 'in', width: 90 },
    ),
    channel: choice(
      ['渠道', 'Channel'],
      { '1': { label: alipay.label }, '2': { label: wechat.label } },
      { search: 'in', width: 90 },
    ),
    number: text(['单号', 'Number'], { search: 'equals', keyword: true, width: 200 }),
    account: ref('payeeAccount', ['收款账户', 'Account'], { width: 160 }),
    amount: money(['金额', 'Amount'], { width: 110 }),
    result: choice(
      ['结果', 'Result'],
      {
        accepted: { label: ['已受理', 'Accepted'], tone: 'processing' },
        success: { label: ['成功', 'Success'], tone: 'success' },
        failure: { label: ['失败', 'Failure'], tone: 'error' },
        none: { label: ['无此单号', 'Unknown number'], tone: 'default' },
        silent: { label: ['未应答', 'No answer'], tone: 'warning' },
        refused: { label: ['处理失败', 'Not taken'], tone: 'error' },
      },
      { search: 'in', width: 110 },
    ),
    code: text(['渠道代码', 'Code'], { width: 160 }),
    message: text(['说明', 'Message'], { width: 220 }),
    duration: integer(['耗时', 'Took'], { unit: ['毫秒', 'ms'], width: 90 }),
    retries: integer(['重试', 'Retries'], { width: 80 }),
  },
  list: {
    columns: [
      'at',
      'kind',
      'amount',
      'result',
      'direction',
      'channel',
      'number',
      'account',
      'code',
      'message',
      'duration',
      'retries',
    ],
    filters: ['direction', 'kind', 'channel', 'result', 'at', 'number'],
    sort: '-at',
    link: 'number',
    export: true,
    empty: ['还没有渠道调用', 'No channel was called yet'],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['调用', 'Call'],
        fields: ['direction', 'kind', 'channel', 'number', 'account', 'amount', 'at', 'firstAt'],
      },
      { title: ['结果', 'Result'], fields: ['result', 'code', 'message', 'duration', 'retries'] },
    ],
  },
  actions: {
    resend: {
      on: 'row',
      label: ['重发', 'Send again'],
      element: 'btn_resend',
      untouched: true,
      confirm: [
        '重发 {number}？回调重新投递；请求改为向渠道查询结果，不会再次付款或退款。',
        'Send {number} again? A callback is delivered anew; of a request the channel is asked what became of it, no money moves twice.',
      ],
    },
  },
});

const share = { min: 0, max: 100, required: true, unit: ['%', '%'] } as const;

/** How the sandbox behaves where a channel is not connected. */
export const mallSandbox = defineSettings({
  name: 'mallSandbox',
  menu: 'ssm_mallPayment',
  title: ['沙箱', 'Sandbox'],
  purpose: [
    '未接入正式渠道时由沙箱代替；可模拟渠道的各种异常',
    'Stands in for channels that are not connected, and does what real ones do on a bad day',
  ],
  fields: {
    sandbox_delay_ms: integer(['结果延迟', 'Delay'], {
      required: true,
      min: 0,
      max: 600_000,
      unit: ['毫秒', 'ms'],
    }),
    sandbox_fail_percent: integer(['失败', 'Failures'], share),
    sandbox_duplicate_percent: integer(['重复回调', 'Repeated callbacks'], share),
    sandbox_lost_percent: integer(['丢失回调', 'Lost callbacks'], share),
    sandbox_late_callback: boolean(['关单后才回调', 'Callbacks behind the close'], {
      help: [
        '支付结果在订单关闭一分钟后到达',
        'Results of payments come a minute behind the close of their orders',
      ],
    }),
  },
  keys: {
    sandbox_delay_ms: 'sandbox.delay_ms',
    sandbox_fail_percent: 'sandbox.fail_percent',
    sandbox_duplicate_percent: 'sandbox.duplicate_percent',
    sandbox_lost_percent: 'sandbox.lost_percent',
    sandbox_late_callback: 'sandbox.late_callback',
  },
  sections: [
    { title: ['时间', 'Time'], fields: ['sandbox_delay_ms', 'sandbox_late_callback'] },
    {
      title: ['异常比例', 'Of a hundred'],
      fields: ['sandbox_fail_percent', 'sandbox_duplicate_percent', 'sandbox_lost_percent'],
    },
  ],
});

/** Fields of the form that only one channel has. */
export const OF_CHANNEL: Readonly<Record<string, 'alipay' | 'wechat' | undefined>> = {
  ...Object.fromEntries(APP_IDS.map((name) => [name, 'wechat' as const])),
  apiKey: 'wechat',
  certificate: 'wechat',
  publicKey: 'alipay',
};
