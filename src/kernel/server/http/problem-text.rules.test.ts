import { expect, test } from 'vitest';
import { z } from 'zod';
import { problemText } from './problem-text.rules.ts';

const page = z.coerce.number().int().min(1).max(200);

test.each([
  [page, 'abc', ['应为数字', 'Must be a number']],
  [page, '1.5', ['应为整数', 'Must be a whole number']],
  [page, '0', ['不能小于1', 'At least 1']],
  [page, '201', ['不能大于200', 'At most 200']],
  [z.enum(['0', '1', '']), '7', ['只能是：0, 1, ""', 'Must be one of: 0, 1, ""']],
  [z.string().max(3), 'abcd', ['最多3个字', 'At most 3 characters']],
  [z.string().max(3), 7, ['应为文字', 'Must be text']],
  [z.string().regex(/^\d+$/), 'x', ['格式不正确', 'The format is not valid']],
  [z.array(z.string()).max(1), ['a', 'b'], ['最多1项', 'At most 1 item']],
] as const)('%#: %j', (schema, value, text) => {
  expect(problemText(schema.safeParse(value).error!.issues[0]!)).toEqual(text);
});
