import {
  boolean,
  choice,
  date,
  instant,
  integer,
  lines,
  longText,
  money,
  percent,
  personName,
  phone,
  ref,
} from '../../../kernel/contract/fields.ts';
import { defineResource, viewOf } from '../../../kernel/contract/resource.ts';

const BEARERS = {
  platform: { label: ['平台', 'Platform'] },
  merchant: { label: ['商户', 'Merchant'] },
} as const;
const rate = { min: 0, max: 50, scale: 2, unit: ['%', '%'] } as const;

/** One version of what is agreed with a merchant, in force over a half-open period. */
export const merchantAgreement = defineResource({
  name: 'merchantAgreement',
  menu: 'ssm_merchantManager',
  title: ['合作协议', 'Agreements'],
  noun: ['协议', 'Agreement'],
  titleField: 'versionNo',
  stamps: true,
  copy: true,
  sensitive: true,
  fields: {
    merchant: ref('merchant', ['商户', 'Merchant'], {
      required: true,
      createOnly: true,
      search: 'in',
      width: 160,
    }),
    versionNo: integer(['版本', 'Version'], { readOnly: true, sortable: true, width: 80 }),
    signedOn: date(['签订日期', 'Signed on'], { required: true, width: 110 }),
    effectiveFrom: instant(['生效', 'From'], { required: true, sortable: true, search: 'range', width: 150 }),
    effectiveTo: instant(['到期', 'To'], { required: true, sortable: true, search: 'range', width: 150 }),
    contact: personName(['协议联系人', 'Contact']),
    phone: phone(['协议电话', 'Phone']),
    commission: percent(['默认佣金', 'Commission'], {
      required: true,
      ...rate,
      width: 100,
      help: ['佣金比例须在 0–50%', 'Commission must be 0–50%'],
    }),
    rules: lines(
      ['分类佣金', 'Commission by class'],
      {
        business: ref('business', ['业务', 'Business'], { required: true }),
        class: ref('productClass', ['分类', 'Class']),
        rate: percent(['佣金', 'Commission'], { required: true, ...rate }),
      },
      { max: 100 },
    ),
    commissionBase: choice(
      ['计佣基数', 'Commission on'],
      { gross: { label: ['商品金额', 'Goods amount'] }, cash: { label: ['实付现金', 'Cash paid'] } },
      { required: true, initial: 'gross' },
    ),
    channelFeeBearer: choice(['渠道费承担', 'Channel fee'], BEARERS, { required: true, initial: 'merchant' }),
    pointsBearer: choice(['积分承担', 'Points'], BEARERS, { required: true, initial: 'platform' }),
    coinBearer: choice(['代币承担', 'Coins'], BEARERS, { required: true, initial: 'platform' }),
    freightCommission: boolean(['运费计佣', 'Commission on postage'], { initial: false }),
    settlementCycle: choice(
      ['结算周期', 'Cycle'],
      {
        day: { label: ['日结', 'Daily'] },
        week: { label: ['周结', 'Weekly'] },
        half_month: { label: ['半月结', 'Half-monthly'] },
        month: { label: ['月结', 'Monthly'] },
      },
      { required: true, initial: 'month', search: 'in', width: 100 },
    ),
    afterSaleDays: integer(['售后天数', 'After-sale days'], { required: true, min: 0, max: 90, initial: 7 }),
    payoutMode: choice(
      ['付款方式', 'Payout'],
      { bank: { label: ['银行', 'Bank'] }, wallet: { label: ['钱包', 'Wallet'] } },
      { required: true, initial: 'bank' },
    ),
    deposit: money(['保证金', 'Deposit'], { min: 0, max: 1_000_000_000, width: 110 }),
    annualFee: money(['年费', 'Annual fee'], { min: 0, max: 1_000_000_000 }),
  },
  states: {
    draft: { label: ['草稿', 'Draft'], tone: 'default' },
    in_review: { label: ['待审核', 'In review'], tone: 'processing' },
    active: { label: ['已生效', 'Agreed'], tone: 'success' },
    superseded: { label: ['已被替代', 'Superseded'], tone: 'default' },
    expired: { label: ['已到期', 'Expired'], tone: 'paused' },
    terminated: { label: ['已终止', 'Terminated'], tone: 'error' },
  },
  list: {
    columns: [
      'versionNo',
      'signedOn',
      'effectiveFrom',
      'effectiveTo',
      'commission',
      'settlementCycle',
      'deposit',
      'state',
    ],
    filters: ['merchant', 'state'],
    sort: '-versionNo',
    link: 'versionNo',
  },
  form: {
    width: 760,
    sections: [
      {
        title: ['期限', 'Term'],
        fields: ['merchant', 'signedOn', 'effectiveFrom', 'effectiveTo', 'contact', 'phone'],
      },
      {
        title: ['佣金', 'Commission'],
        fields: [
          'commission',
          'rules',
          'commissionBase',
          'freightCommission',
          'channelFeeBearer',
          'pointsBearer',
          'coinBearer',
        ],
      },
      {
        title: ['结算与费用', 'Settlement and fees'],
        fields: ['settlementCycle', 'payoutMode', 'afterSaleDays', 'deposit', 'annualFee'],
      },
    ],
  },
  actions: {
    create: {
      on: 'page',
      label: ['新版本', 'New version'],
      element: 'btn_newVersion',
      tone: 'primary',
      message: ['已建立草稿版本，核对后生效', 'The version is a draft: check it, then put it in force'],
    },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_newVersion', from: ['draft'] },
    remove: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_newVersion',
      tone: 'danger',
      from: ['draft'],
      confirm: ['删除草稿版本 {versionNo}？', 'Delete draft {versionNo}?'],
    },
    agree: {
      on: 'row',
      label: ['生效', 'Put in force'],
      element: 'btn_activate',
      tone: 'primary',
      from: ['draft'],
      to: 'active',
      confirm: [
        '版本 {versionNo} 生效后不能再修改；旧版本到该时刻为止。继续？',
        'Version {versionNo} never changes once agreed; the one before ends at that instant. Go on?',
      ],
    },
    submit: {
      on: 'row',
      label: ['提交审批', 'Send for approval'],
      element: 'btn_newVersion',
      tone: 'primary',
      from: ['draft'],
      to: 'in_review',
      confirm: [
        '提交版本 {versionNo} 审批？通过后在生效时间自动替代旧版本，且不能再修改。',
        'Send version {versionNo} for approval? Once passed it replaces the one before at its start and never changes.',
      ],
    },
    approve: {
      on: 'row',
      label: ['通过', 'Approve'],
      element: 'btn_audit',
      tone: 'primary',
      from: ['in_review'],
      to: ['active', 'in_review', 'draft'],
      input: { opinion: longText(['意见', 'Opinion'], { max: 200 }) },
    },
    reject: {
      on: 'row',
      label: ['驳回', 'Reject'],
      element: 'btn_audit',
      tone: 'danger',
      from: ['in_review'],
      to: ['draft', 'in_review', 'active'],
      input: { opinion: longText(['驳回原因', 'Reason'], { required: true, min: 2, max: 200 }) },
    },
    withdraw: {
      on: 'row',
      label: ['撤回审批', 'Withdraw'],
      element: 'btn_newVersion',
      from: ['in_review'],
      to: 'draft',
      confirm: ['撤回版本 {versionNo} 的审批？', 'Withdraw version {versionNo} from approval?'],
    },
    terminate: {
      on: 'row',
      label: ['终止', 'Terminate'],
      element: 'btn_close',
      remark: 'reason',
      tone: 'danger',
      from: ['active'],
      to: 'terminated',
      input: { reason: longText(['原因', 'Reason'], { required: true, min: 2, max: 200 }) },
    },
    supersede: {
      on: 'system',
      label: ['被替代', 'Superseded'],
      element: 'btn_activate',
      from: ['active'],
      to: 'superseded',
    },
    expire: {
      on: 'system',
      label: ['到期', 'Expired'],
      element: 'btn_activate',
      from: ['active'],
      to: 'expired',
    },
  },
});

const people = ['create', 'update', 'remove', 'agree', 'terminate'] as const;

const reviewed = [...people, 'submit', 'approve', 'reject', 'withdraw'] as const;

/** The same under the menu of self-operated merchants. */
export const selfAgreement = viewOf(merchantAgreement, {
  name: 'selfAgreement',
  menu: 'selfMerchants',
  title: ['合作协议', 'Agreements'],
  noun: ['协议', 'Agreement'],
  fixed: {},
  targets: { merchant: 'selfMerchant' },
  actions: people,
});

/** The same under the menu of resident merchants. */
export const residentAgreement = viewOf(merchantAgreement, {
  name: 'residentAgreement',
  menu: 'residentMerchants',
  title: ['合作协议', 'Agreements'],
  noun: ['协议', 'Agreement'],
  fixed: {},
  targets: { merchant: 'residentMerchant' },
  actions: reviewed,
});
