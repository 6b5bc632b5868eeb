import type { Label } from '../../kernel/contract/label.ts';
import type { PointsSettings } from './quote.rules.ts';

/** Refusal of a rate that leaves parts of a fen. Source: group 08, mm_integral. */
export const NOT_DIVISIBLE: Label = ['兑换比例必须能整除到分', 'The rate must divide to the fen'];

/** What one project has instead of the product-wide points settings; absent: as everywhere. */
export interface PointsOverride {
  /** Id of the project as text. */
  readonly project: string;
  readonly enabled?: boolean;
  readonly perYuan?: number;
  readonly step?: number;
  readonly maxPercent?: number;
  readonly maxPerOrder?: number;
  readonly withCoupon?: boolean;
  readonly withCoin?: boolean;
}

/** Limits of the numbers, the same for the product and for a project. */
export const POINTS_LIMITS = {
  perYuan: [1, 10_000],
  step: [1, 100_000],
  maxPercent: [0, 100],
  maxPerOrder: [0, 10_000_000],
} as const satisfies Readonly<Record<string, readonly [min: number, max: number]>>;
const FLAGS = ['enabled', 'withCoupon', 'withCoin'] as const;
const MOST_OVERRIDES = 500;

/** What is wrong with a rate: step × 100 must be a multiple of it. Source: group 08, mm_integral. */
export function pointsProblem(perYuan: unknown, step: unknown): Label | undefined {
  if (typeof perYuan !== 'number' || typeof step !== 'number' || perYuan < 1 || step < 1) return undefined;
  return (step * 100) % perYuan === 0 ? undefined : NOT_DIVISIBLE;
}

/** The settings that hold in a project: its own values on top of the product-wide ones. */
export function pointsSettingsOf(
  base: PointsSettings,
  overrides: readonly PointsOverride[],
  projectId: string,
): PointsSettings {
  const { project: _project, ...own } = overrides.find((one) => one.project === projectId) ?? { project: '' };
  return { ...base, ...own };
}

/**
 * Reads the overrides of a form or of the stored setting and says what is wrong with the first bad one; the same
 * function on both sides. `base` is the rate they stand on.
 */
export function readOverrides(
  value: unknown,
  base: { readonly perYuan: unknown; readonly step: unknown },
): { overrides: PointsOverride[]; problem: Label | undefined } {
  const bad = (problem: Label) => ({ overrides: [], problem });
  const list = value ?? [];
  if (!Array.isArray(list) || list.length > MOST_OVERRIDES)
    return bad(['项目规则不正确', 'The project rules are not valid']);
  const overrides: PointsOverride[] = [];
  const seen = new Set<string>();
  for (const [index, entry] of list.entries()) {
    const row = (message: Label): Label => [
      `第${index + 1}个项目：${message[0]}`,
      `Project ${index + 1}: ${message[1]}`,
    ];
    const read = readOverride(entry);
    if ('problem' in read) return bad(row(read.problem));
    const { override } = read;
    if (seen.has(override.project)) return bad(row(['项目重复', 'The project stands twice']));
    seen.add(override.project);
    const rate = pointsProblem(override.perYuan ?? base.perYuan, override.step ?? base.step);
    if (rate) return bad(row(rate));
    overrides.push(override);
  }
  return { overrides, problem: undefined };
}

function readOverride(entry: unknown): { override: PointsOverride } | { problem: Label } {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry))
    return { problem: ['规则不正确', 'The rule is not valid'] };
  const given = entry as Record<string, unknown>;
  // The name travels with stored rules for the page to show; it is never kept.
  const known = new Set<string>(['project', 'projectName', ...FLAGS, ...Object.keys(POINTS_LIMITS)]);
  if (Object.keys(given).some((name) => !known.has(name)))
    return { problem: ['不接受此字段', 'This field is not accepted'] };
  if (typeof given.project !== 'string' || !/^\d{1,15}$/.test(given.project))
    return { problem: ['请选择项目', 'Please choose the project'] };
  const override: Record<string, unknown> = { project: given.project };
  for (const name of FLAGS) {
    if (given[name] === undefined || given[name] === null) continue;
    if (typeof given[name] !== 'boolean') return { problem: ['请选择是或否', 'Please choose yes or no'] };
    override[name] = given[name];
  }
  for (const [name, [min, max]] of Object.entries(POINTS_LIMITS)) {
    const number = given[name];
    if (number === undefined || number === null) continue;
    if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < min || number > max)
      return { problem: [`应为${min}至${max}的整数`, `A whole number of ${min} to ${max}`] };
    override[name] = number;
  }
  return Object.keys(override).length > 1
    ? { override: override as unknown as PointsOverride }
    : { problem: ['请至少填写一项规则', 'Enter at least one value'] };
}
