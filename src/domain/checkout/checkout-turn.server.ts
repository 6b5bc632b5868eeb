import { tooMany } from '../../kernel/server/http/errors.ts';

/** Checkouts of a process that are written at the same time. */
const AT_ONCE = 4;
/** Checkouts of a process that may wait. */
const MOST_WAITING = 2_000;

let running = 0;
const waiting: (() => void)[] = [];

/**
 * Runs a checkout when it is its turn. Checkouts over the same goods wait for each other's locks; without turns a rush
 * would hold every connection of the process and stop all other work. Throws 429 when too many wait.
 */
export async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= AT_ONCE) {
    if (waiting.length >= MOST_WAITING)
      throw tooMany(['下单人数较多，请稍后再试', 'Too many orders at the moment, please try again'], 3);
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else running += 1;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    // The place is handed on, so nobody slips in between.
    if (next) next();
    else running -= 1;
  }
}
