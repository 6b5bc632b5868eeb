import { lastDue, nextDue, type Cron } from '../../contract/cron.rules.ts';

/** A due time nobody took up within this is late. Source: group 09, jobManager. */
export const LATE_MS = 120_000;

/** What becomes of the due times of a job that have come. */
export interface DuePlan {
  readonly runs: readonly {
    readonly due: Date;
    readonly trigger: 'schedule' | 'makeup';
    readonly missed: number;
  }[];
  /** Due times that are left out: the last of them, and how many more it stands for. */
  readonly left: { readonly due: Date; readonly missed: number } | undefined;
  /** Due times that passed while nobody was there. */
  readonly late: number;
  readonly next: Date;
}

// A job of every minute that was off for a week: nobody needs the exact number.
const MOST = 10_000;

/**
 * Plans the due times from `first` (the oldest one not taken up) to `now`. On time each is a run of its own; after an outage the
 * whole stretch is one run (`run_once`), or is left out up to what is still on time (`skip`).
 */
export function planDue(cron: Cron, first: Date, now: Date, misfire: 'run_once' | 'skip'): DuePlan {
  const next = nextDue(cron, now);
  if (!next) throw new Error('a pattern without a next due time');
  const dues: Date[] = [first];
  for (let at = nextDue(cron, first); at && at <= now && dues.length < MOST; at = nextDue(cron, at))
    dues.push(at);
  const isLate = (due: Date) => now.getTime() - due.getTime() > LATE_MS;
  const onTime = dues
    .filter((due) => !isLate(due))
    .map((due) => ({ due, trigger: 'schedule' as const, missed: 0 }));
  if (!isLate(first)) return { runs: onTime, left: undefined, late: 0, next };
  const last = lastDue(cron, now) ?? first;
  if (misfire === 'run_once')
    return {
      runs: [{ due: last < first ? first : last, trigger: 'makeup', missed: dues.length - 1 }],
      left: undefined,
      late: dues.length,
      next,
    };
  const late = dues.filter(isLate);
  return { runs: onTime, left: { due: late.at(-1)!, missed: late.length - 1 }, late: late.length, next };
}

/** Seconds until the try after the given number of failed ones: the last step of the ladder goes on for ever. */
export function ladderSeconds(ladder: readonly number[], failed: number): number {
  return ladder[Math.min(failed, ladder.length) - 1] ?? ladder.at(-1) ?? 15;
}
