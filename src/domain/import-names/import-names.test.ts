import { expect, test } from 'vitest';
import { nameIndex } from './import-names.rules.ts';

const index = nameIndex([
  { id: 1, name: '阳光花园', code: 'P001' },
  { id: 2, name: '阳光花园', code: 'P002' },
  { id: 3, name: '滨江苑', code: 'P003' },
  { id: 4, name: 'P003', code: 'P004' },
]);

test('a code or a name that only one has; case and blanks do not matter', () => {
  expect(['P001', 'p002 ', '滨江苑', ' 滨江苑'].map((text) => index.get(text))).toEqual([1, 2, 3, 3]);
  expect(index.get('nowhere')).toBeUndefined();
});

test('a code goes before a name that looks like one', () => {
  expect(index.get('P003')).toBe(3);
  expect(index.clash('P003')).toBeUndefined();
});

test('a name of several is refused with the codes to choose from', () => {
  expect(index.get('阳光花园')).toBeUndefined();
  expect(index.clash('阳光花园')).toEqual([
    '“阳光花园”有 2 个同名，请改填：P001、P002',
    '“阳光花园” is the name of 2; please write one of: P001, P002',
  ]);
  expect(index.clash('滨江苑')).toBeUndefined();
});

test('one thing found in several reaches is one thing; many codes are cut', () => {
  expect(nameIndex([1, 1].map((id) => ({ id, name: 'A', code: 'C' }))).get('a')).toBe(1);
  const many = nameIndex([1, 2, 3, 4, 5, 6].map((id) => ({ id, name: 'A', code: `C${id}` })));
  expect(many.clash('A')![0]).toBe('“A”有 6 个同名，请改填：C1、C2、C3、C4、C5 等');
});
