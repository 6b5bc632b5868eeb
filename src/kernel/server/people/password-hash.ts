import { randomBytes, randomInt } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { PASSWORD_MAX_LENGTH, passwordProblems } from '../../contract/password.rules.ts';
import { tooMany } from '../http/errors.ts';

/** Counts of the work done, for tests and metrics. */
export const hashStatistics = { hashed: 0, verified: 0 };

/** A slot of the bounded hashing work, with the two things one may do in it. */
export interface HashSlot {
  /** argon2id hash of a password. */
  hash(password: string): Promise<string>;
  /** True when the password fits. Without a hash the same work is done against a hash nobody knows, and it is false. */
  verify(stored: string | null | undefined, password: string): Promise<boolean>;
}

/**
 * Runs `work` while holding one of the few hashing slots, so that sign-ins cannot occupy every core.
 * Throws 429 when too many already wait.
 */
export async function withHashSlot<T>(work: (slot: HashSlot) => Promise<T>): Promise<T> {
  if (waiting.length >= MOST_WAITING)
    throw tooMany(['登录人数过多，请稍后再试', 'Too many sign-ins at once, please try again'], 2);
  if (running >= SLOTS) await new Promise<void>((resolve) => waiting.push(resolve));
  else running++;
  try {
    return await work({ hash: hashNow, verify: verifyNow });
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}

/** argon2id hash of a password, in a slot of its own. */
export async function hashPassword(password: string): Promise<string> {
  return await withHashSlot((slot) => slot.hash(password));
}

/** A random password of 16 characters that keeps the password rule and is easy to read aloud. */
export function generatePassword(): string {
  const sets = ['ABCDEFGHJKLMNPQRSTUVWXYZ', 'abcdefghijkmnpqrstuvwxyz', '23456789', '#%+=?*'];
  for (;;) {
    const characters = Array.from({ length: 16 }, (_, index) => {
      const set = index < sets.length ? sets[index]! : sets.slice(0, 3).join('');
      return set[randomInt(set.length)]!;
    });
    for (let index = characters.length - 1; index > 0; index--) {
      const other = randomInt(index + 1);
      [characters[index], characters[other]] = [characters[other]!, characters[index]!];
    }
    const password = characters.join('');
    if (passwordProblems(password, { username: '' }).length === 0) return password;
  }
}

// OWASP's first recommendation for argon2id: 19 MiB, two passes, one lane.
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
// Hashing runs in libuv's pool of four threads, which files and DNS need too.
const SLOTS = 2;
const MOST_WAITING = 200;

let running = 0;
const waiting: (() => void)[] = [];
let nobody: Promise<string> | undefined;

async function hashNow(password: string): Promise<string> {
  hashStatistics.hashed++;
  return await hash(password, COST);
}

async function verifyNow(stored: string | null | undefined, password: string): Promise<boolean> {
  hashStatistics.verified++;
  nobody ??= hash(randomBytes(32).toString('hex'), COST);
  const against = stored || (await nobody);
  const fits = await verify(against, password.slice(0, PASSWORD_MAX_LENGTH + 1)).catch(() => false);
  return fits && Boolean(stored) && password.length <= PASSWORD_MAX_LENGTH;
}
