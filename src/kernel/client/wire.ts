import type { ResourceSpec } from '../contract/resource.ts';

/** A row as it comes from the server, before a contract gives its fields a type. */
export interface RowData {
  readonly id: string;
  readonly version: number;
  /** Names of the row actions the caller may take now. */
  readonly actions: readonly string[];
  readonly encryptionField?: string;
  readonly [field: string]: unknown;
}

/** The answer of a list. */
export interface PageAnswer {
  readonly total: number;
  readonly totalCapped?: boolean;
  readonly rows: readonly RowData[];
  readonly nextCursor?: string;
}

/** One change of a field as timeline and history show it. */
export interface FieldChange {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** One entry of a row's timeline. Texts come in the caller's language. */
export interface TimelineEntry {
  readonly id: string;
  readonly at: string;
  readonly who: string | null;
  readonly action: string;
  readonly label: string;
  readonly from?: string | null;
  readonly to?: string | null;
  readonly remark?: string | null;
  readonly changes?: readonly FieldChange[] | null;
}

/** The versions of rows as they are shown, for a bulk action: what was changed since is left out and said. */
export function versionsOf(rows: readonly RowData[]): Readonly<Record<string, number>> {
  return Object.fromEntries(
    rows.flatMap((row) => (row.version === undefined ? [] : [[row.id, row.version]])),
  );
}

/** What a bulk action did to each row. */
export interface BulkAnswer {
  readonly done: readonly string[];
  readonly failed: readonly { readonly id: string; readonly message: string }[];
}

/** One entry of `/options/{target}`. `parentId` makes a tree of them. */
export interface OptionEntry {
  readonly id: string;
  readonly title: string;
  readonly note?: string;
  readonly parentId?: string | null;
}

/** Where a resource lives on the server. */
export function rootOf(resource: Pick<ResourceSpec, 'name' | 'base'>): string {
  return `/api${resource.base ?? '/jinmao/web'}/${resource.name}`;
}

/** React Query keys of a resource; invalidating `all` refreshes list, counts, rows and timelines. */
export const keysOf = {
  all: (name: string) => ['resource', name] as const,
  page: (name: string, query?: unknown) =>
    ['resource', name, 'page', ...(query === undefined ? [] : [query])] as const,
  counts: (name: string, query?: unknown) =>
    ['resource', name, 'counts', ...(query === undefined ? [] : [query])] as const,
  sums: (name: string, query: unknown) => ['resource', name, 'sums', query] as const,
  row: (name: string, id: string) => ['resource', name, 'row', id] as const,
  timeline: (name: string, id: string) => ['resource', name, 'timeline', id] as const,
  /** What waits for the staff: home page and bell. */
  todos: ['home', 'todo'] as const,
};
