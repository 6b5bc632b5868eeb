import { expect, test } from 'vitest';
import { readCatalogue } from './menu-catalogue.ts';

test('two menus of a group never share an icon, nor two groups', () => {
  const menus = readCatalogue();
  const shared = (entries: readonly { readonly code: string; readonly icon: string }[]) =>
    entries
      .filter((one) => entries.some((other) => other.code !== one.code && other.icon === one.icon))
      .map((one) => one.code);
  const groups = menus.filter((menu) => menu.type === 'dirt');
  expect(shared(groups)).toEqual([]);
  for (const group of groups)
    expect(
      shared(
        menus.filter((menu) => menu.places.some((place) => place.inMenu && place.parent === group.code)),
      ),
    ).toEqual([]);
});
