import { expect, it } from 'vitest';
import type { MenuNode } from '../../../kernel/client/session.ts';
import { permittedTree } from './permitted-tree.rules.ts';

const node = (code: string, children?: readonly MenuNode[]): MenuNode => ({
  name: code,
  title: code,
  titleEn: code,
  code,
  icon: '',
  path: '',
  noCache: false,
  ...(children && { children }),
});

it('keeps held entries and the groups that still have some', () => {
  const tree = [node('a', [node('a1'), node('a2', [node('a21')])]), node('b', [node('b1')])];
  const kept = permittedTree(tree, { a21: true });
  expect(kept.map((one) => one.code)).toEqual(['a']);
  expect(kept[0]?.children?.map((one) => one.code)).toEqual(['a2']);
});
