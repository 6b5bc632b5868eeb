import type { Label } from '../../../kernel/contract/label.ts';

/** Greeting by the hour of the day. */
export function greeting(hour: number): Label {
  if (hour >= 5 && hour < 12) return ['上午好', 'Good morning'];
  if (hour >= 12 && hour < 18) return ['下午好', 'Good afternoon'];
  return ['晚上好', 'Good evening'];
}
