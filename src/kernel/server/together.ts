import { setTimeout } from 'node:timers/promises';
import { inTrace, newTraceId } from './http/tracing.ts';

/** Work that may be done for several requests at once. */
export interface Together<Item, Answer> {
  readonly item: Item;
  /** What of it may stand in one transaction only once, such as its member or the id of its request. */
  readonly keys: readonly string[];
  /** Carries it out on its own, with its refusals. */
  readonly alone: () => Promise<Answer>;
}

/** Carries several items out, each with other keys; who has no answer is carried out alone, and so are all when it throws. */
export type Many<Item, Answer> = (items: readonly Item[]) => Promise<readonly (Answer | undefined)[]>;

type Outcome<Answer> = { readonly answer: Answer } | 'alone';

interface Seat<Item, Answer> {
  readonly work: Together<Item, Answer>;
  readonly tell: (outcome: Outcome<Answer>) => void;
}

/** Items of one transaction at most. */
const MOST = 64;
/** Milliseconds a busy lane gathers before its next lot. */
const GATHER_MS = 3;

/** Lanes of a process, by whose they are and their names. */
const lanes = new WeakMap<object, Map<string, Seat<never, never>[]>>();

/**
 * Carries out what a request asks for. While somebody is at work in the same lane, others wait and are then written together: one
 * lock of what all of them want and one commit for all. Who finds the lane empty does not wait. Refusals, repeats and whatever else
 * `many` leaves without an answer are carried out alone, and so answered as ever.
 */
export async function together<Item, Answer>(
  owner: object,
  lane: string,
  work: Together<Item, Answer>,
  many: Many<Item, Answer>,
): Promise<Answer> {
  const own = (lanes.get(owner) ?? new Map()) as Map<string, Seat<Item, Answer>[]>;
  lanes.set(owner, own as never);
  const waiting = own.get(lane);
  if (waiting) {
    // The work goes on here, in the context of its own request.
    const outcome = await new Promise<Outcome<Answer>>((tell) => waiting.push({ work, tell }));
    return outcome === 'alone' ? work.alone() : outcome.answer;
  }
  own.set(lane, []);
  try {
    return await work.alone();
  } finally {
    void inTrace(newTraceId(), () => serve(own, lane, many));
  }
}

/** Serves those who wait in a lane until nobody does. */
async function serve<Item, Answer>(
  own: Map<string, Seat<Item, Answer>[]>,
  lane: string,
  many: Many<Item, Answer>,
): Promise<void> {
  for (;;) {
    const taken = new Set<string>();
    const now: Seat<Item, Answer>[] = [];
    const later: Seat<Item, Answer>[] = [];
    for (const seat of own.get(lane)!) {
      const { keys } = seat.work;
      const fits = now.length < MOST && !keys.some((key) => taken.has(key));
      for (const key of keys) taken.add(key);
      (fits ? now : later).push(seat);
    }
    if (now.length === 0) return void own.delete(lane);
    own.set(lane, later);
    const answers = now.length === 1 ? [] : await many(now.map((seat) => seat.work.item)).catch(() => []);
    for (const [index, seat] of now.entries()) {
      const answer = answers[index];
      seat.tell(answer === undefined ? 'alone' : { answer });
    }
    // Who was just answered asks again at once: they are waited for, or the next lot would be of one.
    if (now.length > 1) await setTimeout(GATHER_MS);
  }
}
