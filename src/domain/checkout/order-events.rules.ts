import type { Label } from '../../kernel/contract/label.ts';
import { CLOSED_BECAUSE } from '../group-buy/group-buy.rules.ts';

/**
 * Codes of order_event with their labels. Source: group 08 (order state machine), 21 (timeline of a case), 07 (18, 27).
 * 7, 8, 9, 17, 19, 21 to 24, 28, 29 and 41 to 43 are this product's own: the files name codes for the life of an order only, but an audit of
 * money needs the price, the address, a wrong or late payment, a changed parcel and a moved or missed visit on the timeline too.
 */
export const ORDER_EVENTS: Readonly<Record<number, Label>> = {
  5: ['提交订单', 'Order placed'],
  6: ['发起支付', 'Payment asked'],
  7: ['改价', 'Price changed'],
  8: ['改地址', 'Address changed'],
  9: ['支付金额不符', 'Paid amount differs'],
  10: ['支付成功', 'Paid'],
  16: ['团购成功', 'Team complete'],
  17: ['改约', 'Rescheduled'],
  18: ['派单', 'Assigned'],
  19: ['改派', 'Reassigned'],
  20: ['发货', 'Shipped'],
  21: ['修改物流', 'Logistics changed'],
  22: ['备注', 'Remark'],
  23: ['开始服务', 'Visit started'],
  24: ['客户爽约', 'Customer not there'],
  25: ['签收', 'Received'],
  26: ['自动签收', 'Received automatically'],
  27: ['完成服务', 'Visit finished'],
  28: ['待改约', 'Another time is needed'],
  29: ['免收违约金', 'Fee waived'],
  30: ['评价', 'Commented'],
  40: ['关闭订单', 'Order closed'],
  41: ['取消服务', 'Visit cancelled'],
  42: ['关闭后到账，自动退回', 'Paid after closing, sent back'],
  43: ['款项已原路退回', 'Money sent back'],
  45: ['退款审核', 'Refund in review'],
  46: ['退款驳回', 'Refund rejected'],
  50: ['申请售后', 'After-sale applied'],
  55: ['售后驳回', 'After-sale refused'],
  60: ['已退款', 'Refunded'],
};

/** Stored reason of orders nobody paid in time. */
export const TIMED_OUT: Label = ['超时未支付，系统自动关闭', 'Not paid in time, closed by the system'];

/** Stored reason of orders closed because nothing of them is left. */
export const ALL_REFUNDED: Label = ['全部商品已退款', 'All goods were refunded'];

/** A stored remark or reason: the system's own words in both languages, everybody else's as they wrote it. */
export function storedReason(text: string): Label {
  return (
    [TIMED_OUT, ALL_REFUNDED, ...Object.values(CLOSED_BECAUSE)].find((label) => label[0] === text) ?? [
      text,
      text,
    ]
  );
}

/** The label of a timeline code; an unknown code shows its number. */
export function orderEventLabel(code: number): Label {
  return ORDER_EVENTS[code] ?? [`事件${code}`, `Event ${code}`];
}
