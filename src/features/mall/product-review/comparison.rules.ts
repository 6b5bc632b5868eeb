import type { FileValue } from '../../../kernel/contract/fields.ts';
import { textOf, type Language } from '../../../kernel/contract/label.ts';
import { DIFFERENCE_LABELS } from '../product/proposal.rules.ts';
import type { SpecWire } from '../product/spec.rules.ts';

/** What buyers read of one version of a product, as it travels. */
export interface ComparedContent {
  readonly name: string;
  readonly summary: string;
  readonly labels: readonly string[];
  readonly afterSaleText: string;
  readonly detailHtml: string;
  readonly images: readonly FileValue[];
  readonly featured: readonly FileValue[];
  readonly classes: readonly string[];
  readonly projects: readonly string[];
}

/** A spec of both versions. `percent` is the change of its price, with sign. */
export interface ComparedSpec {
  readonly live: SpecWire | null;
  readonly proposed: SpecWire | null;
  readonly mark: 'same' | 'changed' | 'added' | 'removed';
  readonly percent: string | null;
}

/** A proposal beside what is live; `live` is null where nothing was on sale or the proposal is decided. */
export interface ReviewComparison {
  readonly live: ComparedContent | null;
  readonly proposed: ComparedContent;
  readonly specs: readonly ComparedSpec[];
}

/** Parts of the content in the order a reviewer reads them. */
export const COMPARED_FIELDS = [
  'name',
  'summary',
  'images',
  'featured',
  'classes',
  'projects',
  'labels',
  'afterSaleText',
  'detailHtml',
] as const;

/** Whether a part of the content differs between the versions. */
export function differs(comparison: ReviewComparison, field: (typeof COMPARED_FIELDS)[number]): boolean {
  return (
    comparison.live !== null &&
    JSON.stringify(comparison.live[field]) !== JSON.stringify(comparison.proposed[field])
  );
}

/** Minutes in words: 3 天 4 小时. */
export function waitedText(minutes: number, language: Language): string {
  const days = Math.floor(minutes / 1_440);
  const hours = Math.floor((minutes % 1_440) / 60);
  const rest = minutes % 60;
  const zh = language === 'zh';
  if (days > 0) return zh ? `${days} 天 ${hours} 小时` : `${days} d ${hours} h`;
  if (hours > 0) return zh ? `${hours} 小时 ${rest} 分` : `${hours} h ${rest} min`;
  return zh ? `${rest} 分` : `${rest} min`;
}

/** A line of a review as the list reads it; only prices bring their figures. */
export interface ChangeLine {
  readonly field: string;
  readonly spec?: string;
  readonly before?: unknown;
  readonly after?: unknown;
  readonly percent?: string;
}

/** Parts named at most in one row of the list. */
const NAMED = 4;

/** What a review changes in one line: prices with their figures, everything else by its name. */
export function changesText(lines: readonly ChangeLine[], language: Language): string {
  const parts = lines.map((line) =>
    line.field === 'price'
      ? `${line.spec ? `${line.spec} ` : ''}${String(line.before)} → ${String(line.after)} (${line.percent ?? ''} %)`
      : textOf(DIFFERENCE_LABELS[line.field] ?? [line.field, line.field], language),
  );
  const all = [...new Set(parts)];
  const told = all.slice(0, NAMED).join(language === 'zh' ? '、' : ', ');
  return all.length > NAMED ? `${told} …` : told;
}
