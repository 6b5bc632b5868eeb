import type { Label } from '../../contract/label.ts';
import type { FieldChange } from '../audit/audit.ts';
import type { Caller } from '../people/caller.ts';
import type { Executor, Tx } from '../database.ts';
import type { Parameters, ScopeColumns } from '../people/scope.ts';
import type { Endpoint, Registration } from '../registration.ts';
import type { ActionContext, ActionResult } from './run-action.ts';

/** SQL of a reference column: the id and the readable title. */
export interface RefColumn {
  readonly id: string;
  readonly title: string;
}

/** A row as the database returns it: column aliases are field names. */
export type DbRow = Record<string, unknown>;

/** How a resource stands in the database and what its actions do. */
export interface Binding {
  /** Table that is written and locked; its alias is `t`. */
  readonly table: string;
  /** What timelines, audit records and counts call the rows, where several resources are views of one table; default the resource's name. */
  readonly entity?: string;
  /** FROM clause; default `{table} t`. Joins must be LEFT JOINs on keys, so that counts can do without them. */
  readonly from?: string;
  /** Condition every row fulfils (`t.kind = 'goods'`). */
  readonly where?: string;
  /** SQL expression per field; default `t.` + field name in snake_case. Refs need id and title. */
  readonly columns?: Readonly<Record<string, string | RefColumn>>;
  /** Column written for a field; default snake_case, refs + `_id`. `false`: a handler writes it. */
  readonly writes?: Readonly<Record<string, string | false>>;
  /** Column of the state; default `state`. */
  readonly stateColumn?: string;
  readonly scope: ScopeColumns;
  /** Text column with a bigram index that holds everything the keyword finds, in lower case. */
  readonly search?: string;
  /** Further exact matches of the keyword, for masked values: `t.contact_phone`. */
  readonly searchExact?: readonly string[];
  /** Named tab conditions. */
  readonly tabs?: Readonly<Record<string, (caller: Caller, parameters: Parameters) => string>>;
  /** Own filter conditions by field, instead of the default of the field's search mode. */
  readonly filters?: Readonly<
    Record<string, (value: string, parameters: Parameters, caller: Caller) => string>
  >;
  /** Columns the row rules need besides the fields: alias to SQL. */
  readonly extra?: Readonly<Record<string, string>>;
  /** Says why an action is refused for this row and caller, or undefined. Runs on lists (hides the button) and in the action (refuses). */
  readonly rowRules?: Readonly<Record<string, (row: DbRow, caller: Caller) => Label | undefined>>;
  /**
   * Names of fields and extra columns the row rules read, besides id and state. Declared, list rows bring just these;
   * left out, they bring every column, which costs a list several times as much.
   */
  readonly ruleReads?: readonly string[];
  /** Work of each action inside the transaction. create, update and remove have a default. */
  readonly handlers?: Readonly<Record<string, (context: ActionContext) => Promise<ActionResult | void>>>;
  /** Adds parts to the detail (`GET {root}/{id}`). */
  readonly detail?: (
    db: Executor,
    id: number,
    row: DbRow,
    caller: Caller,
  ) => Promise<Record<string, unknown>>;
  /** A change of the timeline as this caller may read it, or undefined; left out, it is read as it was written. */
  readonly readChange?: (change: FieldChange, caller: Caller) => FieldChange | undefined;
  /** Adds values to list rows after reading (never per-row queries). */
  readonly present?: (rows: DbRow[], db: Executor, caller: Caller) => Promise<void>;
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
