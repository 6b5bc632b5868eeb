import type { Choice } from '../../kernel/contract/fields.ts';
import type { Label } from '../../kernel/contract/label.ts';
import type { APP_SOURCES } from '../residents/registration.rules.ts';

/** Ways money comes in; `code` is the number payments and payout rows use. POS, transfer and UnionPay use bank accounts. */
export const PAYEE_CHANNELS = {
  alipay: { label: ['支付宝', 'Alipay'], code: 1 },
  wechat: { label: ['微信', 'WeChat'], code: 2 },
  bank: { label: ['银行卡', 'Bank'], code: 3 },
} as const satisfies Readonly<Record<string, Choice>>;

export type PayeeChannel = keyof typeof PAYEE_CHANNELS;

/** Apps of a WeChat merchant: every source of payments has an id of its own there, and where it has none the account's id is used. */
export const APP_ID_FIELDS: Readonly<
  Record<string, { readonly source: keyof typeof APP_SOURCES; readonly label: Label }>
> = {
  appIdIos: { source: 'ios', label: ['应用 ID（iOS App）', 'App id (iOS app)'] },
  appIdAndroid: { source: 'android', label: ['应用 ID（安卓 App）', 'App id (Android app)'] },
  appIdH5: { source: 'h5', label: ['应用 ID（H5）', 'App id (H5)'] },
  appIdMiniProgram: {
    source: 'mini_program',
    label: ['应用 ID（微信小程序）', 'App id (WeChat mini-program)'],
  },
};

/** What a payment is for. */
export const BUSINESS_TYPES = {
  property_fee: { label: ['物业费', 'Property fees'] },
  parking: { label: ['停车', 'Parking'] },
  goods: { label: ['商品', 'Goods'] },
  service: { label: ['服务', 'Services'] },
  home_decor: { label: ['美居', 'Home decoration'] },
  package: { label: ['生活服务包', 'Service packages'] },
  deposit: { label: ['保证金', 'Deposits'] },
  other: { label: ['其他', 'Other'] },
} as const satisfies Readonly<Record<string, Choice>>;

export type BusinessType = keyof typeof BUSINESS_TYPES;

/** What an assignment is for: a business, or all of them. */
export const ASSIGNED_BUSINESS = { ...BUSINESS_TYPES, '*': { label: ['全部', 'All'] } } as const;

/** Levels of the ladder, the most specific first. */
export const PAYEE_LEVELS = {
  project: { label: ['项目', 'Project'] },
  management_unit: { label: ['管理单元', 'Management unit'] },
  centre_city: { label: ['中心城市', 'Centre city'] },
  company: { label: ['公司', 'Company'] },
} as const satisfies Readonly<Record<string, Choice>>;

export type PayeeLevel = keyof typeof PAYEE_LEVELS;

/** What decided: the account that was named by a payment way or the mall, or a level of the ladder. */
export const MATCHED_LEVELS: Readonly<Record<PayeeLevel | 'payment_way' | 'mall_setting', Choice>> = {
  payment_way: { label: ['支付方式指定', 'Named by the payment way'] },
  mall_setting: { label: ['商城支付设置', 'Payment setting of the mall'] },
  ...PAYEE_LEVELS,
};

/** Why a candidate was not chosen. */
export const NOT_CHOSEN = {
  chosen: { label: ['选中', 'Chosen'], tone: 'success' },
  less_specific: { label: ['有更具体的规则', 'Less specific'] },
  not_active: { label: ['账户未启用', 'The account is not active yet'], tone: 'warning' },
  stopped: { label: ['账户已停用', 'The account is stopped'], tone: 'error' },
  expired: { label: ['证书已过期', 'The certificate has expired'], tone: 'error' },
  in_review: { label: ['适用范围待审批', 'The assignment waits for approval'], tone: 'warning' },
  not_yet_valid: { label: ['尚未生效', 'Not yet valid'], tone: 'warning' },
  ended: { label: ['已失效', 'Ended'] },
  wrong_channel: { label: ['渠道不符', 'Of another channel'] },
} as const satisfies Readonly<Record<string, Choice>>;

export type NotChosen = keyof typeof NOT_CHOSEN;

/** Refused before a channel is called. */
export const NO_PAYEE: Label = ['未配置收款账户', 'No payee account configured'];

/** Refused where the mall has switched a channel off. */
export const SWITCHED_OFF: Label = [
  '该支付方式已停用，请选择其他方式',
  'This pay way is switched off, please choose another one',
];

/** The business of an order by its kind. */
export function businessOfOrder(kind: string): BusinessType {
  return kind in BUSINESS_TYPES ? (kind as BusinessType) : 'other';
}

/** The channel word of a payment's number; undefined for 0, where no money moves. */
export function channelOfPayment(channel: number): PayeeChannel | undefined {
  return ({ 1: 'alipay', 2: 'wechat' } as const)[channel];
}

/** True when the last of the digits is the check digit of the others (Luhn), as on bank cards. */
export function isCardNumber(digits: string): boolean {
  let sum = 0;
  for (let place = 0; place < digits.length; place++) {
    const digit = Number(digits[digits.length - 1 - place]);
    const doubled = place % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** What is wrong with the number of an account of a channel, or undefined. */
export function numberProblem(channel: PayeeChannel, number: string): Label | undefined {
  if (channel === 'wechat')
    return /^\d{8,10}$/.test(number)
      ? undefined
      : ['微信商户号应为8至10位数字', 'A WeChat merchant no. has 8 to 10 digits'];
  if (channel === 'alipay')
    return /^2088\d{12}$/.test(number)
      ? undefined
      : ['支付宝商户号应为2088开头的16位数字', 'An Alipay merchant no. is 2088 and 12 digits'];
  if (!/^\d{8,32}$/.test(number))
    return ['账号应为8至32位数字', 'The account number must have 8 to 32 digits'];
  return number.length >= 16 && number.length <= 19 && !isCardNumber(number)
    ? ['卡号校验位不正确', 'The check digit of the card number is wrong']
    : undefined;
}
