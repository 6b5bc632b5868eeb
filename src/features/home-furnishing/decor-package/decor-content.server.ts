import {
  hundredths,
  percentOf,
  termProblems,
  type DueEvent,
  type WarrantyCategory,
} from '../../../domain/furnishing/decor-version.rules.ts';
import type { StoredVersion, VersionContent } from '../../../domain/furnishing/decor-version.server.ts';
import {
  optionProblem,
  type CancelStage,
  type OptionMode,
  type PriceBasis,
} from '../../../domain/furnishing/price.rules.ts';
import type { RoomKind } from '../../../domain/furnishing/rooms.rules.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { sanitizeRichText } from '../../../kernel/contract/rich-text.rules.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';

type Input = Readonly<Record<string, unknown>>;
const codes = (value: unknown): string[] =>
  typeof value === 'string' ? [...new Set(value.split(/[,，、 ]+/).filter(Boolean))] : [];
const word = (value: unknown): string => (value === null || value === undefined ? '' : String(value).trim());

/** What a form says over what stood before; refuses (422) terms and options that cannot be sold. */
export function contentFrom(input: Input, before: VersionContent | undefined): VersionContent {
  const rows = (name: string) => input[name] as readonly DbRow[] | undefined;
  const content: VersionContent = {
    name: (input.name as string | undefined) ?? before!.name,
    styleId: input.style === undefined ? (before?.styleId ?? null) : (input.style as number | null),
    images: (input.images as string[] | undefined) ?? before!.images,
    projectIds: (input.projects as number[] | undefined) ?? before!.projectIds,
    detailHtml:
      input.detailHtml === undefined ? (before?.detailHtml ?? '') : sanitizeRichText(word(input.detailHtml)),
    days: (input.days as number | undefined) ?? before!.days,
    basis: (input.basis as PriceBasis | undefined) ?? before!.basis,
    minCharge: input.minCharge === undefined ? (before?.minCharge ?? 0) : Number(input.minCharge ?? 0),
    terms: input.terms === undefined ? (before?.terms ?? '') : word(input.terms),
    prices:
      rows('prices')?.map((row) => ({
        houseTypeId: Number(row.houseType),
        amount: Number(row.amount),
        cost: row.cost === null || row.cost === undefined ? null : Number(row.cost),
      })) ?? before!.prices,
    items:
      rows('items')?.map((row) => ({
        room: row.room as RoomKind,
        category: word(row.category),
        name: word(row.name),
        brand: word(row.brand),
        spec: word(row.spec),
        rule: row.rule as OptionMode,
        quantity: Number(row.quantity).toFixed(2),
        included: row.included !== false,
      })) ?? before!.items,
    options:
      rows('options')?.map((row) => ({
        code: word(row.code),
        room: (row.room as RoomKind | null | undefined) ?? null,
        group: word(row.group),
        single: row.single === true,
        name: word(row.name),
        mode: row.mode as OptionMode,
        price: Number(row.price),
        preset: row.preset === true,
        requires: codes(row.requires),
        excludes: codes(row.excludes),
      })) ?? (input.options === null ? [] : (before?.options ?? [])),
    plan:
      rows('plan')?.map((row) => ({
        name: word(row.name),
        share: hundredths(String(row.share)),
        due: row.due as DueEvent,
        dueDays: Number(row.dueDays ?? 0),
      })) ?? before!.plan,
    nodes:
      rows('nodes')?.map((row) => ({ name: word(row.name), weight: hundredths(String(row.weight)) })) ??
      before!.nodes,
    cancel:
      rows('cancelPolicy')?.map((row) => ({
        stage: row.stage as CancelStage,
        fee: Number(row.fee ?? 0),
        share: hundredths(String(row.share ?? 0)),
        nodes: row.nodes === true,
      })) ?? before!.cancel,
    warranty:
      rows('warranty')?.map((row) => ({
        category: row.category as WarrantyCategory,
        months: Number(row.months),
      })) ?? before!.warranty,
  };
  const problems: Record<string, Label> = { ...termProblems(content) };
  const types = content.prices.map((one) => one.houseTypeId);
  if (new Set(types).size < types.length) problems.prices = ['户型重复', 'A house type stands twice'];
  const option = optionProblem(content.options);
  if (option) problems.options = option;
  if (Object.keys(problems).length > 0) throw invalid(problems);
  return content;
}

/** A house type as versions name it, with what a price is worked out from. */
export interface NamedType {
  readonly id: number;
  readonly title: string;
  readonly project: string;
  readonly projectId: number;
  readonly name: string;
  readonly built: string;
  readonly inner: string;
  readonly enabled: boolean;
  readonly rooms: unknown;
}

/** House types by their ids. */
export async function namedTypes(db: Executor, ids: readonly number[]): Promise<Map<number, NamedType>> {
  const rows = await run<NamedType>(
    db,
    `SELECT y.id, p.name || ' · ' || y.name AS title, p.name AS project, y.project_id AS "projectId", y.name, y.built_area::text AS built, y.inner_area::text AS inner, y.enabled, y.rooms
       FROM house_type y JOIN project p ON p.id = y.project_id WHERE y.id = ANY($1::bigint[])`,
    [ids],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** The lines of a version as forms and details show them. */
export async function wireContent(db: Executor, version: StoredVersion): Promise<Record<string, unknown>> {
  const types = await namedTypes(
    db,
    version.prices.map((one) => one.houseTypeId),
  );
  return {
    detailHtml: version.detailHtml,
    days: version.days,
    basis: version.basis,
    minCharge: yuanFromFen(version.minCharge),
    terms: version.terms,
    prices: version.prices.map((one) => ({
      houseType: { id: String(one.houseTypeId), title: types.get(one.houseTypeId)?.title ?? '' },
      amount: yuanFromFen(one.amount),
      cost: one.cost === null ? null : yuanFromFen(one.cost),
    })),
    items: version.items,
    options: version.options.map((one) => ({
      ...one,
      price: yuanFromFen(one.price),
      requires: one.requires.join(','),
      excludes: one.excludes.join(','),
    })),
    plan: version.plan.map((one) => ({ ...one, share: percentOf(one.share) })),
    nodes: version.nodes.map((one) => ({ ...one, weight: percentOf(one.weight) })),
    cancelPolicy: version.cancel.map((one) => ({
      ...one,
      fee: yuanFromFen(one.fee),
      share: percentOf(one.share),
    })),
    warranty: version.warranty,
  };
}
