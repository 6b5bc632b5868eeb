import type { Label } from '../../../kernel/contract/label.ts';
import { addDays, daysBetween } from '../../../kernel/contract/time.rules.ts';
import { lastDayOf } from '../goods-sales/goods-sales.rules.ts';

/** What is measured. Source: group 18, sa_achievement, metrics. */
export const METRICS = {
  sales_valid: { label: ['有效销售', 'Valid sales'] },
  orders: { label: ['订单数', 'Orders'] },
  service_orders: { label: ['服务完成', 'Service orders completed'] },
  fee_collected: { label: ['物业费收缴', 'Fees collected'] },
  contract_received: { label: ['合同回款', 'Contracts received'] },
  new_members: { label: ['新增会员', 'New members'] },
} as const satisfies Readonly<Record<string, { readonly label: Label }>>;
export type Metric = keyof typeof METRICS;

/** Who is measured. */
export const SUBJECTS = {
  staff: { label: ['员工', 'Staff'] },
  department: { label: ['部门', 'Department'] },
  project: { label: ['项目', 'Project'] },
} as const;
export type SubjectKind = keyof typeof SUBJECTS;

/** Metrics that are money, in fen; the others count. */
export const isMoney = (metric: Metric): boolean =>
  metric === 'sales_valid' || metric === 'fee_collected' || metric === 'contract_received';

/** Whole months of a range: all it touches, first to last. */
export function monthsOf(from: string, to: string): readonly string[] {
  const months: string[] = [];
  for (let day = `${from.slice(0, 7)}-01`; day <= to; day = addDays(lastDayOf(day.slice(0, 7)), 1))
    months.push(day.slice(0, 7));
  return months;
}

/** How far a period is: its days, and those of them that are over with today's. */
export function elapsedOf(
  from: string,
  to: string,
  today: string,
): { readonly days: number; readonly gone: number } {
  const days = daysBetween(from, to);
  return { days, gone: today < from ? 0 : today > to ? days : daysBetween(from, today) };
}

/** Percent with one decimal, half up; null where there is nothing to divide by. */
export const rate = (part: number, whole: number): number | null =>
  whole === 0 ? null : Math.sign(part) * (Math.round((1_000 * Math.abs(part)) / whole) / 10);

/** What the period ends with if it goes on like this; null before three whole days. */
export const forecastOf = (actual: number, gone: number, days: number): number | null =>
  gone < 3 ? null : Math.round((actual * days) / gone);

/** Green as far as the time, amber from 80 % of it, else red. */
export function toneOf(completion: number, progress: number): 'success' | 'warning' | 'error' {
  if (completion >= progress) return 'success';
  return completion >= 0.8 * progress ? 'warning' : 'error';
}
