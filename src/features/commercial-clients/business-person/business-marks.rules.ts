import { addDays } from '../../../kernel/contract/time.rules.ts';
import { STAGES } from '../../../domain/commercial-client/client.rules.ts';

/** What the figures of business people are made of; each opens exactly its rows. Source: group 20, reports and drill. */
export const MARKS = {
  fresh: { label: ['新增客户', 'New clients'] },
  follow: { label: ['跟进', 'Follow-ups'] },
  visit: { label: ['拜访与看铺', 'Visits and viewings'] },
  entered_lead: { label: ['进入线索', 'Became leads'] },
  entered_contacted: { label: ['进入已接洽', 'Became contacted'] },
  entered_viewing: { label: ['进入看铺', 'Came to viewing'] },
  entered_negotiating: { label: ['进入谈判', 'Came to negotiating'] },
  entered_signed: { label: ['进入签约', 'Became signed'] },
  left_lead: { label: ['离开线索', 'Left lead'] },
  left_contacted: { label: ['离开已接洽', 'Left contacted'] },
  left_viewing: { label: ['离开看铺', 'Left viewing'] },
  left_negotiating: { label: ['离开谈判', 'Left negotiating'] },
  lost: { label: ['流失', 'Lost'] },
  signed: { label: ['签约合同', 'Contracts signed'] },
  received: { label: ['合同回款', 'Received'] },
  pool_in: { label: ['进入公海', 'Into the pool'] },
  pool_claimed: { label: ['公海认领', 'Claimed'] },
  pool_signed: { label: ['认领后 90 天内签约', 'Signed within 90 days of the claim'] },
} as const;
export type Mark = keyof typeof MARKS;

/** Marks of one row a contract or payment, whose value is money. */
export const ofMoney = (mark: Mark): boolean => mark === 'signed' || mark === 'received';

/** Steps of the funnel, in order. */
export const FUNNEL = STAGES.map((stage) => `entered_${stage}` as const);

/** Last day of a month such as 2026-11. */
export const lastOf = (month: string): string => {
  const [year, at] = month.split('-').map(Number) as [number, number];
  return new Date(Date.UTC(year, at, 0)).toISOString().slice(0, 10);
};

/** The whole months a range touches, first to last. */
export function monthsIn(from: string, to: string): readonly string[] {
  const months: string[] = [];
  for (let day = `${from.slice(0, 7)}-01`; day <= to; day = addDays(lastOf(day.slice(0, 7)), 1))
    months.push(day.slice(0, 7));
  return months;
}

/** Percent with two decimals, half up; null where there is nothing to divide by. */
export const shareOf = (part: number, whole: number | null): number | null =>
  whole === null || whole === 0 ? null : Math.round((10_000 * part) / whole) / 100;
