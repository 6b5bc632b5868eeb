import type { Label } from '../../../kernel/contract/label.ts';

/** Minutes in words: 90 is 1小时30分. */
export function minutesLabel(minutes: number): Label {
  const whole = Math.abs(Math.round(minutes));
  const days = Math.floor(whole / 1440);
  const hours = Math.floor((whole % 1440) / 60);
  if (days > 0) return [`${days}天${hours}小时`, `${days} d ${hours} h`];
  if (hours > 0) return [`${hours}小时${whole % 60}分`, `${hours} h ${whole % 60} min`];
  return [`${whole}分钟`, `${whole} min`];
}

/** Time left until an instant, or over it. */
export function dueLabel(until: string, now: number): Label {
  const left = (Date.parse(until) - now) / 60_000;
  const words = minutesLabel(left);
  return left < 0 ? [`超时${words[0]}`, `${words[1]} over`] : words;
}

/** How urgent a card looks: more than 30 % of the target left, less, or over. Source: group 06, cs_maintenance. */
export function dueTone(until: string | null, targetMinutes: number, usedMinutes: number, now: number) {
  if (until === null) return 'none' as const;
  if (Date.parse(until) <= now) return 'over' as const;
  return (targetMinutes - usedMinutes) * 100 > targetMinutes * 30 ? ('good' as const) : ('soon' as const);
}
