/** What to do after an end: give up, or start again after a pause. */
export interface EndAdvice {
  readonly tooOften: boolean;
  /** Milliseconds; the first start again does not wait. */
  readonly pause: number;
}

/** Counts the ends of something that is started again by itself. */
export interface EndCount {
  note(): EndAdvice;
}

export const MOST_ENDS = 5;
const WITHIN_MS = 60_000;
const PAUSE_MS = 200;

/**
 * Exit code of a server that gave up on its database or worker: starting the server again would only begin the same
 * five ends anew. The service unit knows the number too.
 */
export const GAVE_UP = 70;

/** One end is an accident that starting again repairs; five within a minute have a cause that stays. */
export function countEnds(now: () => number = () => performance.now()): EndCount {
  let ends: number[] = [];
  return {
    note: () => {
      const time = now();
      ends = [...ends.filter((end) => time - end < WITHIN_MS), time];
      return { tooOften: ends.length >= MOST_ENDS, pause: (ends.length - 1) * PAUSE_MS };
    },
  };
}
