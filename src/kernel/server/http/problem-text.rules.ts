import type { z } from 'zod';
import { fill, type Label } from '../../contract/label.ts';

/** What is wrong with a value, in words a caller can act on. */
export function problemText(issue: z.core.$ZodIssue): Label {
  switch (issue.code) {
    case 'invalid_type':
      return TYPES[issue.expected] ?? NOT_VALID;
    case 'too_small':
    case 'too_big':
      return limitText(issue);
    case 'invalid_value':
      return fill(['只能是：{values}', 'Must be one of: {values}'], {
        values: issue.values.map((value) => (value === '' ? '""' : String(value))).join(', '),
      });
    case 'invalid_format':
      return ['格式不正确', 'The format is not valid'];
    default:
      return NOT_VALID;
  }
}

const NOT_VALID: Label = ['输入不正确', 'The input is not valid'];
const WHOLE: Label = ['应为整数', 'Must be a whole number'];

const TYPES: Readonly<Record<string, Label>> = {
  number: ['应为数字', 'Must be a number'],
  int: WHOLE,
  string: ['应为文字', 'Must be text'],
  boolean: ['应为是或否', 'Must be true or false'],
  array: ['应为列表', 'Must be a list'],
  object: ['应为对象', 'Must be an object'],
};

function limitText(issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig): Label {
  const isSmall = issue.code === 'too_small';
  const n = Number(isSmall ? issue.minimum : issue.maximum);
  if (issue.origin === 'string')
    return fill(
      isSmall
        ? ['至少{n}个字', 'At least {n} {n|character|characters}']
        : ['最多{n}个字', 'At most {n} {n|character|characters}'],
      { n },
    );
  if (issue.origin === 'array')
    return fill(
      isSmall ? ['至少{n}项', 'At least {n} {n|item|items}'] : ['最多{n}项', 'At most {n} {n|item|items}'],
      {
        n,
      },
    );
  return fill(isSmall ? ['不能小于{n}', 'At least {n}'] : ['不能大于{n}', 'At most {n}'], { n });
}
