import type { Fields } from './fields.ts';
import type { Label } from './label.ts';

/** A figure above the charts: value of the period, change against the previous equal period, spark line. */
export interface FigureSpec {
  readonly label: Label;
  readonly kind: 'money' | 'integer' | 'decimal' | 'percent' | 'minutes';
  /** Decimals of a percent or decimal; default 2. */
  readonly scale?: number;
  /** Formula in words, shown on hover. */
  readonly formula: Label;
}

/** A chart over the rows of one series of the report's answer. */
export interface ChartSpec {
  readonly key: string;
  readonly title: Label;
  readonly kind: 'ring' | 'bar' | 'line' | 'column';
  /** Names of the measures that can be switched; the first is shown at first. */
  readonly measures: readonly string[];
  /** Filter that a click on a point sets; the point's `key` is its value. */
  readonly drillFilter?: string;
  /** Menu that a click on a point opens instead; the point's `key` is the query of exactly its rows (`state=to_pay&merchant=7`). */
  readonly drillMenu?: string;
}

/** A column figure that opens another screen filtered to exactly its rows. */
export interface DrillSpec {
  readonly column: string;
  readonly menu: string;
}

/** Parameters in, figures, charts and a table out. */
export interface ReportSpec {
  readonly name: string;
  readonly menu: string;
  readonly title: Label;
  readonly purpose?: Label;
  /** Filters. A field of kind dateRange named `range` is required by every report. */
  readonly parameters: Fields;
  readonly figures: Readonly<Record<string, FigureSpec>>;
  readonly charts: readonly ChartSpec[];
  /** Columns of the table. */
  readonly fields: Fields;
  readonly columns: readonly string[];
  readonly sort: string;
  readonly drills?: readonly DrillSpec[];
  /** Longest range in days. */
  readonly maxDays?: number;
  /** What is wrong with a range, where the other parameters have a say in it; both sides ask. */
  readonly rangeRule?: (
    from: string,
    to: string,
    parameters: Readonly<Record<string, string>>,
  ) => Label | undefined;
  readonly export?: boolean;
  /** The export is a workbook: behind the table a sheet for figures, one for each chart, and the definitions. */
  readonly workbook?: boolean;
  /** The export ends with the row of sums. */
  readonly exportSums?: boolean;
}

export interface Report extends ReportSpec {
  readonly archetype: 'report';
}

/** A figure on the wire. `spark` has seven points. */
export interface FigureValue {
  readonly value: string | null;
  readonly previous: string | null;
  readonly spark: readonly number[];
  /** The formula with its numbers: 5 ÷ (5 + 2). */
  readonly working?: string;
}

/** One point of a chart on the wire: measures by name as numbers (money in yuan). */
export interface ChartPoint {
  readonly key: string;
  readonly label: string;
  readonly values: Readonly<Record<string, number>>;
}

/** The answer of a report. */
export interface ReportAnswer {
  readonly figures: Readonly<Record<string, FigureValue>>;
  readonly charts: Readonly<Record<string, readonly ChartPoint[]>>;
  readonly total: number;
  readonly rows: readonly Record<string, unknown>[];
  readonly sums: Readonly<Record<string, unknown>>;
  /** Titles instead of the declared ones; null leaves a column out. */
  readonly titles?: Readonly<Record<string, Label | null>>;
  readonly asOf: string;
}

/** Declares a report. Throws when columns or sort name unknown fields. */
export function defineReport(spec: ReportSpec): Report {
  for (const name of [...spec.columns, spec.sort.replace(/^-/, '')])
    if (!spec.fields[name]) throw new Error(`Report ${spec.name}: unknown column ${name}`);
  for (const chart of spec.charts)
    if (chart.drillFilter && !spec.parameters[chart.drillFilter])
      throw new Error(
        `Report ${spec.name}: chart ${chart.key} drills into unknown parameter ${chart.drillFilter}`,
      );
  return { ...spec, archetype: 'report' };
}
