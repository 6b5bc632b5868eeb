import type { Field, Fields } from './fields.ts';
import { fill, type Label } from './label.ts';
import { fenFromYuan, MAX_FEN, yuanFromFen } from './money.rules.ts';
import { isBusinessDay } from './time.rules.ts';

/** Values that passed, and a message per field that did not. */
export interface CheckedInput {
  readonly values: Record<string, unknown>;
  readonly problems: Record<string, Label>;
}

const REQUIRED: Label = ['此项必填', 'This field is required'];
const NOT_TEXT: Label = ['请输入文字', 'Please enter text'];
const BAD_TEXT: Label = ['包含无法保存的字符', 'Contains characters that cannot be stored'];

/** True when a value counts as not given. */
export function isEmpty(value: unknown): boolean {
  return (
    value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
  );
}

/**
 * Says what is wrong with the value of a field as it comes from a form or a request, or undefined when it is good.
 * The same function runs in the browser and on the server.
 */
export function inputProblem(field: Field, value: unknown): Label | undefined {
  // An empty list is a value of lists only; for anything else it is the wrong type.
  if (Array.isArray(value) && value.length === 0 && !isListKind(field) && field.kind !== 'json')
    return ['输入不正确', 'The input is not valid'];
  if (isMissing(field, value)) return field.required ? REQUIRED : undefined;
  return problemOfKind(field, value);
}

/**
 * Checks a request body against fields. `names` are the accepted ones; anything else is refused.
 * `partial` accepts missing fields (an update sends changes only). Values come back as given, texts trimmed.
 */
export function checkInput(
  fields: Fields,
  names: readonly string[],
  body: unknown,
  options: { readonly partial?: boolean; readonly also?: readonly string[] } = {},
): CheckedInput {
  const values: Record<string, unknown> = {};
  const problems: Record<string, Label> = {};
  if (body === undefined || body === null) body = {};
  if (typeof body !== 'object' || Array.isArray(body))
    return { values, problems: { _: ['请求内容应为对象', 'The request must be an object'] } };
  const given = body as Record<string, unknown>;
  for (const name of Object.keys(given)) {
    if (options.also?.includes(name)) continue;
    if (!names.includes(name)) problems[name] = ['不接受此字段', 'This field is not accepted'];
  }
  for (const name of names) {
    const field = fields[name]!;
    if (!Object.hasOwn(given, name)) {
      if (!options.partial && field.required) problems[name] = REQUIRED;
      continue;
    }
    const value =
      typeof given[name] === 'string' && field.kind !== 'richText' ? given[name].trim() : given[name];
    const problem = inputProblem(field, value);
    if (problem) problems[name] = problem;
    else if (field.kind === 'lines' && Array.isArray(value) && value.length > 0)
      values[name] = checkLines(name, field.lines!, value as Record<string, unknown>[], problems);
    else values[name] = isMissing(field, value) ? (isListKind(field) ? [] : null) : value;
  }
  return { values, problems };
}

/** Checks the rows of a field of kind lines; what is wrong stands under `<field>.<row>.<name>`, rows counted from 0. */
function checkLines(
  name: string,
  fields: Fields,
  rows: readonly Readonly<Record<string, unknown>>[],
  problems: Record<string, Label>,
): Record<string, unknown>[] {
  const names = Object.keys(fields).filter((one) => !fields[one]!.readOnly);
  return rows.map((row, index) => {
    // What the list showed beside the inputs comes back with a row and is not looked at.
    const sent = Object.fromEntries(Object.entries(row).filter(([key]) => !fields[key]?.readOnly));
    const checked = checkInput(fields, names, sent, { also: ['id'] });
    for (const [key, problem] of Object.entries(checked.problems))
      problems[`${name}.${index}.${key}`] = problem;
    return { ...checked.values, ...(row.id === undefined ? {} : { id: row.id }) };
  });
}

/** Of json an empty list is a value: no coupon is not the best ones, no line not all of them. */
function isMissing(field: Field, value: unknown): boolean {
  return isEmpty(value) && !(field.kind === 'json' && Array.isArray(value));
}

/** True when a text holds nothing PostgreSQL or JSON cannot carry: no NUL, no lone surrogate. */
export function isStorableText(text: string): boolean {
  // eslint-disable-next-line no-control-regex
  return !text.includes('\u0000') && text.isWellFormed();
}

function isListKind(field: Field): boolean {
  return (
    field.kind === 'refs' ||
    field.kind === 'images' ||
    field.kind === 'files' ||
    field.kind === 'tags' ||
    field.kind === 'lines' ||
    field.kind === 'dateRange'
  );
}

function problemOfKind(field: Field, value: unknown): Label | undefined {
  switch (field.kind) {
    case 'text':
    case 'longText':
    case 'richText':
    case 'code':
      return problemOfText(field, value);
    case 'personName':
      return (
        problemOfText(field, value) ??
        // A masked name is no name: the other masked kinds fail by their pattern.
        mismatch(value as string, /^[^*]*$/, [
          '请输入完整姓名，不能含*',
          'Please enter the name in full, without *',
        ])
      );
    case 'phone':
      return (
        problemOfText(field, value) ??
        mismatch(value as string, /^(1\d{10}|0\d{2,3}-?\d{7,8}|400-?\d{3}-?\d{4})$/, [
          '请输入正确的电话号码',
          'Please enter a valid phone number',
        ])
      );
    case 'email':
      return (
        problemOfText(field, value) ??
        mismatch(value as string, /^[^\s@*]+@[^\s@]+\.[^\s@]{2,}$/, [
          '请输入正确的邮箱',
          'Please enter a valid e-mail address',
        ])
      );
    case 'idNumber':
      return (
        problemOfText(field, value) ??
        (isIdNumber(value as string) ? undefined : ['身份证号不正确', 'The ID number is not valid'])
      );
    case 'money':
      return problemOfMoney(field, value);
    case 'integer':
      if (typeof value !== 'number' || !Number.isSafeInteger(value))
        return ['请输入整数', 'Please enter a whole number'];
      return problemOfRange(field, value);
    case 'decimal':
    case 'percent':
      return problemOfDecimal(field, value);
    case 'boolean':
      return typeof value === 'boolean' ? undefined : ['请选择是或否', 'Please choose yes or no'];
    case 'choice':
      return typeof value === 'string' && Object.hasOwn(field.choices ?? {}, value)
        ? undefined
        : ['请选择列表中的值', 'Please choose a value of the list'];
    case 'date':
      return typeof value === 'string' && isBusinessDay(value)
        ? undefined
        : ['日期不正确', 'The date is not valid'];
    case 'instant':
      return typeof value === 'string' &&
        /^\d{4}-\d{2}-\d{2}T/.test(value) &&
        !Number.isNaN(Date.parse(value))
        ? undefined
        : ['时间不正确', 'The time is not valid'];
    case 'dateRange':
      return problemOfDateRange(value);
    case 'ref':
    case 'treeRef':
    case 'image':
    case 'file':
      return isId(value) ? undefined : ['请选择列表中的值', 'Please choose a value of the list'];
    case 'refs':
    case 'images':
    case 'files':
      if (!Array.isArray(value) || !value.every(isId))
        return ['请选择列表中的值', 'Please choose values of the list'];
      return value.length > (field.max ?? 500)
        ? fill(['最多{n}项', 'At most {n} {n|item|items}'], { n: field.max ?? 500 })
        : undefined;
    case 'tags':
      if (
        !Array.isArray(value) ||
        !value.every((tag) => typeof tag === 'string' && tag.length <= 40 && isStorableText(tag))
      )
        return ['标签不正确', 'The tags are not valid'];
      if (field.choices && !value.every((tag: string) => Object.hasOwn(field.choices!, tag)))
        return ['没有此选项', 'There is no such choice'];
      return value.length > (field.max ?? 20)
        ? fill(['最多{n}项', 'At most {n} {n|item|items}'], { n: field.max ?? 20 })
        : undefined;
    case 'lines':
      return problemOfLines(field, value);
    case 'json':
      return problemOfJson(value);
  }
}

function problemOfText(field: Field, value: unknown): Label | undefined {
  if (typeof value !== 'string') return NOT_TEXT;
  if (!isStorableText(value)) return BAD_TEXT;
  const length = Array.from(value).length;
  if (field.max !== undefined && length > field.max)
    return fill(['最多{n}个字', 'At most {n} {n|character|characters}'], { n: field.max });
  if (field.min !== undefined && length < field.min)
    return fill(['至少{n}个字', 'At least {n} {n|character|characters}'], { n: field.min });
  if (field.pattern && !new RegExp(`^(?:${field.pattern.source})$`, 'u').test(value))
    return field.pattern.message;
  return undefined;
}

function problemOfMoney(field: Field, value: unknown): Label | undefined {
  const fen = typeof value === 'string' ? fenFromYuan(value) : undefined;
  if (fen === undefined)
    return ['请输入金额，最多两位小数', 'Please enter an amount with at most two decimals'];
  const min = field.min ?? 0;
  const max = field.max ?? MAX_FEN;
  if (fen < min) return fill(['不能小于{n}元', 'At least {n} yuan'], { n: yuanFromFen(min) });
  if (fen > max) return fill(['不能大于{n}元', 'At most {n} yuan'], { n: yuanFromFen(max) });
  return undefined;
}

function problemOfDecimal(field: Field, value: unknown): Label | undefined {
  const scale = field.scale ?? 2;
  if (
    typeof value !== 'string' ||
    !/^-?\d{1,12}(\.\d+)?$/.test(value) ||
    (value.split('.')[1] ?? '').length > scale
  )
    return fill(
      ['请输入数字，最多{n}位小数', 'Please enter a number with at most {n} {n|decimal|decimals}'],
      {
        n: scale,
      },
    );
  return problemOfRange(field, Number(value));
}

function problemOfRange(field: Field, value: number): Label | undefined {
  if (field.min !== undefined && value < field.min)
    return fill(['不能小于{n}', 'At least {n}'], { n: field.min });
  if (field.max !== undefined && value > field.max)
    return fill(['不能大于{n}', 'At most {n}'], { n: field.max });
  return undefined;
}

function problemOfDateRange(value: unknown): Label | undefined {
  if (
    !Array.isArray(value) ||
    value.length !== 2 ||
    !value.every((day) => typeof day === 'string' && isBusinessDay(day))
  )
    return ['日期范围不正确', 'The date range is not valid'];
  return value[0] > value[1]
    ? ['结束日期不能早于开始日期', 'The end must not be before the start']
    : undefined;
}

function problemOfLines(field: Field, value: unknown): Label | undefined {
  if (
    !Array.isArray(value) ||
    !value.every((row) => typeof row === 'object' && row !== null && !Array.isArray(row))
  )
    return ['输入不正确', 'The input is not valid'];
  if (!value.every((row: { id?: unknown }) => row.id === undefined || isId(row.id)))
    return ['输入不正确', 'The input is not valid'];
  if (field.min !== undefined && value.length < field.min)
    return fill(['至少{n}行', 'At least {n} {n|row|rows}'], { n: field.min });
  if (field.max !== undefined && value.length > field.max)
    return fill(['最多{n}行', 'At most {n} {n|row|rows}'], { n: field.max });
  return undefined;
}

function problemOfJson(value: unknown): Label | undefined {
  if (JSON.stringify(value).length > 100_000) return ['内容过大', 'The content is too large'];
  return undefined;
}

function mismatch(value: string, pattern: RegExp, message: Label): Label | undefined {
  return pattern.test(value) ? undefined : message;
}

function isId(value: unknown): boolean {
  return typeof value === 'string' && /^(\d{1,18}|[0-9a-f]{32}|[0-9a-f-]{36})$/.test(value);
}

function isIdNumber(value: string): boolean {
  if (!/^\d{17}[\dXx]$/.test(value)) return false;
  const weights = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];
  const sum = weights.reduce((total, weight, index) => total + weight * Number(value[index]), 0);
  return '10X98765432'[sum % 11] === value[17]!.toUpperCase();
}
