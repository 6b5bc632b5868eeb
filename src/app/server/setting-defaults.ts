import fs from 'node:fs';
import path from 'node:path';
import type { Choice } from '../../kernel/contract/fields.ts';
import type { Label } from '../../kernel/contract/label.ts';
import type {
  SettingDeclaration,
  SettingScope,
  SettingType,
} from '../../kernel/contract/setting-declaration.ts';
import { projectFolder } from './migrate.ts';

/** Settings of the sandbox channels: they provoke what a real channel does on a bad day. */
const SANDBOX: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  // ok, fail, delay, duplicate, lost (no answer until asked), mixed by the last digit of the amount
  ['sandbox.refund.mode', 'ok'],
  ['sandbox.payment.mode', 'ok'],
  ['sandbox.delay_ms', 800],
  // Of a hundred payments or refunds so many fare so, where the mode is ok
  ['sandbox.fail_percent', 0],
  ['sandbox.duplicate_percent', 0],
  ['sandbox.lost_percent', 0],
  // Results of payments come a minute behind the time their orders close
  ['sandbox.late_callback', false],
]);

/** Units in words; one that stands here without a word counts things the name says. */
const UNITS: Readonly<Record<string, Label | undefined>> = {
  minutes: ['分钟', 'min'],
  hours: ['小时', 'h'],
  days: ['天', 'days'],
  seconds: ['秒', 's'],
  ms: ['毫秒', 'ms'],
  months: ['个月', 'months'],
  'working days': ['个工作日', 'working days'],
  'business hours': ['工作小时', 'business hours'],
  'business minutes': ['工作分钟', 'business min'],
  percent: ['%', '%'],
  bp: ['‱', 'bp'],
  points: ['积分', 'points'],
  fen: ['元', 'yuan'],
  hour: ['点', 'o’clock'],
  'day of month': ['日', 'of the month'],
  'attempts per hour': ['次/小时', 'an hour'],
  'calls per second': ['次/秒', 'a second'],
  'lines per second': ['行/秒', 'a second'],
  'per minute': ['条/分钟', 'a minute'],
  calls: ['次', 'calls'],
  times: ['次', 'times'],
  visits: ['次', 'visits'],
  members: ['人', 'members'],
  messages: ['条', 'messages'],
  reporters: ['人', 'reporters'],
  statements: ['期', 'statements'],
};

/** Forms of texts, and of the entries of lists. */
const PATTERNS: Readonly<Record<string, { readonly source: string; readonly message: Label }>> = {
  url: {
    source: 'https?://[^\\s<>"]{3,290}',
    message: [
      '请输入以 http:// 或 https:// 开头的地址',
      'Please enter an address that starts with http:// or https://',
    ],
  },
  time: {
    source: '([01]\\d|2[0-3]):[0-5]\\d',
    message: ['请输入 00:00–23:59 的时间', 'Please enter a time from 00:00 to 23:59'],
  },
  host: {
    source: '([a-zA-Z0-9-]{1,63}\\.)+[a-zA-Z]{2,20}(:\\d{2,5})?',
    message: ['请填写域名，如 www.example.com', 'Please enter a host, such as www.example.com'],
  },
  cidr: {
    source: '[0-9a-fA-F:.]{2,39}(/\\d{1,3})?',
    message: ['请填写 IP 地址或网段', 'Please enter an IP address or range'],
  },
  scheme: {
    source: '(?!(?:javascript|data|file|vbscript)$)[a-z][a-z0-9+.-]{1,39}|https \\+ app schemes',
    message: [
      '请填写协议名，如 https；不允许 javascript、data、file',
      'Please enter a scheme such as https; javascript, data and file are never allowed',
    ],
  },
  tiers: {
    source: '[^:|]{1,40}:(100|\\d{1,2})(\\|[^:|]{1,40}:(100|\\d{1,2})){0,9}',
    message: ['格式为 条件:百分比，用 | 分隔', 'Write condition:percent, separated by |'],
  },
  email: {
    source: '[^\\s@<>"]{1,64}@[a-zA-Z0-9-]{1,63}(\\.[a-zA-Z0-9-]{1,63}){0,9}',
    message: ['请输入正确的邮箱地址', 'Please enter an e-mail address'],
  },
  server: {
    source: '[a-zA-Z0-9]([a-zA-Z0-9.:-]{0,251}[a-zA-Z0-9])?',
    message: ['请填写服务器域名或 IP', 'Please enter the name or IP of a server'],
  },
  header: {
    source: '[A-Za-z0-9-]{1,60}: ?[^\\r\\n]{1,300}',
    message: ['格式为 名称: 值', 'Write Name: value'],
  },
  smsTemplate: {
    source: '(\\*|[a-zA-Z]{2,30})=[A-Za-z0-9_]{1,40}(:[a-zA-Z]{1,20}(\\+[a-zA-Z]{1,20}){0,9})?',
    message: [
      '格式为 用途=模板编号:变量+变量，如 password=SMS_1234:code',
      'Write purpose=CODE:value+value, such as password=SMS_1234:code',
    ],
  },
  shares: {
    source: '(>=?)?\\d{1,2}/\\d{1,2} count and ((>=?)?\\d{1,2}/\\d{1,2} )?area',
    message: ['格式如 2/3 count and 2/3 area', 'Write it like 2/3 count and 2/3 area'],
  },
};

/** Declared settings with their defaults: every key of settings.csv and the sandbox's own. */
export function settingDefaults(): ReadonlyMap<string, unknown> {
  const defaults = new Map<string, unknown>(SANDBOX);
  for (const { key, default: value, unit } of rows()) defaults.set(key!, typedDefault(value!, unit!));
  return defaults;
}

/** What settings.csv says of each key besides its default: names, type, limits, unit and where it may be set. */
export function settingDeclarations(): readonly SettingDeclaration[] {
  return rows().map((row) => {
    const { key, unit, owner_group: group, type, min, max, scopes, name_zh: zh, name_en: en, detail } = row;
    if (!type || !zh || !en) throw new Error(`settings.csv: ${key} has no type or name`);
    const words = UNITS[unit!];
    return {
      key: key!,
      name: [zh, en],
      group: group!,
      type: type as SettingType,
      default: typedDefault(row.default!, unit!),
      ...(min ? { min: Number(min) } : {}),
      ...(max ? { max: Number(max) } : {}),
      ...(words && type !== 'fen' ? { unit: unit === 'fen' ? (['分', 'fen'] as const) : words } : {}),
      scopes: scopes!.split('|') as SettingScope[],
      ...(type === 'enum' ? { choices: choicesOf(detail!) } : {}),
      ...(detail?.startsWith('@') ? { pattern: PATTERNS[detail.slice(1)]! } : {}),
      ...(detail?.startsWith('screen:') ? { keptOn: detail.slice('screen:'.length) } : {}),
    };
  });
}

/** `word=中文=English|…` */
function choicesOf(detail: string): Record<string, Choice> {
  return Object.fromEntries(
    detail.split('|').map((one) => {
      const [word, zh, en] = one.split('=');
      return [word!, { label: [zh!, en!] as const }];
    }),
  );
}

let read: readonly Readonly<Record<string, string>>[] | undefined;

function rows(): readonly Readonly<Record<string, string>>[] {
  read ??= readRows();
  return read;
}

function readRows(): Record<string, string>[] {
  const lines = fs
    .readFileSync(path.join(projectFolder(), 'database', 'seeds', 'settings.csv'), 'utf8')
    .split(/\r?\n/)
    .filter((line) => line !== '');
  const names = splitCsv(lines[0]!);
  return lines.slice(1).map((line) => {
    const cells = splitCsv(line);
    return Object.fromEntries(names.map((name, index) => [name, cells[index] ?? '']));
  });
}

function typedDefault(value: string, unit: string): unknown {
  if (value === '(empty)') return unit === 'list' ? [] : '';
  if (unit === 'bool') return value === 'true';
  if (/^-?\d+(\.\d+)?$/.test(value)) return Number(value);
  return value;
}

function splitCsv(line: string): string[] {
  const cells: string[] = [];
  let cell = '';
  let quoted = false;
  for (const character of line) {
    if (character === '"') quoted = !quoted;
    else if (character === ',' && !quoted) {
      cells.push(cell);
      cell = '';
    } else cell += character;
  }
  cells.push(cell);
  return cells;
}
