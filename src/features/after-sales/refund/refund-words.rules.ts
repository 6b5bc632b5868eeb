import type { Choice } from '../../../kernel/contract/fields.ts';

/** Kinds of business as the refund paths send them. Source: entities.md, refund.business_type. */
export const BUSINESS_TYPES = {
  original: { label: ['原业务', 'Original business'], code: 0 },
  goods: { label: ['商品订单', 'Goods orders'], code: 1 },
  service: { label: ['预约订单', 'Service orders'], code: 2 },
} as const satisfies Readonly<Record<string, Choice>>;

/** Who asked for a refund. Source: group 21, refund calls (applyType). */
export const APPLICANT_TYPES = {
  buyer: { label: ['买家', 'Buyer'], code: 1 },
  staff: { label: ['商业人员', 'Staff'], code: 2 },
} as const satisfies Readonly<Record<string, Choice>>;

/** Columns of the export behind 序号, which the export source of refund.server.ts counts. Source: group 21. */
export const EXPORT_COLUMNS = [
  'code',
  'orderCode',
  'paymentCode',
  'channelRefundNo',
  'businessType',
  'merchant',
  'project',
  'productName',
  'customer',
  'phone',
  'itemCount',
  'paid',
  'applyPrice',
  'cash',
  'pointsBack',
  'freightPart',
  'fee',
  'state',
  'applicantType',
  'appliedAt',
  'auditor',
  'auditedAt',
  'succeededAt',
  'reason',
  'failReason',
] as const;

/** Who may open the vouchers of an offline refund: receipts show name and account in clear. Any of these elements will do. */
export const VOUCHER_ELEMENTS = ['btn_offline', 'btn_auditFinance', 'btn_reveal'] as const;
