import type { Choice } from '../../kernel/contract/fields.ts';

/**
 * Every business type that can be approved, by the word its group declares it under. A process can be designed once the group
 * has declared the type. Source: group 17, business type register.
 */
export const BUSINESS_TYPES = {
  leave: { label: ['请假', 'Leave'] },
  overtime: { label: ['加班', 'Overtime'] },
  merchant_onboarding: { label: ['商户入驻', 'Merchant onboarding'] },
  merchant_agreement: { label: ['商户协议', 'Merchant agreement'] },
  merchant_change: { label: ['商户变更', 'Merchant change'] },
  late_fee_waiver: { label: ['滞纳金减免', 'Late fee waiver'] },
  bill_refund: { label: ['费用退款', 'Bill refund'] },
  fee_discount: { label: ['费用优惠', 'Fee discount'] },
  bill_void: { label: ['账单作废', 'Voided bill'] },
  deposit_return: { label: ['押金退还', 'Deposit return'] },
  service: { label: ['服务上架', 'Service listing'] },
  product: { label: ['商品上架', 'Product listing'] },
  coupon_push: { label: ['定向发券', 'Coupons sent'] },
  member_penalty: { label: ['会员处罚', 'Member penalty'] },
  butler_incentive: { label: ['管家激励', 'Butler incentive'] },
  settlement: { label: ['结算单', 'Settlement'] },
  withdrawal: { label: ['提现', 'Withdrawal'] },
  home_decor: { label: ['美居商品', 'Home decor product'] },
  decor_discount: { label: ['美居优惠', 'Home decor discount'] },
  payee_account: { label: ['收款账户', 'Payee account'] },
  seckill: { label: ['秒杀活动', 'Flash sale'] },
  group_buy: { label: ['拼团活动', 'Group buy'] },
  coupon: { label: ['优惠券', 'Coupon'] },
  message_send: { label: ['群发消息', 'Bulk message'] },
  parking_waive: { label: ['停车欠费减免', 'Parking waiver'] },
  contract: { label: ['合同', 'Contract'] },
  contract_change: { label: ['合同变更', 'Contract change'] },
  contract_terminate: { label: ['合同终止', 'Contract termination'] },
  receivable_waiver: { label: ['应收减免', 'Receivable waiver'] },
  bad_debt: { label: ['坏账核销', 'Bad debt'] },
  package_discount: { label: ['套餐优惠', 'Package discount'] },
  package_cancel: { label: ['套餐退订', 'Package cancellation'] },
  points_grant: { label: ['积分发放', 'Points granted'] },
  points_adjust: { label: ['积分调整', 'Points adjusted'] },
  points_budget: { label: ['积分预算', 'Points budget'] },
} as const satisfies Readonly<Record<string, Choice>>;
