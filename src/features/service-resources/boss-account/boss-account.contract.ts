import {
  boolean,
  choice,
  choices,
  code,
  images,
  instant,
  integer,
  lines,
  longText,
  money,
  personName,
  phone,
  ref,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource } from '../../../kernel/contract/resource.ts';
import { PAYEE_STATES } from '../../../domain/merchant/payee-words.rules.ts';
import { BOSS_PERMISSIONS, BOSS_ROLES } from '../../../domain/boss-account/boss-account.rules.ts';

export const BOSS_MENU = 'maoBossAccount';
const ENTERED = ['已录入，由财务结算复核后入账', 'Entered; the finance desk checks and books it'] as const;
const evidence = images(['凭证', 'Evidence'], { required: true, min: 1, max: 9 });
const reason = { reason: longText(['原因', 'Reason'], { required: true, min: 2, max: 200 }) } as const;

/** Somebody who signs in to the merchants' app. */
export const bossAccount = defineResource({
  name: 'bossAccount',
  menu: BOSS_MENU,
  title: ['老板账户', 'Merchant-app accounts'],
  noun: ['商户端账户', 'Account'],
  titleField: 'phone',
  sensitive: true,
  stamps: true,
  purpose: [
    '登录商户端 App 的账户：一个手机号可管理多个商户；每个商户只有一位老板',
    'Accounts of the merchants’ app: one phone may work for several merchants, each merchant has one owner',
  ],
  fields: {
    phone: phone(['手机号', 'Phone'], {
      required: true,
      createOnly: true,
      keyword: true,
      pattern: { source: '1\\d{10}', message: ['请输入11位手机号', 'A phone has 11 digits'] },
      width: 150,
    }),
    name: personName(['姓名', 'Name'], { required: true, min: 2, max: 20, width: 100 }),
    links: lines(
      ['商户与角色', 'Merchants and roles'],
      {
        merchant: ref('merchant', ['商户', 'Merchant'], { required: true, width: 200 }),
        role: choice(['角色', 'Role'], BOSS_ROLES, { required: true, initial: 'clerk', width: 120 }),
        permissions: choices(['权限', 'Permissions'], BOSS_PERMISSIONS, { width: 260 }),
      },
      { required: true, min: 1, max: 50, help: ['老板拥有全部权限', 'An owner may do everything'] },
    ),
    shops: text(['商户与角色', 'Merchants and roles'], { readOnly: true, width: 240 }),
    permissions: choices(['权限', 'Permissions'], BOSS_PERMISSIONS, { readOnly: true, width: 220 }),
    merchant: ref('merchant', ['商户', 'Merchant'], { readOnly: true, search: 'in' }),
    role: choice(['角色', 'Role'], BOSS_ROLES, { readOnly: true, search: 'in' }),
    devices: integer(['在线设备', 'Devices'], { readOnly: true, width: 90 }),
    lockedUntil: instant(['锁定至', 'Locked until'], { readOnly: true, width: 150 }),
    lastLogin: instant(['最近登录', 'Last sign-in'], { readOnly: true, sortable: true, width: 150 }),
  },
  states: {
    normal: { label: ['正常', 'Normal'], tone: 'success' },
    disabled: { label: ['停用', 'Disabled'], tone: 'error' },
    locked: { label: ['锁定', 'Locked'], tone: 'warning' },
  },
  list: {
    columns: [
      'phone',
      'name',
      'shops',
      'permissions',
      'state',
      'devices',
      'lastLogin',
      'createdAt',
      'updatedAt',
    ],
    hidden: ['updatedAt'],
    filters: ['merchant', 'role', 'state'],
    sort: '-createdAt',
    link: 'phone',
    export: ['phone', 'name', 'shops', 'permissions', 'state', 'devices', 'lastLogin', 'createdAt'],
    empty: ['还没有商户端账户', 'No accounts yet'],
  },
  form: { width: 880, sections: [{ title: ['账户', 'Account'], fields: ['phone', 'name', 'links'] }] },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['账户', 'Account'],
        fields: ['phone', 'name', 'links', 'permissions', 'devices', 'lockedUntil', 'lastLogin', 'createdAt'],
      },
    ],
  },
  actions: {
    create: { on: 'page', label: ['新增', 'Add'], element: 'btn_add', tone: 'primary', to: 'normal' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_edit' },
    enable: {
      on: 'rowAndBulk',
      label: ['启用', 'Enable'],
      element: 'btn_enable',
      from: ['disabled'],
      to: 'normal',
    },
    disable: {
      on: 'rowAndBulk',
      label: ['停用', 'Disable'],
      element: 'btn_disable',
      tone: 'danger',
      from: ['normal', 'locked'],
      to: 'disabled',
      input: reason,
    },
    unlock: { on: 'row', label: ['解锁', 'Unlock'], element: 'btn_unlock', from: ['locked'], to: 'normal' },
    kick: {
      on: 'row',
      label: ['下线', 'Sign out'],
      element: 'btn_kick',
      untouched: true,
      input: reason,
      message: ['已下线 {ended} 台设备', '{ended} devices signed out'],
    },
    sendCode: {
      on: 'row',
      label: ['发送转移验证码', 'Send a transfer code'],
      element: 'btn_transferOwner',
      untouched: true,
      confirm: ['向该账户手机发送转移验证码？', 'Send a code for the transfer to the phone of this account?'],
    },
    transferOwner: {
      on: 'row',
      label: ['转移老板', 'Transfer ownership'],
      element: 'btn_transferOwner',
      tone: 'danger',
      input: {
        merchant: ref('merchant', ['商户', 'Merchant'], { required: true }),
        to: phone(['新老板手机号', 'Phone of the new owner'], {
          required: true,
          help: ['须已有商户端账户', 'Somebody with an account'],
        }),
        code: text(['原老板验证码', 'Code of the old owner'], {
          max: 6,
          help: ['无法取得时留空并填写凭证说明', 'Empty where it cannot be had, with the evidence below'],
        }),
        evidence: longText(['凭证说明', 'Evidence'], {
          max: 500,
          help: ['不使用验证码时必填，至少10字', 'Needed without a code, at least 10 characters'],
        }),
        ...reason,
      },
      message: ['已转移老板', 'The owner is another one now'],
    },
    remove: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_edit',
      tone: 'danger',
      confirm: ['删除该账户？其设备立即下线', 'Delete the account? Its devices are signed out at once'],
    },
  },
});

/** Money of one merchant. */
export const merchantFund = defineResource({
  name: 'merchantFund',
  menu: BOSS_MENU,
  title: ['商户资金', 'Funds'],
  noun: ['商户资金', 'Funds'],
  titleField: 'name',
  fields: {
    account: code(['账号', 'Account'], { readOnly: true, keyword: true, sortable: true, width: 110 }),
    name: text(['商户', 'Merchant'], { readOnly: true, keyword: true, width: 180 }),
    payable: money(['应结余额', 'Payable'], {
      readOnly: true,
      width: 120,
      help: ['待确认、待付款的对账单', 'Bills to confirm or to pay'],
    }),
    wallet: money(['可提现', 'Wallet'], { readOnly: true, width: 110 }),
    walletFrozen: money(['冻结', 'Frozen in the wallet'], { readOnly: true, width: 110 }),
    inTransit: money(['在途', 'In transit'], { readOnly: true, width: 110, help: ['付款中', 'Being paid'] }),
    settled: money(['累计已结算', 'Settled in all'], { readOnly: true, width: 120 }),
    deposit: money(['保证金', 'Deposit'], { readOnly: true, width: 120 }),
    depositAsked: money(['应缴保证金', 'Deposit required'], { readOnly: true, width: 120 }),
    lastBill: code(['最近对账单', 'Last bill'], { readOnly: true, width: 170 }),
    frozen: boolean(['资金冻结', 'Frozen'], { readOnly: true, search: 'equals', width: 90 }),
    freezeReason: text(['冻结原因', 'Why it is frozen'], { readOnly: true, width: 160 }),
    payee: text(['收款账户', 'Payee account'], { readOnly: true, width: 190 }),
    payeeState: choice(['账户验证', 'Verification'], PAYEE_STATES, {
      readOnly: true,
      search: 'in',
      width: 110,
    }),
    usableFrom: instant(['可付款时间', 'Payouts from'], { readOnly: true, width: 150 }),
  },
  list: {
    columns: [
      'account',
      'name',
      'payable',
      'wallet',
      'walletFrozen',
      'inTransit',
      'settled',
      'deposit',
      'depositAsked',
      'lastBill',
      'payee',
      'payeeState',
      'usableFrom',
      'frozen',
      'freezeReason',
    ],
    hidden: ['settled', 'usableFrom'],
    filters: ['frozen', 'payeeState'],
    sort: 'account',
    link: 'name',
    export: true,
    empty: ['没有商户', 'No merchants'],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['资金', 'Funds'],
        fields: [
          'account',
          'payable',
          'wallet',
          'walletFrozen',
          'inTransit',
          'settled',
          'deposit',
          'depositAsked',
          'lastBill',
          'payee',
          'payeeState',
          'usableFrom',
          'frozen',
          'freezeReason',
        ],
      },
    ],
  },
  actions: {
    verifyPayee: {
      on: 'row',
      label: ['验证收款账户', 'Verify the payee'],
      element: 'btn_verifyPayee',
      untouched: true,
      confirm: [
        '向「{name}」的收款账户 {payee} 打一笔 0.01–0.99 元的验证款？金额只显示一次，由商户在 24 小时内回填。',
        'Transfer a random 0.01–0.99 yuan to the payee account {payee} of "{name}"? The amount is shown once; the merchant enters it within 24 hours.',
      ],
      message: ['请按弹窗中的金额转账', 'Make the transfer of the amount that is shown'],
    },
    freeze: {
      on: 'row',
      label: ['冻结', 'Freeze'],
      element: 'btn_freeze',
      tone: 'danger',
      input: {
        ...reason,
        evidence: longText(['凭证说明', 'Evidence'], { required: true, min: 2, max: 500 }),
      },
    },
    unfreeze: {
      on: 'row',
      label: ['解冻', 'Unfreeze'],
      element: 'btn_unfreeze',
      remark: 'reason',
      input: reason,
    },
    receive: {
      on: 'row',
      label: ['收保证金', 'Deposit received'],
      element: 'btn_depositReceive',
      untouched: true,
      input: {
        amount: money(['金额', 'Amount'], { required: true, min: 1, max: 1_000_000_000 }),
        voucher: text(['银行回单号', 'Bank receipt no.'], { required: true, min: 2, max: 60 }),
        evidence,
        note: text(['备注', 'Note'], { max: 200 }),
      },
      message: ['已录入 {code}', '{code} was entered'],
    },
    deduct: {
      on: 'row',
      label: ['扣保证金', 'Deduct'],
      element: 'btn_depositDeduct',
      tone: 'danger',
      untouched: true,
      input: {
        amount: money(['金额', 'Amount'], { required: true, min: 1, max: 1_000_000_000 }),
        evidence,
        ...reason,
      },
      message: ENTERED,
    },
    giveBack: {
      on: 'row',
      label: ['退保证金', 'Give back'],
      element: 'btn_depositReturn',
      untouched: true,
      input: {
        amount: money(['金额', 'Amount'], { required: true, min: 1, max: 1_000_000_000 }),
        voucher: text(['银行回单号', 'Bank receipt no.'], { required: true, min: 2, max: 60 }),
        ...reason,
      },
      message: ENTERED,
    },
  },
});

/** What happens to a deposit. */
export const DEPOSIT_MOVES = {
  receive: { label: ['收取', 'Received'], tone: 'success' },
  deduct: { label: ['扣除', 'Deducted'], tone: 'error' },
  return: { label: ['退还', 'Given back'], tone: 'warning' },
  cover: { label: ['抵欠', 'Covers a debt'], tone: 'warning' },
} as const;

/** One booking of a merchant's deposit. */
export const depositEntry = defineResource({
  name: 'depositEntry',
  menu: BOSS_MENU,
  title: ['保证金流水', 'Deposit entries'],
  noun: ['保证金流水', 'Entry'],
  titleField: 'reference',
  fields: {
    at: instant(['时间', 'Time'], { readOnly: true, sortable: true, search: 'range', width: 160 }),
    account: code(['账号', 'Account'], { readOnly: true, keyword: true, width: 110 }),
    merchantName: text(['商户', 'Merchant'], { readOnly: true, keyword: true, width: 180 }),
    move: choice(['类型', 'Type'], DEPOSIT_MOVES, { readOnly: true, search: 'in', width: 90 }),
    reference: text(['凭证号', 'Voucher'], { readOnly: true, width: 180 }),
    incoming: money(['收入', 'In'], { readOnly: true, width: 110 }),
    outgoing: money(['支出', 'Out'], { readOnly: true, width: 110 }),
    balance: money(['余额', 'Balance after'], { readOnly: true, width: 120 }),
    note: text(['备注', 'Note'], { readOnly: true, width: 200 }),
  },
  list: {
    columns: [
      'at',
      'account',
      'merchantName',
      'move',
      'reference',
      'incoming',
      'outgoing',
      'balance',
      'note',
    ],
    filters: ['at', 'move'],
    sort: '-at',
    export: true,
    empty: ['没有保证金流水', 'No entries yet'],
  },
});
