import { requestEnd } from '../../kernel/server/database.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { nextCodes } from '../../kernel/server/resource/codes.ts';

/** Numbers of a checkout and of its first order that were taken before its transaction. */
export interface CodesAhead {
  readonly checkout: string;
  readonly order: string;
}

interface Desk {
  busy: number;
  waiting: ((codes: CodesAhead | undefined) => void)[];
  taking: boolean;
}

const desks = new WeakMap<Platform, Desk>();

/**
 * Runs a checkout; one that has others beside it in this process gets its numbers ahead, several in one step. Counters of
 * numbers are rows everybody wants: taken inside, each checkout would hold them until it commits. Call it outside of transactions.
 */
export async function withCodesAhead<T>(
  platform: Platform,
  work: (codes: CodesAhead | undefined) => Promise<T>,
): Promise<T> {
  const desk = desks.get(platform) ?? { busy: 0, waiting: [], taking: false };
  desks.set(platform, desk);
  desk.busy += 1;
  try {
    return await work(desk.busy > 1 ? await codesOf(platform, desk) : undefined);
  } finally {
    desk.busy -= 1;
  }
}

function codesOf(platform: Platform, desk: Desk): Promise<CodesAhead | undefined> {
  return new Promise((tell) => {
    desk.waiting.push(tell);
    if (!desk.taking) void requestEnd.run(undefined, () => serve(platform, desk));
  });
}

async function serve(platform: Platform, desk: Desk): Promise<void> {
  desk.taking = true;
  while (desk.waiting.length > 0) {
    const now = desk.waiting;
    desk.waiting = [];
    const { db } = platform.database;
    const [checkouts, orders] = await Promise.all([
      nextCodes(db, 'CK', now.length),
      nextCodes(db, 'SO', now.length),
    ]).catch(() => [[], []]);
    // What could not be taken ahead is taken inside.
    for (const [index, tell] of now.entries()) {
      const checkout = checkouts[index];
      const order = orders[index];
      tell(checkout !== undefined && order !== undefined ? { checkout, order } : undefined);
    }
  }
  desk.taking = false;
}
