import type { Label, Language } from '../../contract/label.ts';
import type { FieldChange } from '../audit/audit.ts';
import type { Caller } from '../people/caller.ts';
import type { Executor, Tx } from '../database.ts';
import type { Parameters, ScopeColumns } from '../people/scope.ts';
import type { Resource } from '../../contract/resource.ts';
import type { Use } from './abilities/deletable.ts';
import type { Sets } from './abilities/sets.ts';
import type { Platform } from '../platform.ts';
import type { Endpoint, Registration } from '../registration.ts';
import type { ActionContext, ActionResult } from './run-action.ts';

/** SQL of a reference column: the id and the readable title, with an English one where there are two. */
export interface RefColumn {
  readonly id: string;
  readonly title: string;
  readonly titleEn?: string;
}

/** A row as the database returns it: column aliases are field names. */
export type DbRow = Record<string, unknown>;

/** Another table a reference is titled from. `title` is its column (default `name`), or a whole expression with a dot. */
export interface Join {
  readonly table: string;
  /** Column of the own table; default the field in snake_case + `_id`. */
  readonly column?: string;
  readonly title?: string;
  /** Column of the English title, where the table has one. */
  readonly titleEn?: string;
}

/** A table of pairs: `own` is its column of the own row, `other` that of the row of table `to`, titled by `title` (default `name`). */
export interface Link {
  readonly table: string;
  readonly own: string;
  readonly other: string;
  readonly to: string;
  readonly title?: string;
  /** Column of the English title, where the table has one. */
  readonly titleEn?: string;
}

/** A table of the rows of a field of kind lines: `own` is its column of the parent; it has `id` and `position`. */
export interface LineTable {
  readonly table: string;
  readonly own: string;
  /** References of its fields, titled by `name` unless told otherwise. */
  readonly joins?: Readonly<Record<string, string | Join>>;
}

/** What a declaration adds to a binding. What the binding says itself wins. */
export type Ability = (resource: Resource, binding: Binding) => Binding;

/** How a resource stands in the database and what its actions do. */
export interface Binding<A extends string = string> {
  /** Table that is written and locked; its alias is `t`. */
  readonly table: string;
  /** What timelines, audit records and counts call the rows, where several resources are views of one table; default the resource's name. */
  readonly entity?: string;
  /** FROM clause; default `{table} t`. Joins must be LEFT JOINs on keys, so that counts can do without them. */
  readonly from?: string;
  /** Condition every row fulfils (`t.kind = 'goods'`). */
  readonly where?: string;
  /** Conditions that hold unless the filter of that name is asked for; single rows are always read under them. */
  readonly unfiltered?: Readonly<Record<string, string>>;
  /** SQL expression per field; default `t.` + field name in snake_case. Refs need id and title. */
  readonly columns?: Readonly<Record<string, string | RefColumn>>;
  /** Column written for a field; default snake_case, refs + `_id`. `false`: a handler writes it. */
  readonly writes?: Readonly<Record<string, string | false>>;
  /** Optional fields of the form whose NOT NULL columns `before` fills where nothing was typed. */
  readonly completes?: readonly string[];
  /**
   * References that title themselves: the table, or more about it. What is written to them must be offered by the picker of the
   * field's target.
   */
  readonly joins?: Readonly<Record<string, string | Join>>;
  /** Fields of kind refs kept in a table of pairs. */
  readonly links?: Readonly<Record<string, Link>>;
  /** Fields of kind lines kept in a table of their own; others are a jsonb column. */
  readonly lines?: Readonly<Record<string, LineTable>>;
  /** Texts of unique indexes by their name, instead of 「{field}已存在」. */
  readonly unique?: Readonly<Record<string, Label>>;
  /** What a call over a stale version is told, instead of the common words. */
  readonly stale?: Label;
  /** `deletable`: what rows of other tables are called (false: they do not count). */
  readonly usedBy?: Readonly<Record<string, Label | false>>;
  /** `deletable`: own words of the refusal. */
  readonly inUse?: (uses: readonly Use[]) => Label;
  /** Column of the state; default `state`. */
  readonly stateColumn?: string;
  readonly scope: ScopeColumns;
  /** Stored codes of a field in words, for exports, where the contract cannot know them. */
  readonly words?: Readonly<
    Record<string, (value: unknown, call: { platform: Platform; language: Language }, row: DbRow) => string>
  >;
  /** Text column with a bigram index that holds everything the keyword finds, in lower case. */
  readonly search?: string;
  /** Further exact matches of the keyword, for masked values: `t.contact_phone`, or a condition that names it `:value`. */
  readonly searchExact?: readonly string[];
  /** Own condition of the keyword instead of `search`, where what it may look in depends on the caller. */
  readonly keyword?: (value: string, parameters: Parameters, caller: Caller, platform: Platform) => string;
  /** Named tab conditions. */
  readonly tabs?: Readonly<Record<string, (caller: Caller, parameters: Parameters) => string>>;
  /** Own filter conditions by field, instead of the default of the field's search mode; or why the value is refused. */
  readonly filters?: Readonly<
    Record<
      string,
      (value: string, parameters: Parameters, caller: Caller, platform: Platform) => string | Label
    >
  >;
  /** Columns the row rules need besides the fields: alias to SQL. */
  readonly extra?: Readonly<Record<string, string>>;
  /** Says why an action is refused for this row and caller, or undefined. Runs on lists (hides the button) and in the action (refuses). */
  readonly rowRules?: Readonly<Partial<Record<A, (row: DbRow, caller: Caller) => Label | undefined>>>;
  /**
   * Names of fields and extra columns the row rules read, besides id and state. Declared, list rows bring just these;
   * left out, they bring every column, which costs a list several times as much.
   */
  readonly ruleReads?: readonly string[];
  /**
   * Columns actions write besides the state, where no code is needed: constants, `NOW`, `CALLER`, `fromInput('reason')`. An
   * action with `{}` writes its entry and nothing else. Instead of a handler, not beside one.
   */
  readonly sets?: Readonly<Partial<Record<A, Sets>>>;
  /**
   * Refuses an action by throwing, behind lock, right, state and input: what a row rule cannot know because it has to be read.
   * What it lets pass goes on with its default, `sets` or handler.
   */
  readonly checks?: Readonly<Partial<Record<A, (context: ActionContext) => Promise<void> | void>>>;
  /** Work of each action inside the transaction. create, update and remove have a default. */
  readonly handlers?: Readonly<Partial<Record<A, (context: ActionContext) => Promise<ActionResult | void>>>>;
  /** Abilities declared outside the kernel, such as that of `approvable`. */
  readonly abilities?: readonly Ability[];
  /** Looks at an action behind lock, right, state and input, before its handler; refuses by throwing, may complete `columns`. */
  readonly before?: readonly ((context: ActionContext) => Promise<void>)[];
  /** Writes what hangs on the row after it was written; returns what the timeline tells of it. */
  readonly after?: readonly ((context: ActionContext, id: number) => Promise<readonly FieldChange[]>)[];
  /** Adds parts to the detail (`GET {root}/{id}`). */
  readonly detail?: (
    db: Executor,
    id: number,
    row: DbRow,
    caller: Caller,
  ) => Promise<Record<string, unknown>>;
  /** A change of the timeline as this caller may read it, or undefined; left out, it is read as it was written. */
  readonly readChange?: (change: FieldChange, caller: Caller) => FieldChange | undefined;
  /** Adds values to list rows after reading (never per-row queries); `filters` are those of the list, none for a single row. */
  readonly present?: (
    rows: DbRow[],
    db: Executor,
    caller: Caller,
    platform: Platform,
    filters: Readonly<Record<string, string>>,
  ) => Promise<void>;
  /** Values a created row gets besides the input: tenant, creator defaults. */
  readonly createDefaults?: (tx: Tx, caller: Caller) => Promise<Record<string, unknown>>;
  /** Readable number for created rows: prefix of code_counter. */
  readonly codePrefix?: string;
  readonly codeColumn?: string;
  /** Text shown by options and palette; default the title field. */
  readonly optionNote?: string;
  /** What paths with names of their own call masked fields; see `paths` of a registration's reveal. */
  readonly revealPaths?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly endpoints?: readonly Endpoint[];
  /** Jobs, effects, to-dos and so on declared next to the resource. */
  readonly also?: Partial<Omit<Registration, 'contract' | 'endpoints'>>;
}
