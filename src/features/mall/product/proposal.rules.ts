import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import type { SpecInput } from './spec.rules.ts';

/** What buyers read or pay: a published product changes these only by review. Amounts in fen. */
export interface ReviewedContent {
  readonly name: string;
  readonly summary: string;
  readonly images: readonly string[];
  readonly featured: readonly string[];
  readonly detailHtml: string;
  readonly labels: readonly string[];
  readonly afterSaleText: string;
  readonly classIds: readonly number[];
  readonly projectIds: readonly number[];
  readonly specs: readonly SpecContent[];
}

/** One spec as it is sold. `id` null: proposed only; `stock` is the opening stock of such a one. */
export interface SpecContent extends Omit<SpecInput, 'stock'> {
  readonly stock: number | null;
}

/** The reviewed part of an edit, kept in product_review.payload until somebody decides. Absent: unchanged. */
export interface Proposal {
  readonly name?: string;
  readonly summary?: string;
  readonly images?: readonly string[];
  readonly featured?: readonly string[];
  readonly detailHtml?: string;
  readonly labels?: readonly string[];
  readonly afterSaleText?: string;
  readonly classIds?: readonly number[];
  readonly projectsAdded?: readonly number[];
  readonly specsChanged?: readonly SpecChange[];
  readonly specsAdded?: readonly SpecInput[];
  readonly specsRemoved?: readonly number[];
  /** Staff who had a part in it: none of them may review it. */
  readonly applicants?: readonly number[];
}

/** What is proposed for a spec that exists. Amounts in fen. */
export interface SpecChange {
  readonly id: number;
  readonly name?: string;
  readonly price?: number;
  readonly marketPrice?: number | null;
  readonly unit?: string;
  readonly imageId?: string | null;
}

/** One line of a review: `percent` is the change of a price, with sign and two digits. Money as yuan text. */
export interface Difference {
  readonly field: string;
  /** Name of the spec the line is about. */
  readonly spec?: string;
  readonly before: unknown;
  readonly after: unknown;
  readonly percent?: string;
}

/** What the lines of a review are called. */
export const DIFFERENCE_LABELS: Readonly<Record<string, Label>> = {
  name: ['名称', 'Name'],
  summary: ['简介', 'Summary'],
  images: ['商品图', 'Images'],
  featured: ['展示图', 'Featured images'],
  specImage: ['规格图', 'Spec image'],
  detailHtml: ['图文详情', 'Description'],
  labels: ['标签', 'Labels'],
  afterSaleText: ['售后说明', 'After-sale text'],
  classes: ['分类', 'Class'],
  projects: ['新增项目', 'Added projects'],
  specName: ['规格名称', 'Spec name'],
  price: ['价格', 'Price'],
  marketPrice: ['市场价', 'Market price'],
  unit: ['单位', 'Unit'],
  specAdded: ['新增规格', 'Added spec'],
  specRemoved: ['删除规格', 'Removed spec'],
};

const PLAIN = ['name', 'summary', 'images', 'featured', 'detailHtml', 'labels', 'afterSaleText'] as const;
const OF_SPEC = ['name', 'price', 'marketPrice', 'unit', 'imageId'] as const;

/**
 * The reviewed part of what an edit wants, or undefined when nothing of it differs from the live version. Projects
 * taken away are no part of it: they leave at once. Source: group 08, mm_commodityMana, states (3 edited).
 */
export function proposalOf(live: ReviewedContent, wanted: ReviewedContent): Proposal | undefined {
  const proposal: Record<string, unknown> = {};
  for (const name of PLAIN) if (!same(live[name], wanted[name])) proposal[name] = wanted[name];
  if (!same(sorted(live.classIds), sorted(wanted.classIds))) proposal.classIds = sorted(wanted.classIds);
  const added = wanted.projectIds.filter((id) => !live.projectIds.includes(id));
  if (added.length > 0) proposal.projectsAdded = sorted(added);
  const before = new Map(live.specs.map((spec) => [spec.id, spec]));
  const kept = new Set(wanted.specs.map((spec) => spec.id));
  const changed = wanted.specs.flatMap((spec): SpecChange[] => {
    const old = spec.id === null ? undefined : before.get(spec.id);
    if (!old) return [];
    const change: Record<string, unknown> = {};
    for (const name of OF_SPEC) if (old[name] !== spec[name]) change[name] = spec[name];
    return Object.keys(change).length > 0 ? [{ id: spec.id!, ...change }] : [];
  });
  if (changed.length > 0) proposal.specsChanged = changed;
  const fresh = wanted.specs.filter((spec) => spec.id === null);
  if (fresh.length > 0) proposal.specsAdded = fresh;
  const removed = live.specs.flatMap((spec) => (spec.id !== null && !kept.has(spec.id) ? [spec.id] : []));
  if (removed.length > 0) proposal.specsRemoved = removed;
  return Object.keys(proposal).length > 0 ? (proposal as Proposal) : undefined;
}

/** The live version with a proposal on top: what an editor goes on with and what passing makes live. */
export function withProposal(live: ReviewedContent, proposal: Proposal | undefined): ReviewedContent {
  if (!proposal) return live;
  const changes = new Map((proposal.specsChanged ?? []).map((change) => [change.id, change]));
  const removed = new Set(proposal.specsRemoved ?? []);
  return {
    name: proposal.name ?? live.name,
    summary: proposal.summary ?? live.summary,
    images: proposal.images ?? live.images,
    featured: proposal.featured ?? live.featured,
    detailHtml: proposal.detailHtml ?? live.detailHtml,
    labels: proposal.labels ?? live.labels,
    afterSaleText: proposal.afterSaleText ?? live.afterSaleText,
    classIds: proposal.classIds ?? live.classIds,
    projectIds: [...new Set([...live.projectIds, ...(proposal.projectsAdded ?? [])])],
    specs: [
      ...live.specs
        .filter((spec) => spec.id === null || !removed.has(spec.id))
        .map((spec) => ({ ...spec, ...(spec.id === null ? {} : changes.get(spec.id)) })),
      ...(proposal.specsAdded ?? []),
    ],
  };
}

/** The lines a reviewer reads. `titles` gives names of classes and projects by id. */
export function differencesOf(
  live: ReviewedContent,
  proposal: Proposal,
  titles: { readonly classes: ReadonlyMap<number, string>; readonly projects: ReadonlyMap<number, string> },
): Difference[] {
  const lines: Difference[] = [];
  for (const name of PLAIN)
    if (proposal[name] !== undefined) lines.push({ field: name, before: live[name], after: proposal[name] });
  const named = (ids: readonly number[], from: ReadonlyMap<number, string>) =>
    ids.map((id) => from.get(id) ?? String(id));
  if (proposal.classIds)
    lines.push({
      field: 'classes',
      before: named(live.classIds, titles.classes),
      after: named(proposal.classIds, titles.classes),
    });
  if (proposal.projectsAdded)
    lines.push({ field: 'projects', before: [], after: named(proposal.projectsAdded, titles.projects) });
  for (const change of proposal.specsChanged ?? []) {
    const old = live.specs.find((spec) => spec.id === change.id);
    if (!old) continue;
    if (change.name !== undefined)
      lines.push({ field: 'specName', spec: old.name, before: old.name, after: change.name });
    if (change.price !== undefined)
      lines.push({
        field: 'price',
        spec: old.name,
        before: yuanFromFen(old.price),
        after: yuanFromFen(change.price),
        percent: percentText(old.price, change.price),
      });
    if (change.marketPrice !== undefined)
      lines.push({
        field: 'marketPrice',
        spec: old.name,
        before: yuanOrNull(old.marketPrice),
        after: yuanOrNull(change.marketPrice),
      });
    if (change.unit !== undefined)
      lines.push({ field: 'unit', spec: old.name, before: old.unit, after: change.unit });
    if (change.imageId !== undefined)
      lines.push({
        field: 'specImage',
        spec: old.name,
        before: old.imageId === null ? [] : [old.imageId],
        after: change.imageId === null ? [] : [change.imageId],
      });
  }
  for (const spec of proposal.specsAdded ?? [])
    lines.push({ field: 'specAdded', spec: spec.name, before: null, after: yuanFromFen(spec.price) });
  for (const id of proposal.specsRemoved ?? []) {
    const old = live.specs.find((spec) => spec.id === id);
    if (old)
      lines.push({ field: 'specRemoved', spec: old.name, before: yuanFromFen(old.price), after: null });
  }
  return lines;
}

/** Change from one price (fen, above 0) to another in percent with sign and two digits: `+50.25`. */
export function percentText(before: number, after: number): string {
  const hundredths = Math.round(((after - before) * 10_000) / before);
  const text = `${Math.floor(Math.abs(hundredths) / 100)}.${String(Math.abs(hundredths) % 100).padStart(2, '0')}`;
  return `${hundredths < 0 ? '-' : '+'}${text}`;
}

/** Whether a proposal changes nothing but prices, each by at most so many percent of the live one. */
export function smallPriceChange(live: ReviewedContent, proposal: Proposal, percent: number): boolean {
  const { specsChanged, applicants: _applicants, ...others } = proposal;
  if (!specsChanged || specsChanged.length === 0) return false;
  if (Object.values(others).some((value) => value !== undefined)) return false;
  return specsChanged.every(({ id, price, ...rest }) => {
    const old = live.specs.find((spec) => spec.id === id);
    if (!old || price === undefined || Object.keys(rest).length > 0) return false;
    return Math.abs(price - old.price) * 100 <= old.price * percent;
  });
}

function yuanOrNull(fen: number | null): string | null {
  return fen === null ? null : yuanFromFen(fen);
}

function sorted(ids: readonly number[]): number[] {
  return [...ids].sort((a, b) => a - b);
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
