import { createHash } from 'node:crypto';

/** A stream of pseudo-random choices; the same seed and purpose give the same stream on every machine. */
export interface Random {
  /** A number in [0, 1). */
  next(): number;
  /** An integer from `low` to `high`, both included. */
  int(low: number, high: number): number;
  /** True in `share` of the cases, 0–1. */
  chance(share: number): boolean;
  /** One element; throws RangeError for an empty list. */
  pick<T>(list: readonly T[]): T;
  /** One element, each as likely as its weight. */
  weighted<T>(list: readonly T[], weight: (item: T) => number): T;
  /** A new list in another order. */
  shuffle<T>(list: readonly T[]): T[];
  /** `count` decimal digits. */
  digits(count: number): string;
  /** A version 4 identifier. */
  uuid(): string;
}

/** Opens a stream of its own for a purpose, so that more draws in one place do not change another place. */
export function createRandom(seed: number, purpose: string): Random {
  const state = createHash('sha256').update(`${seed}:${purpose}`).digest();
  let a = state.readUInt32LE(0);
  let b = state.readUInt32LE(4);
  let c = state.readUInt32LE(8);
  let d = state.readUInt32LE(12);

  // sfc32: small, fast and good enough for believable data.
  const next = (): number => {
    const sum = (a + b + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + sum) | 0;
    return (sum >>> 0) / 4_294_967_296;
  };
  const int = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1));
  const pick = <T>(list: readonly T[]): T => {
    if (list.length === 0) throw new RangeError('nothing to pick from');
    return list[int(0, list.length - 1)] as T;
  };
  return {
    next,
    int,
    chance: (share) => next() < share,
    pick,
    weighted: (list, weight) => {
      let left = next() * list.reduce((sum, item) => sum + weight(item), 0);
      for (const item of list) {
        left -= weight(item);
        if (left < 0) return item;
      }
      return pick(list);
    },
    shuffle: (list) => {
      const result = [...list];
      for (let last = result.length - 1; last > 0; last -= 1) {
        const other = int(0, last);
        [result[last], result[other]] = [result[other]!, result[last]!];
      }
      return result;
    },
    digits: (count) => Array.from({ length: count }, () => int(0, 9)).join(''),
    uuid: () => {
      const hex = Array.from({ length: 32 }, () => int(0, 15).toString(16)).join('');
      const variant = '89ab'[int(0, 3)];
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
    },
  };
}
