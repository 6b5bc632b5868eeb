import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Field, Fields } from '../contract/fields.ts';
import type { Label } from '../contract/label.ts';
import type { Page } from '../contract/page.ts';
import type { ChartPoint, Report } from '../contract/report.ts';
import type { Resource } from '../contract/resource.ts';
import type { Settings } from '../contract/settings.ts';
import type { Tx } from './database.ts';
import type { FieldChange } from './audit/audit.ts';
import type { Caller, RequestFacts } from './people/caller.ts';
import type { ImportTarget } from './tables/import-target.ts';
import type { DatabaseTables } from './tables-of-database.ts';
import type { Platform } from './platform.ts';

/**
 * Who may call: a program in its own right whose token carries a scope (`program`), a menu or element code, any of several codes, every signed-in staff (`staff`), a token that must still
 * change its password (`restricted`), or everybody (`public`, only for the explicit list in mount.ts).
 */
export type Access =
  | { readonly code: string }
  | { readonly anyOf: readonly string[] }
  | { readonly program: string }
  | 'staff'
  | 'restricted'
  | 'public';

/** One call as a handler sees it. */
export interface Call<Q = unknown, B = unknown> {
  readonly caller: Caller;
  readonly facts: RequestFacts;
  readonly platform: Platform;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Q;
  readonly body: B;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** An endpoint: path below /api without trailing slash, both forms are served. */
export interface Endpoint<Q = unknown, B = unknown> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly title: Label;
  readonly access: Access;
  /** Besides a staff's own session a token of an outside program with this scope may call; only for access `staff`. */
  readonly scope?: string;
  /** Schema of the query; unknown names are refused with 422. Absent: the query must be empty or `rawQuery` says otherwise. */
  readonly query?: z.ZodType<Q>;
  /** Schema of the body. Absent: the handler gets what was sent (checked for storable text and depth only). */
  readonly body?: z.ZodType<B>;
  /** Most values a body may hold, for calls that bring many rows at once; default 5000. */
  readonly mostValues?: number;
  /** The handler receives a file; everywhere else a form with files is refused before anybody waits for its end. */
  readonly upload?: boolean;
  /** The handler reads the query itself (list filters). */
  readonly rawQuery?: boolean;
  /** The handler writes the reply itself (files, streams, the token endpoint). */
  readonly rawReply?: boolean;
  /** Works while the session is locked by the lock screen. */
  readonly whileLocked?: boolean;
  /** JSON schema of the answer for OpenAPI. */
  readonly answer?: unknown;
  /** What the handler reads itself, where no schema of above checks it: JSON schemas for OpenAPI. */
  readonly described?: { readonly query?: unknown; readonly body?: unknown };
  handle(call: Call<Q, B>): Promise<unknown>;
}

/** Data of an answer that is JSON text already and is sent as it is. */
export class JsonText {
  constructor(readonly text: string) {}
}

/** What a handler answered, as a value: for code that asks another endpoint. */
export function answerOf(data: unknown): unknown {
  return data instanceof JsonText ? (JSON.parse(data.text) as unknown) : data;
}

/** Declares an endpoint with inferred query and body types, erased for the registry. */
export function endpoint<Q = unknown, B = unknown>(spec: Endpoint<Q, B>): Endpoint {
  return spec as unknown as Endpoint;
}

/** What a run of a job knows of itself. */
export interface JobContext {
  readonly runId: number;
  /** Ends when the run is to stop: somebody asked, its time is over, its process ends. Long work looks at it between pieces. */
  readonly signal: AbortSignal;
  /** Adds a line to the output that jobManager shows while the job runs; 64 KB at most, no personal data. */
  print(line: string): void;
}

/** Work on the durable queue. Names are `<noun>.<verb>`; a repeat must have one effect. */
export interface Job {
  readonly name: string;
  readonly title: Label;
  /** Cron pattern in UTC, or absent for jobs that are only queued. */
  readonly cron?: string;
  /** What may be given to a run, as fields of its form; it is the payload. */
  readonly params?: Fields;
  /** Seconds a run may take until somebody edits the job; default 300. */
  readonly timeoutSeconds?: number;
  /** `context` is there for runs of the schedule; work that was only queued has none. */
  run(payload: unknown, platform: Platform, context?: JobContext): Promise<void>;
}

/** An effect delivered from the outbox after commit, retried with growing pauses until it returns. */
export interface Effect {
  readonly kind: string;
  deliver(payload: never, platform: Platform, outboxId: number): Promise<void>;
}

/** A source of choices for refs and pickers: `GET /api/jinmao/web/options/{target}`. */
export interface OptionSource {
  readonly target: string;
  /** Codes of which the caller needs one; absent: every signed-in staff (rows are still scoped). */
  readonly anyOf?: readonly string[];
  /** What the engine gives every resource; one that is written for the target stands before it. */
  readonly plain?: true;
  find(
    call: { caller: Caller; platform: Platform; facts: RequestFacts },
    query: {
      searchVal: string;
      ids: readonly string[];
      /** Ids of the other filter the choices follow (`within` of the field); none: not narrowed. */
      within?: readonly string[];
      offset: number;
      limit: number;
    },
  ): Promise<
    readonly {
      id: string;
      title: string;
      note?: string;
      parentId?: string | null;
      /** Told by its id only: rows that hold it keep it, none is given it any more. */
      closed?: true;
    }[]
  >;
}

/** A kind of to-do of the home page. Counts obey the data scope and equal the list they open. */
export interface TodoKind {
  readonly kind: string;
  readonly label: Label;
  readonly menu: string;
  /** Path with query that shows exactly the counted rows. */
  readonly route: string;
  /** Shown instead to who holds this menu. */
  readonly rather?: { readonly menu: string; readonly route: string };
  /** How long a count may be kept; default 30 s. */
  readonly keepMs?: number;
  readonly order: number;
  count(call: {
    caller: Caller;
    platform: Platform;
  }): Promise<{ count: number; oldest: Date | null; overdue: number }>;
}

/** What a figure or chart of the home page is asked for: business days, both included, and one project or all in scope. */
export interface HomeQuestion {
  readonly from: string;
  readonly to: string;
  readonly projectId: number | undefined;
}

/** Kind of business a figure or chart belongs to: decides its default place on the home page. */
export type HomeSet = 'trade' | 'finance' | 'property' | 'system';

/** A figure of the home page, declared next to its entity. Values obey the data scope and equal the list they open. */
export interface FigureKind {
  readonly code: string;
  readonly label: Label;
  /** Formula in words, shown on hover. */
  readonly formula: Label;
  readonly kind: 'money' | 'integer';
  readonly menu: string;
  readonly set: HomeSet;
  readonly order: number;
  /** Path with query that shows exactly the counted rows. */
  route(question: HomeQuestion): string;
  /** Values by business day (money in fen); days of nothing may be missing. Absent: the figure is of this moment only. */
  days?(
    call: { caller: Caller; platform: Platform },
    question: HomeQuestion,
  ): Promise<ReadonlyMap<string, number>>;
  /** Value of this moment, for figures without a period. */
  now?(call: { caller: Caller; platform: Platform }, projectId: number | undefined): Promise<number>;
}

/** A chart of the home page. Each point opens the list of exactly its rows. */
export interface HomeChart {
  readonly code: string;
  readonly title: Label;
  readonly kind: 'ring' | 'bar' | 'line' | 'column';
  readonly menu: string;
  readonly set: HomeSet;
  readonly order: number;
  /** What is counted when, where the title does not say it; behind an icon. */
  readonly rule?: Label;
  /** Measures by name: the first is drawn at first. */
  readonly measures: Readonly<Record<string, Label>>;
  points(
    call: { caller: Caller; platform: Platform; facts: RequestFacts },
    question: HomeQuestion,
  ): Promise<readonly ChartPoint[]>;
  /** Path that shows the rows of the point with this key. */
  route(question: HomeQuestion, key: string): string;
}

/** A record prefix for the palette: how a number finds its row. */
export interface RecordPrefix {
  readonly prefix: string;
  /** Texts it can find rows by, when these are no numbers of the prefix (phones, staff numbers). */
  readonly accepts?: (keyword: string) => boolean;
  readonly menu: string;
  readonly label: Label;
  /** Rows in scope by full number or its last digits (six or more). */
  find(
    call: { caller: Caller; platform: Platform },
    number: string,
  ): Promise<readonly { code: string; title: string; route: string }[]>;
}

/** Header of a column of an export. */
export interface ExportColumn {
  readonly title: string;
  readonly kind: 'text' | 'money' | 'integer' | 'instant' | 'decimal';
}

/** A sheet beside the one of the rows. */
export interface ExportSheet {
  readonly title: string;
  readonly columns: readonly ExportColumn[];
  readonly rows: readonly (readonly (string | number | null)[])[];
}

/** A table of values an export writes: header texts and rows in order. */
export interface ExportSource {
  readonly source: string;
  readonly columns: (language: 'zh' | 'en') => readonly ExportColumn[];
  /** Instead of `columns`, where settings or the query name or choose them. */
  columnsOf?(
    call: { caller: Caller; platform: Platform; language: 'zh' | 'en' },
    query: Readonly<Record<string, string>>,
  ): Promise<readonly ExportColumn[]>;
  /** Yields batches; `progress` is told rows done of rows expected. */
  read(
    call: { caller: Caller; platform: Platform; language: 'zh' | 'en' },
    query: Readonly<Record<string, string>>,
  ): AsyncIterable<readonly (readonly (string | number | null)[])[]>;
  /** Further sheets of the workbook, behind that of the rows. */
  sheets?(
    call: { caller: Caller; platform: Platform; language: 'zh' | 'en' },
    query: Readonly<Record<string, string>>,
  ): Promise<readonly ExportSheet[]>;
  /** The parts of one file over what is worked out once for all of them; without it each asks for itself. */
  once?(
    call: { caller: Caller; platform: Platform; language: 'zh' | 'en' },
    query: Readonly<Record<string, string>>,
  ): Promise<Pick<ExportSource, 'count' | 'read' | 'sheets'>>;
  /** Number of rows the export will have, for progress. */
  count(
    call: { caller: Caller; platform: Platform },
    query: Readonly<Record<string, string>>,
  ): Promise<number>;
  /**
   * What the rows depend on beside the menu's scopes and projects: groups one leads, rows whose owner changes. The file is
   * read while all marks it was made by still hold, or while EVERY_ROW does.
   */
  marks?(call: { caller: Caller; platform: Platform }): Promise<readonly string[]>;
}

/** A rule the command `doctor` checks: returns one line per broken thing and how many rows it looked at. */
export interface Invariant {
  readonly name: string;
  check(platform: Platform): Promise<{ looked: number; problems: readonly string[] }>;
}

/** Rules of setting keys that hold wherever one of them is set, declared by the screen that knows them. */
export interface SettingGuard {
  readonly keys: readonly string[];
  /** Why these stored values (by key; undefined: back to the default) cannot stand, behind the locks of who keeps them. */
  check(
    tx: Tx,
    call: Pick<Call, 'caller' | 'platform' | 'facts'>,
    values: ReadonlyMap<string, unknown>,
  ): Promise<Label | undefined>;
}

/** What one server file of a feature gives to the product. */
export interface Registration {
  readonly contract?: Resource | Report | Settings | Page;
  /** Menu codes that have a real screen because of this service. */
  readonly menus: readonly string[];
  /** The menu of the contract shows rows of the own company only, to platform staff too: "all" of it differs by company. */
  readonly ownTenant?: boolean;
  /** Elements of those menus: full code to label. */
  readonly elements: Readonly<Record<string, Label>>;
  readonly endpoints: readonly Endpoint[];
  readonly jobs?: readonly Job[];
  readonly effects?: readonly Effect[];
  readonly options?: readonly OptionSource[];
  readonly todos?: readonly TodoKind[];
  readonly figures?: readonly FigureKind[];
  readonly charts?: readonly HomeChart[];
  readonly prefixes?: readonly RecordPrefix[];
  readonly exports?: readonly ExportSource[];
  readonly imports?: readonly ImportTarget[];
  readonly invariants?: readonly Invariant[];
  readonly settingGuards?: readonly SettingGuard[];
  /** How audit records call the rows of the contract, and which field a recorded column belongs to. */
  readonly audited?: {
    readonly entity: string;
    /** Names its fields may be recorded under. */
    readonly columns: readonly string[];
    fieldOf(column: string): Field | undefined;
    /** A recorded change as this caller may read it, or undefined. */
    read(change: FieldChange, caller: Caller): FieldChange | undefined;
  };
  /** What is declared and the tables of the database contradict; checked at start. */
  readonly tableProblems?: (tables: DatabaseTables) => readonly string[];
  /** Actions of the contract that code of the feature carries out; all others run on the engine alone. */
  readonly handled?: readonly string[];
  /** Clear text of masked fields of one row inside the caller's scope. */
  readonly reveal?: {
    readonly name: string;
    readonly element: string;
    find(caller: Caller, platform: Platform, id: number): Promise<Record<string, string | null> | undefined>;
    /** Names of the fields on a path that calls them otherwise, by the word its tokens carry; others are not given there. */
    readonly paths?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  };
}

/** Declares a service that is no resource. */
export function defineRegistration(
  spec: Partial<Registration> & { readonly endpoints: readonly Endpoint[] },
): Registration {
  return { menus: [], elements: {}, ...spec };
}
