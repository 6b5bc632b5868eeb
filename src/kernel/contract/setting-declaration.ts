import type { Choice, Field } from './fields.ts';
import { checkInput } from './input.ts';
import { fill, type Label } from './label.ts';
import { fenFromYuan, yuanFromFen } from './money.rules.ts';

/** What kind of value a setting has; `bp` are hundredths of a percent, a `duration` counts its unit. */
export type SettingType = 'int' | 'bool' | 'fen' | 'bp' | 'duration' | 'decimal' | 'text' | 'list' | 'enum';

/** Where a value may be set. */
export type SettingScope = 'platform' | 'tenant' | 'project';

/** A setting key as it is declared: every instance has the same ones, rows of the database hold only what was set. */
export interface SettingDeclaration {
  readonly key: string;
  readonly name: Label;
  /** Number of the group it belongs to. */
  readonly group: string;
  readonly type: SettingType;
  readonly default: unknown;
  /** Limits of the number, of each number of a list, or of the length of a text. */
  readonly min?: number;
  readonly max?: number;
  readonly unit?: Label;
  readonly scopes: readonly SettingScope[];
  readonly choices?: Readonly<Record<string, Choice>>;
  /** Texts, and entries of a list, must match. */
  readonly pattern?: { readonly source: string; readonly message: Label };
  /** Menu of the screen that alone may change it, as it asks more than a value. */
  readonly keptOn?: string;
}

/** Most entries of a list. */
const MOST_ENTRIES = 20;

/** The input of a setting as a field of a form. */
export function fieldOfSetting(setting: SettingDeclaration): Field {
  const { name: label, unit, min, max } = setting;
  const limits = {
    ...(min === undefined ? {} : { min }),
    ...(max === undefined ? {} : { max }),
    ...(unit ? { unit } : {}),
  };
  switch (setting.type) {
    case 'bool':
      return { kind: 'boolean', label };
    case 'fen':
      return { kind: 'money', label, required: true, ...limits };
    case 'decimal':
      return { kind: 'decimal', label, required: true, scale: 3, ...limits };
    case 'enum':
      return { kind: 'choice', label, required: true, choices: setting.choices ?? {} };
    case 'list':
      return { kind: 'tags', label, max: MOST_ENTRIES };
    case 'text':
      return {
        kind: 'text',
        label,
        max: max ?? 255,
        ...(min ? { required: true } : {}),
        ...(setting.pattern ? { pattern: setting.pattern } : {}),
      };
    default:
      return { kind: 'integer', label, required: true, ...limits };
  }
}

/** What is wrong with a value as it travels, in the words of limits: 「须在 1–90 之间」. */
export function settingProblem(setting: SettingDeclaration, value: unknown): Label | undefined {
  const number = numberOf(setting, value);
  if (number !== undefined && outside(setting, number)) return limitText(setting);
  if (setting.type === 'list' && Array.isArray(value)) {
    const wrong = (value as unknown[]).some((entry) => isWrongEntry(setting, entry));
    if (wrong) return entryText(setting);
  }
  const field = { ...fieldOfSetting(setting), required: setting.type !== 'list' && setting.type !== 'text' };
  if (setting.type === 'text' && value === '')
    return setting.min ? ['此项必填', 'This field is required'] : undefined;
  return checkInput({ value: field }, ['value'], { value }).problems.value;
}

/** The stored form of a value that was checked: money in fen, lists of numbers as numbers. */
export function storedSetting(setting: SettingDeclaration, value: unknown): unknown {
  switch (setting.type) {
    case 'fen':
      return fenFromYuan(value as string);
    case 'decimal':
      return Number(value);
    case 'list':
      return isNumbers(setting) ? (value as string[]).map(Number) : (value as string[]);
    case 'text':
      return value ?? '';
    default:
      return value;
  }
}

/** A stored value as it travels. */
export function wireSetting(setting: SettingDeclaration, stored: unknown): unknown {
  switch (setting.type) {
    case 'fen':
      return yuanFromFen(Number(stored));
    case 'decimal':
      return String(stored);
    case 'list':
      if (stored === null || stored === '') return [];
      return (Array.isArray(stored) ? stored : String(stored).split(/[,|]/)).map((one) =>
        typeof one === 'object' ? JSON.stringify(one) : String(one).trim(),
      );
    case 'text':
      return typeof stored === 'object' ? JSON.stringify(stored) : String(stored);
    default:
      return stored;
  }
}

/** Limits in words, as refusals say them. */
export function limitText(setting: SettingDeclaration): Label | undefined {
  const range = limitRange(setting);
  return range === undefined ? undefined : fill(['须在 {range} 之间', 'Must be {range}'], { range });
}

/** Limits as figures: `1–90`. */
export function limitRange(setting: SettingDeclaration): string | undefined {
  const { min, max } = setting;
  if (min === undefined || max === undefined) return undefined;
  const shown = (number: number) => (setting.type === 'fen' ? yuanFromFen(number) : String(number));
  return `${shown(min)}–${shown(max)}`;
}

function entryText(setting: SettingDeclaration): Label {
  if (setting.pattern) return setting.pattern.message;
  return fill(['每项须为 {min}–{max} 之间的整数', 'Each must be a whole number from {min} to {max}'], {
    min: String(setting.min),
    max: String(setting.max),
  });
}

/** Lists with limits hold numbers. */
function isNumbers(setting: SettingDeclaration): boolean {
  return setting.type === 'list' && setting.min !== undefined && setting.max !== undefined;
}

function isWrongEntry(setting: SettingDeclaration, entry: unknown): boolean {
  if (typeof entry !== 'string') return true;
  if (isNumbers(setting)) return !/^-?\d{1,9}$/.test(entry) || outside(setting, Number(entry));
  return setting.pattern !== undefined && !new RegExp(`^(?:${setting.pattern.source})$`, 'u').test(entry);
}

function numberOf(setting: SettingDeclaration, value: unknown): number | undefined {
  if (setting.type === 'fen') return typeof value === 'string' ? fenFromYuan(value) : undefined;
  if (setting.type === 'decimal')
    return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : undefined;
  return (setting.type === 'int' || setting.type === 'bp' || setting.type === 'duration') &&
    typeof value === 'number' &&
    Number.isSafeInteger(value)
    ? value
    : undefined;
}

function outside({ min, max }: SettingDeclaration, number: number): boolean {
  return (min !== undefined && number < min) || (max !== undefined && number > max);
}
