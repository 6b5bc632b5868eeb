/** A test by its file, seen from the project, and its whole name as written there (for `test.each`: the written pattern). */
export type Proof = readonly [file: string, test: string];

/** What shows a line of a group's requirements: the tests that prove all of it together, and what is not built yet. */
export interface ShownLine {
  readonly tests: readonly Proof[];
  /** The part of the line that belongs to something the product does not have yet. */
  readonly missing?: string;
}

/** The lines "Must show" of one group, in `src/features/<group>/must-show.ts`; src/app/must-show.test.ts holds them to the files. */
export interface MustShow {
  /** Number of the group, as the titles of tests in other folders name it: "group 21 Must show 3: …". */
  readonly group: string;
  /** How many lines the group has where they are not 15. */
  readonly count?: number;
  /** All of them, unless `partly`. */
  readonly lines: Readonly<Record<number, ShownLine>>;
  readonly partly?: boolean;
  /** What people get wrong, or try, each with the tests that show it: "Bad input, <kind> …". */
  readonly badInput?: Readonly<Record<string, readonly Proof[]>>;
}

/** Declares the lines of a group. */
export function defineMustShow(spec: MustShow): MustShow {
  return spec;
}
