import type { Label } from '../../../kernel/contract/label.ts';

/** What effects go to, by the first word of their kind. */
export const CHANNELS: Readonly<Record<string, Label>> = {
  payment: ['支付', 'Payments'],
  refund: ['退款', 'Refunds'],
  payout: ['打款', 'Payouts'],
  recon: ['渠道对账', 'Reconciliation'],
  channel: ['渠道重发', 'Channel resends'],
  payee: ['收款账户测试', 'Payee tests'],
  sms: ['短信', 'SMS'],
  mail: ['邮件', 'E-mail'],
  alert: ['告警Webhook', 'Alert webhooks'],
  file: ['文件', 'Files'],
  wo: ['工单派单', 'Dispatch of work orders'],
  butler: ['管家', 'Butlers'],
  courtesy: ['缴费有礼', 'Payment gifts'],
  rebate: ['返利', 'Rebates'],
  redeem: ['兑换', 'Redemptions'],
  pointsReturn: ['积分退回', 'Returned points'],
  billPayment: ['账单缴费', 'Bill payments'],
  transferSlip: ['转账凭证', 'Transfer slips'],
};
