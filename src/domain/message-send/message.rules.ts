import { escapedHtml } from '../../kernel/contract/escaped-html.ts';
import type { Label } from '../../kernel/contract/label.ts';

/** Ways a message leaves, by their code. */
export const CHANNELS = {
  1: ['站内信', 'In-app'],
  2: ['短信', 'SMS'],
  3: ['推送', 'Push'],
  4: ['微信', 'WeChat'],
} as const satisfies Readonly<Record<number, Label>>;
export type Channel = keyof typeof CHANNELS;

/** What a message is for: marketing is capped and waits in quiet hours. */
export const CATEGORIES = {
  marketing: { label: ['营销', 'Marketing'], tone: 'warning', code: 1 },
  business: { label: ['业务通知', 'Business'], tone: 'processing', code: 2 },
  notice: { label: ['公告', 'Notice'], code: 3 },
} as const;

/** Why somebody gets nothing, or why it failed. */
export const REASONS = {
  opted_out: { label: ['已退订', 'Opted out'] },
  no_address: { label: ['无联系方式', 'No address'] },
  capped: { label: ['超出频次', 'Frequency cap'] },
  banned: { label: ['已封禁', 'Banned'] },
  duplicate: { label: ['重复', 'Duplicate'] },
  excluded: { label: ['排除组', 'Excluded'] },
  cancelled: { label: ['已取消', 'Cancelled'] },
  refused: { label: ['对方拒收', 'Refused by the other side'] },
  unreachable: { label: ['通道暂不可用', 'Channel out of order'] },
  unknown: { label: ['结果未知', 'Result unknown'] },
} as const satisfies Readonly<Record<string, { label: Label }>>;
export type Reason = keyof typeof REASONS;

/** Kinds of values a variable takes. */
export const VARIABLE_TYPES = {
  text: { label: ['文字', 'Text'] },
  money: { label: ['金额', 'Money'] },
  date: { label: ['日期', 'Date'] },
  number: { label: ['数字', 'Number'] },
  link: { label: ['链接', 'Link'] },
} as const satisfies Readonly<Record<string, { label: Label }>>;

/** A variable of a template; `fallback` is what is sent where nobody gives a value. */
export interface Variable {
  readonly name: string;
  readonly type: keyof typeof VARIABLE_TYPES;
  readonly sample: string;
  readonly fallback: string;
}

/** Variables every member has a value of. */
export const MEMBER_VARIABLES = ['nickname', 'project'] as const;

/** Texts of a message by channel, in both languages. */
export interface Content {
  readonly inAppTitle: string;
  readonly inAppTitleEn: string;
  readonly inAppBody: string;
  readonly inAppBodyEn: string;
  readonly smsSign: string;
  readonly smsBody: string;
  readonly pushTitle: string;
  readonly pushTitleEn: string;
  readonly pushBody: string;
  readonly pushBodyEn: string;
  readonly variables: readonly Variable[];
  readonly values: Readonly<Record<string, string>>;
}

const OPEN = '{{';
const CLOSE = '}}';
const NAME = /^[A-Za-z][A-Za-z0-9_]{0,29}$/;

/** Names of variables in a text, and the first thing that is none: an unknown one or one without an end. */
export function variablesIn(text: string): { readonly names: readonly string[]; readonly open?: string } {
  const names: string[] = [];
  for (let at = 0; ;) {
    const from = text.indexOf(OPEN, at);
    if (from < 0) return { names };
    const to = text.indexOf(CLOSE, from);
    if (to < 0) return { names, open: text.slice(from + 2, from + 22).trim() };
    names.push(text.slice(from + 2, to).trim());
    at = to + 2;
  }
}

/** Why a text cannot be saved with these variables, or undefined. Source: group 16, Must show 15. */
export function undefinedVariable(text: string, known: readonly string[]): Label | undefined {
  const { names, open } = variablesIn(text);
  const all = new Set<string>([...known, ...MEMBER_VARIABLES]);
  const bad = names.find((name) => !all.has(name)) ?? open;
  return bad === undefined ? undefined : [`变量 {{${bad}}} 未定义`, `Variable {{${bad}}} is not defined`];
}

/** Whether a word can name a variable. */
export const isVariableName = (word: string): boolean => NAME.test(word);

/** A text with its variables filled in; `html` says that values are escaped. */
export function rendered(
  text: string,
  values: Readonly<Record<string, string>>,
  options: { readonly html?: boolean } = {},
): string {
  return text.replace(/\{\{\s*([A-Za-z]\w{0,29})\s*\}\}/g, (_all, name: string) => {
    const value = values[name] ?? '';
    return options.html ? escapedHtml(value) : value;
  });
}

/** Values of a message: what was given, else the member's own, else the default. */
export function valuesFor(
  content: Pick<Content, 'variables' | 'values'>,
  member: Readonly<Record<string, string>>,
): Record<string, string> {
  const values: Record<string, string> = { ...member };
  for (const { name, fallback } of content.variables) values[name] = member[name] || fallback;
  for (const [name, value] of Object.entries(content.values)) if (value !== '') values[name] = value;
  return values;
}

/** Tail every marketing SMS carries. */
export const OPT_OUT_TAIL = '拒收请回复R';

/** The text of an SMS as it leaves: sign in front, the way out behind where it is marketing. */
export function smsText(body: string, sign: string, category: string): string {
  return `${sign === '' ? '' : `【${sign}】`}${body}${category === 'marketing' ? ` ${OPT_OUT_TAIL}` : ''}`;
}

/** How many SMS a text is charged as: up to 70 characters one, otherwise 67 each. */
export function smsSegments(text: string): number {
  const length = [...text].length;
  if (length === 0) return 0;
  return length <= 70 ? 1 : Math.ceil(length / 67);
}

/** Hour of the day in business time. */
export const businessHour = (at: Date): number => new Date(at.getTime() + 8 * 3_600_000).getUTCHours();

/** 22:00–08:00. */
export const isQuiet = (at: Date): boolean => businessHour(at) >= 22 || businessHour(at) < 8;

/** How a message repeats. */
export interface Repeat {
  readonly repeats: 'daily' | 'weekly' | 'monthly';
  /** 1 Monday … 7 Sunday. */
  readonly weekDays: readonly number[];
  readonly monthDay: number | null;
  /** `HH:MM` of business time. */
  readonly atTime: string;
  /** Last day. */
  readonly until: string | null;
}

/** The next time a repeated message is due after an instant, or undefined where there is none any more. A month without the day takes its last. */
export function nextTime(repeat: Repeat, after: Date): Date | undefined {
  const local = new Date(after.getTime() + 8 * 3_600_000);
  for (let ahead = 0; ahead <= 62; ahead++) {
    const day = new Date(Date.UTC(local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate() + ahead));
    const text = day.toISOString().slice(0, 10);
    if (repeat.until && text > repeat.until) return undefined;
    const last = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 0)).getUTCDate();
    const fits =
      repeat.repeats === 'daily' ||
      (repeat.repeats === 'weekly' && repeat.weekDays.includes(day.getUTCDay() || 7)) ||
      (repeat.repeats === 'monthly' && day.getUTCDate() === Math.min(repeat.monthDay ?? 1, last));
    const due = new Date(`${text}T${repeat.atTime}:00+08:00`);
    if (fits && due > after) return due;
  }
  return undefined;
}

/** Whom a send would reach, before it is sent. */
export interface SendEstimate {
  readonly total: number;
  readonly reachable: number;
  readonly skippedTotal: number;
  readonly skipped: readonly { readonly reason: string; readonly people: number }[];
  readonly channels: readonly { readonly channel: number; readonly people: number }[];
  readonly unknown: number;
  /** Yuan; null where no SMS goes out. */
  readonly smsCost: string | null;
  readonly segments: number;
  /** Whether it has to be reviewed, and why. */
  readonly review: boolean;
  readonly sample: readonly { readonly phone: string; readonly text: string }[];
}
