import { expect, test } from 'vitest';
import { email, idNumber, personName, phone } from './fields.ts';
import { inputProblem } from './input.ts';
import { maskValue } from './mask.rules.ts';

test('a masked value is refused by every kind of personal value, so that no form and no program can store one', () => {
  const kinds = [
    [personName(['姓名', 'Name']), 'name', '王小明'],
    [phone(['手机', 'Phone']), 'phone', '13800138000'],
    [email(['邮箱', 'E-mail']), 'email', 'wang@example.com'],
    [idNumber(['身份证', 'ID number']), 'idNumber', '11010519491231002X'],
  ] as const;
  for (const [field, mode, value] of kinds) {
    expect(inputProblem(field, value), mode).toBeUndefined();
    expect(inputProblem(field, maskValue(mode, value)), mode).toBeDefined();
  }
  expect(inputProblem(kinds[0][0], '王*')![0]).toBe('请输入完整姓名，不能含*');
});
