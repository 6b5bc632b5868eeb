import {
  boolean,
  choice,
  date,
  images,
  instant,
  longText,
  money,
  personName,
  phone,
  text,
} from '../../../kernel/contract/fields.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { defineResource, part, viewOf } from '../../../kernel/contract/resource.ts';
import { DEPOSIT_MOVES } from '../boss-account/boss-account.contract.ts';
import { merchantAgreement } from '../merchant/merchant-agreement.contract.ts';
import { PAYEE_STATES } from '../../../domain/merchant/payee-words.rules.ts';
import { CERTIFICATES, merchant } from '../merchant/merchant.contract.ts';
import { infoWithdrawal } from '../../finance/withdrawal/withdrawal.contract.ts';
import { merchantChange } from './merchant-change.contract.ts';

const { fields } = merchant;
const fixed = { readOnly: true, required: false } as const;
const reason = longText(['原因', 'Reason'], { required: true, min: 2, max: 200 });
const unchanged = ['不填则不变', 'Empty: as it is'] as const;
const asked = [
  '变更申请已提交，审核通过后生效',
  'The change is in review and holds once it is approved',
] as const;

/** Agreements of the merchant, read-only. */
export const infoAgreement = viewOf(merchantAgreement, {
  name: 'infoAgreement',
  menu: 'mm_merchantInfo',
  title: ['协议', 'Agreements'],
  noun: ['协议', 'Agreement'],
  fixed: {},
  targets: { merchant: 'merchantInfo' },
  actions: [],
});

/** A merchant as it looks after itself: some things it changes at once, the rest it asks the platform for. */
export const merchantInfo = defineResource({
  name: 'merchantInfo',
  menu: 'mm_merchantInfo',
  title: ['商户信息', 'My merchant'],
  noun: ['商户', 'Merchant'],
  purpose: [
    '店铺、营业开关、运费、资质、协议与变更申请；执照、法人、协议联系人和资质的变更由平台审核',
    'Shop, switches, postage, certificates, agreement and change requests; licence, legal person, agreement contact and certificates are changed by the platform',
  ],
  sensitive: true,
  fields: {
    account: fields.account,
    logo: fields.logo,
    name: { ...fields.name, ...fixed },
    kind: { ...fields.kind, readOnly: true, createOnly: false, required: false },
    licenceNo: { ...fields.licenceNo, ...fixed },
    legalPerson: { ...fields.legalPerson, ...fixed },
    address: { ...fields.address, ...fixed },
    contact: fields.contact,
    phone: fields.phone,
    intro: fields.intro,
    postage: fields.postage,
    invoice: { ...fields.invoice, readOnly: true },
    print: { ...fields.print, readOnly: true },
    certificate: fields.certificate,
    commission: fields.commission,
    cycle: fields.cycle,
    agreementEnds: fields.agreementEnds,
    depositHeld: fields.depositHeld,
    depositRequired: fields.depositRequired,
    closedNow: fields.closedNow,
    closedUntil: fields.closedUntil,
    closedNote: fields.closedNote,
    payee: text(['收款账户', 'Payee account'], { readOnly: true, width: 190 }),
    payeeState: choice(['账户验证', 'Verification'], PAYEE_STATES, { readOnly: true, width: 110 }),
    usableFrom: instant(['可付款时间', 'Payouts from'], { readOnly: true }),
    openChanges: boolean(['有待审核变更', 'Changes in review'], { readOnly: true, width: 110 }),
    stateReason: fields.stateReason,
  },
  states: merchant.states!,
  titleField: 'name',
  list: {
    columns: [
      'account',
      'name',
      'logo',
      'kind',
      'contact',
      'phone',
      'state',
      'closedNow',
      'certificate',
      'commission',
      'agreementEnds',
      'depositHeld',
      'depositRequired',
      'openChanges',
    ],
    filters: ['state', 'kind', 'phone'],
    sort: 'account',
    link: 'name',
  },
  form: {
    sections: [
      { title: ['店铺', 'Shop'], fields: ['logo', 'contact', 'phone', 'intro'] },
      {
        title: ['运费', 'Postage'],
        note: [
          '第一行从 0 起，每行的起等于上一行的止，最后一行不填止；不填任何行为包邮',
          'The first band starts at 0, each at the end of the one before, the last has no end; without bands postage is free',
        ],
        fields: ['postage'],
      },
    ],
  },
  detail: {
    mode: 'page',
    route: '/serviceSourceManager/mm_merchantInfo/:id',
    sections: [
      {
        title: ['店铺', 'Shop'],
        fields: [
          'account',
          'name',
          'kind',
          'state',
          'stateReason',
          'logo',
          'contact',
          'phone',
          'licenceNo',
          'legalPerson',
          'address',
          'intro',
        ],
      },
      {
        title: ['营业开关', 'Switches'],
        fields: ['closedNow', 'closedUntil', 'closedNote', 'invoice', 'print'],
      },
      { title: ['运费', 'Postage'], fields: ['postage'] },
      { title: ['收款账户', 'Payee account'], fields: ['payee', 'payeeState', 'usableFrom'] },
      {
        title: ['协议与资金', 'Agreement and money'],
        fields: ['commission', 'cycle', 'agreementEnds', 'certificate', 'depositHeld', 'depositRequired'],
      },
    ],
    parts: [
      part({ key: 'changes', title: ['变更申请', 'Changes'], resource: merchantChange, by: 'merchant' }),
      part({
        key: 'withdrawals',
        title: ['提现记录', 'Withdrawals'],
        resource: infoWithdrawal,
        by: 'merchant',
      }),
      part({ key: 'agreements', title: ['协议版本', 'Agreements'], resource: infoAgreement, by: 'merchant' }),
    ],
  },
  elements: { btn_postage: ['修改运费', 'Change postage'] },
  actions: {
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_edit', tone: 'primary' },
    closeShop: {
      on: 'row',
      label: ['打烊', 'Close for now'],
      element: 'btn_switch',
      remark: 'note',
      from: ['operating'],
      input: {
        until: instant(['恢复时间', 'Opens again'], { required: true }),
        note: text(['说明', 'Note'], {
          max: 100,
          help: ['会员下单时看到', 'Members see it when they order'],
        }),
      },
    },
    reopenShop: {
      on: 'row',
      label: ['结束打烊', 'Open again'],
      element: 'btn_switch',
      from: ['operating', 'suspended', 'closing', 'closed'],
    },
    invoiceOn: { on: 'row', label: ['开启开票', 'Offer invoices'], element: 'btn_switch' },
    invoiceOff: { on: 'row', label: ['关闭开票', 'No invoices'], element: 'btn_switch' },
    printOn: { on: 'row', label: ['开启自动打印', 'Print orders'], element: 'btn_switch' },
    printOff: { on: 'row', label: ['关闭自动打印', 'Stop printing'], element: 'btn_switch' },
    changeLicence: {
      on: 'row',
      label: ['变更执照信息', 'Change licence data'],
      element: 'btn_change',
      untouched: true,
      message: asked,
      input: {
        name: text(['名称', 'Name'], { min: 2, max: 60, help: unchanged }),
        licenceNo: text(['执照号', 'Licence no.'], { max: 18, help: unchanged }),
        address: text(['地址', 'Address'], { max: 120, help: unchanged }),
        reason,
      },
    },
    changeLegal: {
      on: 'row',
      label: ['变更法人', 'Change the legal person'],
      element: 'btn_change',
      untouched: true,
      message: asked,
      input: { legalPerson: personName(['新法人', 'New legal person'], { required: true }), reason },
    },
    changeContact: {
      on: 'row',
      label: ['变更协议联系人', 'Change the agreement contact'],
      element: 'btn_change',
      untouched: true,
      message: asked,
      input: {
        contact: personName(['协议联系人', 'Contact'], { required: true }),
        phone: phone(['协议电话', 'Phone'], { required: true }),
        reason,
      },
    },
    renewCertificate: {
      on: 'row',
      label: ['更新资质', 'Renew a certificate'],
      element: 'btn_change',
      untouched: true,
      message: asked,
      input: {
        type: choice(['类型', 'Type'], CERTIFICATES, { required: true }),
        number: text(['证号', 'Number'], { max: 60, help: unchanged }),
        validFrom: date(['生效日', 'Valid from']),
        validTo: date(['到期日', 'Valid to'], { help: ['长期有效则不填', 'Empty: long term'] }),
        files: images(['证件图片', 'Pictures'], { max: 5 }),
        reason,
      },
    },
    changePayee: {
      on: 'row',
      label: ['变更收款账户', 'Change the payee account'],
      element: 'btn_change',
      untouched: true,
      message: asked,
      input: {
        holder: text(['户名', 'Account holder'], { required: true, min: 2, max: 60 }),
        bank: text(['开户银行', 'Bank'], { required: true, min: 2, max: 40 }),
        branch: text(['支行', 'Branch'], { max: 60 }),
        number: text(['账号', 'Account number'], {
          required: true,
          secret: true,
          min: 8,
          max: 34,
          help: ['通过审核后须重新验证，才能收款', 'It is verified anew before money goes to it'],
        }),
        reason,
      },
    },
    verifyPayee: {
      on: 'row',
      label: ['回填验证金额', 'Enter the verified amount'],
      element: 'btn_verifyPayee',
      untouched: true,
      input: {
        amount: money(['收到的金额', 'Amount received'], {
          required: true,
          min: 1,
          max: 99,
          help: [
            '银行流水中平台打来的 0.01–0.99 元；3 次机会，24 小时内有效',
            'The 0.01–0.99 yuan on the bank statement; 3 tries within 24 hours',
          ],
        }),
      },
      message: [
        '收款账户已验证，{usableFrom} 后可收款',
        'The account is verified; payouts from {usableFrom} on',
      ],
    },
    withdraw: {
      on: 'row',
      label: ['提现', 'Withdraw'],
      element: 'btn_withdraw',
      untouched: true,
      input: {
        amount: money(['提现金额', 'Amount'], {
          required: true,
          min: 1,
          max: 10_000_000_000,
          help: [
            '从钱包余额提取，审核通过后打到已验证的收款账户',
            'From the wallet to the verified payee account, after a review',
          ],
        }),
      },
      message: [
        '提现 {code} 已提交审核，手续费 {fee} 元',
        'Withdrawal {code} is in review; its fee is {fee} yuan',
      ],
    },
  },
});

/** What the merchant's page shows beside its row. */
export interface MerchantTerms {
  readonly checklist: readonly { readonly label: Label; readonly done: boolean }[];
  readonly version: number | null;
  readonly commissionBp: number | null;
  /** Channel fee the merchant bears, in millionths; 0 when the platform bears it. */
  readonly feePpm: number;
  /** Commission that differs by business and class. */
  readonly rules: readonly { readonly title: Label; readonly bp: number }[];
  readonly next: { readonly version: number; readonly starts: string; readonly commissionBp: number } | null;
}

/** Accounts of the ledger a merchant has. */
export const MONEY_ACCOUNT_WORDS = {
  merchant_payable: ['应结', 'Payable'],
  merchant_transit: ['在途', 'In transit'],
  merchant_wallet: ['钱包', 'Wallet'],
  merchant_wallet_frozen: ['钱包冻结', 'Frozen in the wallet'],
  merchant_deposit: ['保证金', 'Deposit'],
} as const satisfies Readonly<Record<string, Label>>;

/** What is booked on them. */
export const MONEY_MOVE_WORDS: Readonly<Record<string, Label>> = {
  confirm: ['账单确认', 'Statement confirmed'],
  void: ['账单作废', 'Statement void'],
  pay: ['付款', 'Being paid'],
  paid: ['已到账', 'Arrived'],
  failed: ['付款退回', 'Came back'],
  wallet: ['结算到钱包', 'Settled to the wallet'],
  withdraw: ['申请提现', 'Withdrawal asked for'],
  withdrawBack: ['提现退回', 'Withdrawal given back'],
  withdrawn: ['提现到账', 'Withdrawal arrived'],
  receive: DEPOSIT_MOVES.receive.label,
  deduct: DEPOSIT_MOVES.deduct.label,
  return: DEPOSIT_MOVES.return.label,
  cover: DEPOSIT_MOVES.cover.label,
};

/** Money of the merchant as its page shows it; all sums in fen. */
export interface MerchantMoney {
  readonly payable: number;
  readonly wallet: number;
  readonly walletFrozen: number;
  readonly inTransit: number;
  readonly settled: number;
  readonly deposit: number;
  readonly depositAsked: number;
  readonly frozen: boolean;
  readonly frozenReason: string;
  readonly lastBill: { readonly code: string; readonly on: string; readonly paid: number } | null;
  readonly entries: readonly {
    readonly id: string;
    readonly at: string;
    readonly account: keyof typeof MONEY_ACCOUNT_WORDS;
    readonly move: string;
    readonly reference: string;
    /** Statement it was booked for, directly or by a payout. */
    readonly statement: string | null;
    readonly amount: number;
    readonly balance: number;
  }[];
}
