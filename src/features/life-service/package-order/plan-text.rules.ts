import { planOf } from '../../../domain/life-service/package-order.rules.ts';
import type { Label } from '../../../kernel/contract/label.ts';

/** A plan in words. */
export function planText(key: string): Label {
  if (key === 'once') return ['一次付清', 'Paid at once'];
  const { parts, firstPercent, intervalMonths } = planOf(key);
  const every: Label =
    intervalMonths === 1
      ? ['每月', 'monthly']
      : [`每 ${intervalMonths} 个月`, `every ${intervalMonths} months`];
  const first: Label =
    firstPercent === null ? ['等额', 'equal'] : [`首期 ${firstPercent}%`, `first ${firstPercent}%`];
  return [`${parts} 期 · ${first[0]} · ${every[0]}`, `${parts} parts · ${first[1]} · ${every[1]}`];
}
