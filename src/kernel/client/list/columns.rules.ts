import type { Field } from '../../contract/fields.ts';
import { fieldsOf, type ResourceSpec } from '../../contract/resource.ts';

/** How a staff arranged one column. */
export interface ColumnChoice {
  readonly name: string;
  readonly hidden?: boolean;
  /** Pixels. */
  readonly width?: number;
  readonly pin?: boolean;
}

/** A column ready to be shown. */
export interface ColumnPlan extends ColumnChoice {
  readonly field: Field;
  readonly width: number;
}

const WIDTHS: Partial<Record<Field['kind'], number>> = {
  code: 168,
  text: 160,
  longText: 220,
  richText: 200,
  money: 116,
  integer: 92,
  decimal: 100,
  percent: 92,
  choice: 116,
  boolean: 84,
  date: 112,
  instant: 120,
  dateRange: 200,
  ref: 144,
  refs: 180,
  treeRef: 160,
  phone: 140,
  idNumber: 190,
  email: 190,
  personName: 112,
  image: 72,
  images: 96,
  file: 160,
  files: 120,
  json: 200,
  tags: 180,
  lines: 92,
};

/** Narrowest and widest column in pixels. */
export const COLUMN_LIMITS = { min: 56, max: 640 } as const;

/** Pixels a column takes unless contract or staff say otherwise. */
export function defaultWidth(field: Field): number {
  return field.width ?? WIDTHS[field.kind] ?? 140;
}

/** The contract's own arrangement: columns in order, the linking one pinned, then further fields that start hidden. */
export function defaultColumns(resource: ResourceSpec): ColumnChoice[] {
  const hidden = new Set(resource.list.hidden ?? []);
  const link = resource.list.link ?? resource.list.columns[0];
  const names = [...new Set([...resource.list.columns, ...hidden])];
  return names.map((name) =>
    hidden.has(name) ? { name, hidden: true } : name === link ? { name, pin: true } : { name },
  );
}

/**
 * Merges what a staff or a saved view kept with the contract: unknown names are dropped (and counted in `skipped`),
 * columns the contract gained since are added at their place, widths stay inside the limits.
 */
export function mergeColumns(
  resource: ResourceSpec,
  kept: readonly ColumnChoice[] | undefined,
): { columns: ColumnChoice[]; skipped: number } {
  const defaults = defaultColumns(resource);
  if (!Array.isArray(kept) || kept.length === 0) return { columns: defaults, skipped: 0 };
  const allowed = new Set(defaults.map((column) => column.name));
  const known = kept.filter((column) => allowed.has(column.name));
  const names = new Set(known.map((column) => column.name));
  const columns = known.map(cleaned);
  defaults.forEach((column, index) => {
    if (!names.has(column.name)) columns.splice(Math.min(index, columns.length), 0, column);
  });
  return { columns, skipped: kept.length - known.length };
}

/** The visible columns with fields and widths, pinned ones first. */
export function planColumns(resource: ResourceSpec, columns: readonly ColumnChoice[]): ColumnPlan[] {
  const fields = fieldsOf(resource);
  const plans = columns
    .filter((column) => !column.hidden && fields[column.name])
    .map((column) => {
      const field = fields[column.name]!;
      return { ...column, field, width: column.width ?? defaultWidth(field) };
    });
  return [...plans.filter((column) => column.pin), ...plans.filter((column) => !column.pin)];
}

/** True when two arrangements show the same thing. */
export function sameColumns(one: readonly ColumnChoice[], other: readonly ColumnChoice[]): boolean {
  return JSON.stringify(one.map(cleaned)) === JSON.stringify(other.map(cleaned));
}

function cleaned(column: ColumnChoice): ColumnChoice {
  const width = column.width === undefined ? undefined : Math.round(column.width);
  return {
    name: column.name,
    ...(column.hidden ? { hidden: true } : {}),
    ...(width === undefined || Number.isNaN(width)
      ? {}
      : { width: Math.min(COLUMN_LIMITS.max, Math.max(COLUMN_LIMITS.min, width)) }),
    ...(column.pin ? { pin: true } : {}),
  };
}
