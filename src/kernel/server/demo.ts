import type { Tx } from './database.ts';
import type { TimelineEntry } from './audit/audit.ts';
import type { Caller, RequestFacts } from './people/caller.ts';
import type { Platform } from './platform.ts';

/** Demonstration rows of one feature, in `<noun>.demo.ts`: `export const demo = defineDemo({ key, after, run })`. */
export interface Demo {
  /** Under this name the database remembers that it has the rows. Never changed once released. */
  readonly key: string;
  /** Keys of the sets whose rows this one refers to; `base` (places, people, staff, trade) always comes first. */
  readonly after: readonly string[];
  /** Runs once in a transaction of its own. The same seed and `now` must give the same rows. */
  run(context: DemoContext): Promise<void>;
}

/** Declares demonstration rows. */
export function defineDemo(spec: {
  readonly key: string;
  readonly after?: readonly string[];
  run(context: DemoContext): Promise<void>;
}): Demo {
  if (!/^[a-z][A-Za-z0-9-]*$/.test(spec.key))
    throw new Error(`demo ${spec.key}: the key must be letters, digits and -`);
  return { ...spec, after: spec.after ?? [] };
}

/** What demonstration rows are made with. */
export interface DemoContext {
  readonly tx: Tx;
  readonly platform: Platform;
  /** Choices that depend on nothing but the seed and the key of the set. */
  readonly random: DemoRandom;
  /** The instant the rows are alive at. */
  readonly now: Date;
  readonly base: DemoBase;
  /** Holds every menu and element and sees every row; what it does is told as the system's. */
  readonly system: Caller;
  /** The same rights in the name of a staff of the base set. */
  as(account: string): Caller;
  readonly facts: RequestFacts;
  /** Inserts rows that all name the same columns and returns their ids in order; unnamed columns take their defaults. */
  insert(table: string, rows: readonly Readonly<Record<string, unknown>>[]): Promise<number[]>;
  /** Writes a line of a row's timeline at a past instant. */
  tell(entry: TimelineEntry & { readonly at: Date }): Promise<void>;
}

/** The world of the base set, as it stands in the database now. */
export interface DemoBase {
  readonly platformId: number;
  /** Tenants by account (`C01`, `M000001` …). */
  readonly tenants: ReadonlyMap<string, number>;
  readonly merchants: readonly { readonly id: number; readonly account: string; readonly name: string }[];
  readonly centres: readonly { readonly id: number; readonly code: string; readonly name: string }[];
  readonly projects: readonly {
    readonly id: number;
    readonly code: string;
    readonly name: string;
    readonly centreId: number;
  }[];
  readonly departments: readonly { readonly id: number; readonly tenantId: number; readonly code: string }[];
  /** Staff of the base set by account; whoever was added since is not among them. */
  readonly staff: ReadonlyMap<string, DemoStaff>;
}

export interface DemoStaff {
  readonly id: number;
  readonly account: string;
  readonly name: string;
  readonly tenantId: number;
  readonly departmentId: number | null;
}

/** A stream of pseudo-random choices. */
export interface DemoRandom {
  /** A number in [0, 1). */
  next(): number;
  /** An integer from `low` to `high`, both included. */
  int(low: number, high: number): number;
  /** True in `share` of the cases, 0–1. */
  chance(share: number): boolean;
  pick<T>(list: readonly T[]): T;
  /** One element, each as likely as its weight. */
  weighted<T>(list: readonly T[], weight: (item: T) => number): T;
  shuffle<T>(list: readonly T[]): T[];
  /** `count` decimal digits. */
  digits(count: number): string;
  uuid(): string;
}
