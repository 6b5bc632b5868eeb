import type { Label } from '../../kernel/contract/label.ts';
import { run, type Executor } from '../../kernel/server/database.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { DISPLAY_LISTS, type DisplayListCode } from './display-lists.rules.ts';

/** Where the items of a list come from; declared by the folder that owns them, in the order they have by themselves. */
export interface DisplayItems {
  readonly list: DisplayListCode;
  /** What kind of row an item is: `business`, `productClass`. */
  readonly type: string;
  read(db: Executor): Promise<readonly { readonly id: string; readonly title: Label }[]>;
}

declare module '../../kernel/server/registration.ts' {
  interface Registration {
    /** Items of lists of the owners' app that are put in order on listSort. */
    readonly displayItems?: readonly DisplayItems[];
  }
}

/** An item in its place. */
export interface PlacedItem {
  readonly type: string;
  readonly id: string;
  readonly title: Label;
  readonly shown: boolean;
  /** Nobody has given it a place yet: it stands at the end. */
  readonly fresh: boolean;
}

type Registrations = Pick<Platform, 'registrations'>;

/** Lists somebody declares items for. */
export function displayListsOf({ registrations }: Registrations): readonly DisplayListCode[] {
  const declared = new Set(registrations.flatMap((one) => one.displayItems ?? []).map((one) => one.list));
  return (Object.keys(DISPLAY_LISTS) as DisplayListCode[]).filter((code) => declared.has(code));
}

/**
 * The items of a list in the order of a project, or of the default. A project without an order of its own follows the
 * default; items nobody has placed come last, shown; what does not exist any more is left out.
 */
export async function displayOrderOf(
  db: Executor,
  platform: Registrations,
  list: DisplayListCode,
  projectId: number | null,
): Promise<readonly PlacedItem[]> {
  const sources = platform.registrations
    .flatMap((one) => one.displayItems ?? [])
    .filter((one) => one.list === list);
  const existing: PlacedItem[] = [];
  for (const source of sources)
    for (const item of await source.read(db))
      existing.push({ ...item, type: source.type, shown: true, fresh: true });
  const rows = await run<{ project_id: number | null; item_type: string; item_id: string; shown: boolean }>(
    db,
    `SELECT o.project_id, i.item_type, i.item_id, i.shown FROM display_order o JOIN display_order_item i ON i.order_id = o.id
      WHERE o.list_code = $1 AND (o.project_id IS NULL OR o.project_id = $2) ORDER BY i.position, i.id`,
    [list, projectId],
  );
  const place = (items: readonly PlacedItem[], own: typeof rows): PlacedItem[] => {
    const left = new Map(items.map((item) => [keyOf(item), item]));
    const placed = own.flatMap((row) => {
      const key = `${row.item_type}:${row.item_id}`;
      const item = left.get(key);
      left.delete(key);
      return item ? [{ ...item, shown: row.shown, fresh: false }] : [];
    });
    // What the order above hides stays hidden until somebody places it here.
    return [
      ...placed,
      ...[...left.values()].map((item) => ({ ...item, fresh: own.length > 0 || item.fresh })),
    ];
  };
  const standard = place(
    existing,
    rows.filter((row) => row.project_id === null),
  );
  if (projectId === null) return standard;
  const own = rows.filter((row) => row.project_id !== null);
  return own.length === 0 ? standard : place(standard, own);
}

const keyOf = (item: Pick<PlacedItem, 'type' | 'id'>): string => `${item.type}:${item.id}`;
