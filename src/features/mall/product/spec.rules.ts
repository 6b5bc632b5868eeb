import { fenFromYuan } from '../../../kernel/contract/money.rules.ts';
import { fill, type Label } from '../../../kernel/contract/label.ts';
import { isStorableText } from '../../../kernel/contract/input.ts';

/** Stands between the values of a spec name: 红色 / L. */
export const SPEC_SEPARATOR = ' / ';
/** Limits of the spec matrix. Source: group 08, mm_commodityMana, form. */
export const SPEC_LIMITS = {
  dimensions: 3,
  values: 10,
  specs: 100,
  price: 99_999_999,
  stock: 999_999,
} as const;
/** Refusal of a product without specs. Source: group 08, mm_commodityMana. */
export const NO_SPEC: Label = ['请至少添加一个规格', 'Please add at least one spec'];
/** Refusal of a combination that stands twice. Source: group 08, mm_commodityMana. */
export const DOUBLE_SPEC: Label = ['规格重复', 'The spec stands twice'];

/** One spec of the form. Amounts in fen, weight in grams. `id` null: new; `stock` only for new ones. */
export interface SpecInput {
  readonly id: number | null;
  readonly name: string;
  readonly price: number;
  readonly marketPrice: number | null;
  readonly stock: number | null;
  readonly stockAlert: number;
  readonly unit: string;
  readonly weightG: number;
  readonly barcode: string | null;
  /** Picture of this spec; null: that of the product. */
  readonly imageId: string | null;
}

/** One spec on the wire: money as yuan text, ids as text. */
export interface SpecWire {
  readonly id?: string;
  readonly name: string;
  readonly price: string;
  readonly marketPrice: string | null;
  readonly stock?: number;
  readonly stockAlert: number;
  readonly unit: string;
  readonly weightG: number;
  readonly barcode: string | null;
  readonly imageId: string | null;
}

/** What is wrong with one cell of the matrix, or with the whole when `index` is absent. */
export interface SpecProblem {
  readonly index?: number;
  readonly field?: keyof SpecWire;
  readonly message: Label;
}

/**
 * Reads the specs of a form or request and says what is wrong with them; the same function on both sides. Specs with
 * problems are left out. Source: group 08, mm_commodityMana, form (规格) and refusals.
 */
export function readSpecs(value: unknown): { specs: SpecInput[]; problems: SpecProblem[] } {
  if (!Array.isArray(value) || value.length === 0) return { specs: [], problems: [{ message: NO_SPEC }] };
  const problems: SpecProblem[] = [];
  if (value.length > SPEC_LIMITS.specs)
    return {
      specs: [],
      problems: [{ message: fill(['最多{n}个规格', 'At most {n} specs'], { n: SPEC_LIMITS.specs }) }],
    };
  const specs: SpecInput[] = [];
  const names = new Set<string>();
  const barcodes = new Set<string>();
  value.forEach((entry: unknown, index) => {
    const before = problems.length;
    const spec = readSpec(entry, (field, message) => problems.push({ index, field, message }));
    if (spec === undefined || problems.length > before) return;
    if (names.has(spec.name)) problems.push({ index, field: 'name', message: DOUBLE_SPEC });
    names.add(spec.name);
    if (spec.barcode && barcodes.has(spec.barcode))
      problems.push({ index, field: 'barcode', message: ['条码重复', 'The barcode stands twice'] });
    if (spec.barcode) barcodes.add(spec.barcode);
    specs.push(spec);
  });
  const shape = matrixProblem([...names]);
  if (shape) problems.push({ message: shape });
  return { specs, problems };
}

/** The first problem as one sentence, naming the spec. */
export function specProblemText(problems: readonly SpecProblem[]): Label | undefined {
  const first = problems.find((one) => one.message === DOUBLE_SPEC) ?? problems[0];
  if (!first || first.index === undefined || first.message === DOUBLE_SPEC) return first?.message;
  return [`第${first.index + 1}个规格：${first.message[0]}`, `Spec ${first.index + 1}: ${first.message[1]}`];
}

/** Values of each dimension in the order they appear; one dimension when the names do not all split alike. */
export function dimensionsOf(names: readonly string[]): string[][] {
  const split = names.map((name) => name.split(SPEC_SEPARATOR));
  const count = split[0]?.length ?? 0;
  if (count === 0) return [];
  if (count > SPEC_LIMITS.dimensions || split.some((parts) => parts.length !== count))
    return [[...new Set(names)]];
  return Array.from({ length: count }, (_, at) => [...new Set(split.map((parts) => parts[at]!))]);
}

/** Every combination of the dimensions' values as a spec name, the last dimension running fastest. */
export function combinationsOf(dimensions: readonly (readonly string[])[]): string[] {
  const filled = dimensions.filter((values) => values.length > 0);
  if (filled.length === 0) return [];
  return filled
    .reduce<string[][]>((rows, values) => rows.flatMap((row) => values.map((value) => [...row, value])), [[]])
    .map((row) => row.join(SPEC_SEPARATOR));
}

/** A spec while it is being typed: numbers may still be missing. */
export type SpecDraft = { readonly [K in keyof SpecWire]: K extends 'name' ? string : SpecWire[K] | null };

/** A new spec of the matrix; unit and alert are those of the spec before it. */
export function newSpec(name: string, like?: SpecDraft): SpecDraft {
  return {
    name,
    price: like?.price ?? '',
    marketPrice: like?.marketPrice ?? null,
    stock: 0,
    stockAlert: like?.stockAlert ?? 10,
    unit: like?.unit ?? '',
    weightG: like?.weightG ?? 0,
    barcode: null,
    imageId: null,
  };
}

/**
 * The specs of changed dimensions: a combination keeps the spec of its name; one that only gained or lost a dimension
 * takes over the spec it came from, so that its orders and stock stay; the rest is new.
 */
export function arrangeSpecs(
  specs: readonly SpecDraft[],
  dimensions: readonly (readonly string[])[],
): SpecDraft[] {
  const names = combinationsOf(dimensions);
  const left = new Map(specs.map((spec) => [spec.name, spec]));
  const kept = new Map<string, SpecDraft>();
  for (const name of names) {
    const same = left.get(name);
    if (same) kept.set(name, same);
    left.delete(name);
  }
  for (const name of names) {
    if (kept.has(name)) continue;
    const from = [...left.values()].find(
      (spec) => name.startsWith(spec.name + SPEC_SEPARATOR) || spec.name.startsWith(name + SPEC_SEPARATOR),
    );
    if (!from) continue;
    left.delete(from.name);
    kept.set(name, { ...from, name });
  }
  const like = specs[specs.length - 1];
  return names.map((name) => kept.get(name) ?? newSpec(name, like));
}

/** The specs after one value of a dimension was renamed. */
export function renameValue(
  specs: readonly SpecDraft[],
  dimension: number,
  from: string,
  to: string,
): SpecDraft[] {
  return specs.map((spec) => {
    const parts = spec.name.split(SPEC_SEPARATOR);
    return parts[dimension] === from
      ? { ...spec, name: parts.map((part, at) => (at === dimension ? to : part)).join(SPEC_SEPARATOR) }
      : spec;
  });
}

function matrixProblem(names: readonly string[]): Label | undefined {
  const parts = names.map((name) => name.split(SPEC_SEPARATOR).length);
  if (parts.some((count) => count > SPEC_LIMITS.dimensions))
    return fill(['最多{n}个规格项', 'At most {n} dimensions'], { n: SPEC_LIMITS.dimensions });
  if (dimensionsOf(names).some((values) => values.length > SPEC_LIMITS.values))
    return fill(['每个规格项最多{n}个值', 'At most {n} values in one dimension'], { n: SPEC_LIMITS.values });
  return undefined;
}

const KNOWN = new Set<string>([
  'id',
  'name',
  'price',
  'marketPrice',
  'stock',
  'stockAlert',
  'unit',
  'weightG',
  'barcode',
  'imageId',
]);

function readSpec(
  entry: unknown,
  wrong: (field: keyof SpecWire, message: Label) => void,
): SpecInput | undefined {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
    wrong('name', ['规格不正确', 'The spec is not valid']);
    return undefined;
  }
  const given = entry as Record<string, unknown>;
  if (Object.keys(given).some((name) => !KNOWN.has(name)))
    wrong('name', ['不接受此字段', 'This field is not accepted']);
  const id =
    given.id === undefined || given.id === null
      ? null
      : /^\d{1,15}$/.test(String(given.id))
        ? Number(given.id)
        : undefined;
  if (id === undefined) wrong('name', ['规格不正确', 'The spec is not valid']);
  const name = textOfSpec(given.name, 60)
    ?.split(SPEC_SEPARATOR)
    .map((part) => part.trim())
    .join(SPEC_SEPARATOR);
  if (!name || name.split(SPEC_SEPARATOR).includes(''))
    wrong('name', [
      '请填写规格名称（如 5kg），最多60个字',
      'Name the spec, such as 5 kg, in at most 60 characters',
    ]);
  const price = fenOf(given.price);
  if (price === undefined || price < 1 || price > SPEC_LIMITS.price)
    wrong('price', ['价格应为0.01至999,999.99', 'The price must be 0.01 to 999,999.99']);
  const marketPrice =
    given.marketPrice === undefined || given.marketPrice === null || given.marketPrice === ''
      ? null
      : fenOf(given.marketPrice);
  if (marketPrice === undefined || (marketPrice !== null && marketPrice > SPEC_LIMITS.price))
    wrong('marketPrice', ['请输入金额，最多两位小数', 'Please enter an amount with at most two decimals']);
  else if (marketPrice !== null && price !== undefined && marketPrice < price)
    wrong('marketPrice', ['市场价不能低于价格', 'The market price must not be below the price']);
  const isNew = id === null;
  const stock = isNew ? countOf(given.stock, SPEC_LIMITS.stock) : null;
  if (isNew && stock === undefined) wrong('stock', ['库存应为0至999,999', 'The stock must be 0 to 999,999']);
  if (!isNew && given.stock !== undefined && given.stock !== null)
    wrong('stock', ['已有规格请用「调整库存」', 'Use “Adjust stock” for existing specs']);
  const stockAlert = countOf(given.stockAlert ?? 10, SPEC_LIMITS.stock);
  if (stockAlert === undefined)
    wrong('stockAlert', ['预警值应为0至999,999', 'The alert must be 0 to 999,999']);
  const unit = textOfSpec(given.unit, 8);
  if (!unit) wrong('unit', ['请填写单位，最多8个字', 'Enter a unit of at most 8 characters']);
  const weightG = countOf(given.weightG ?? 0, 9_999_999);
  if (weightG === undefined)
    wrong('weightG', ['重量应为0至9,999,999克', 'The weight must be 0 to 9,999,999 g']);
  const barcode =
    given.barcode === undefined || given.barcode === null || given.barcode === ''
      ? null
      : String(given.barcode).trim();
  if (barcode !== null && !/^[A-Za-z0-9-]{1,32}$/.test(barcode))
    wrong('barcode', ['条码为1至32位字母、数字或-', 'The barcode has 1 to 32 letters, digits or -']);
  const imageId =
    given.imageId === undefined || given.imageId === null || given.imageId === '' ? null : given.imageId;
  if (imageId !== null && !UUID.test(String(imageId)))
    wrong('imageId', ['图片不正确', 'The picture is not valid']);
  return {
    id: id ?? null,
    name: name ?? '',
    price: price ?? 0,
    marketPrice: marketPrice ?? null,
    stock: stock ?? null,
    stockAlert: stockAlert ?? 0,
    unit: unit ?? '',
    weightG: weightG ?? 0,
    barcode,
    imageId: imageId === null ? null : String(imageId),
  };
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function textOfSpec(value: unknown, max: number): string | undefined {
  if (typeof value !== 'string' || !isStorableText(value)) return undefined;
  const trimmed = value.trim();
  return trimmed === '' || Array.from(trimmed).length > max ? undefined : trimmed;
}

function fenOf(value: unknown): number | undefined {
  return typeof value === 'string' ? fenFromYuan(value) : undefined;
}

function countOf(value: unknown, max: number): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= max
    ? value
    : undefined;
}
