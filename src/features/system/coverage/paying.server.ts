/*
 * Houses and their bills of a period. `house`, `from` and `to` are SQL; a bill is of a period when its own overlaps it.
 * Source: group 09, Reports and drill.
 */

const ofPeriod = (house: string, from: string, to: string): string =>
  `b.house_id = ${house} AND b.state <> 'void' AND b.period_from <= ${to}::date AND b.period_to >= ${from}::date`;

/** A house with a bill of the period. */
export const isBilled = (house: string, from: string, to: string): string =>
  `EXISTS (SELECT FROM bill b WHERE ${ofPeriod(house, from, to)})`;

/** A house with a bill of the period on which money of the app stands; what was paid back does not. */
export const isPaidOnline = (house: string, from: string, to: string): string =>
  `EXISTS (SELECT FROM bill b WHERE ${ofPeriod(house, from, to)} AND (SELECT sum(a.amount) FROM bill_allocation a
     JOIN bill_payment m ON m.id = a.payment_id WHERE a.bill_id = b.id AND m.channel IN ('alipay', 'wechat') AND m.state = 'valid') > 0)`;
