import type { StateSpec } from '../../../kernel/contract/resource.ts';
import { DEFAULT_CANCEL_TIERS, type CancelTiers } from '../../trade-money/refund.rules.ts';

/** States of a visit by their stored word, in the order of their life. Source: group 07, appointment states. */
export const VISIT_STATES = {
  held: { label: ['占位', 'Held'], code: 0, tone: 'paused' },
  to_accept: { label: ['待受理', 'To accept'], code: 1, tone: 'warning' },
  assigned: { label: ['待上门', 'To visit'], code: 2, tone: 'processing' },
  serving: { label: ['服务中', 'In service'], code: 3, tone: 'processing' },
  done: { label: ['已完成', 'Done'], code: 4, tone: 'success' },
  no_show: { label: ['客户爽约', 'Customer not there'], code: 5, tone: 'error' },
  cancelled: { label: ['已取消', 'Cancelled'], code: 6, tone: 'default' },
  released: { label: ['已释放', 'Released'], code: 7, tone: 'default' },
  choose_again: { label: ['待改约', 'To choose again'], code: 8, tone: 'warning' },
} as const satisfies Readonly<Record<string, StateSpec>>;

/** A stored state of a visit. */
export type VisitState = keyof typeof VISIT_STATES;

/** Visits that hold their place and their person. */
export const LIVE_VISITS = ['held', 'to_accept', 'assigned', 'serving'] as const;

/** Wrong codes after which the desk has to finish. */
export const VERIFY_TRIES = 5;

/** Minutes after the planned start before a customer counts as not there. */
export const NO_SHOW_MINUTES = 15;

/**
 * Reads tiers as the setting service.cancel_tiers and a service write them: `>24h:0|24h-start:30|after start or no_show:100`.
 * Text that cannot be read falls back to the default tiers: a fee nobody can explain is worse than the usual one.
 */
export function cancelTiersOf(text: string | null | undefined): CancelTiers {
  const before: { moreThanMinutes: number; percent: number }[] = [];
  let untilStart: number | undefined;
  let afterStart: number | undefined;
  for (const part of (text ?? '').split('|')) {
    const match = /^\s*(.+?)\s*:\s*(\d{1,3})\s*$/.exec(part);
    if (!match || Number(match[2]) > 100) return DEFAULT_CANCEL_TIERS;
    const [, name, percent] = match as unknown as [string, string, string];
    const hours = /^>\s*(\d{1,4})h$/.exec(name);
    if (hours) before.push({ moreThanMinutes: Number(hours[1]) * 60, percent: Number(percent) });
    else if (/^\d{1,4}h-(\d{1,4})h$/.test(name))
      before.push({ moreThanMinutes: Number(/-(\d+)h$/.exec(name)![1]) * 60, percent: Number(percent) });
    else if (/-start$/.test(name)) untilStart = Number(percent);
    else if (/^after start/.test(name)) afterStart = Number(percent);
    else return DEFAULT_CANCEL_TIERS;
  }
  if (untilStart === undefined || afterStart === undefined) return DEFAULT_CANCEL_TIERS;
  return { before, untilStart, afterStart };
}

/** What becomes of visits that are booked when a service stops. */
export const STOP_CHOICES = {
  choose_again: { label: ['请会员改约', 'Members choose again'] },
  stay: { label: ['照常服务', 'They stay'] },
} as const;
