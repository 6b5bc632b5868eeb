import { pinyin } from 'pinyin-pro';
import type { MenuLink } from '../menu-links.ts';
import type { SearchableMenu } from './match-menus.rules.ts';

/** Adds full pinyin and initials to menus. In a module of its own: the dictionary is large. */
export function withPinyin(menus: readonly MenuLink[]): readonly SearchableMenu[] {
  return menus.map((menu) => {
    const syllables = pinyin(menu.title[0], { toneType: 'none', type: 'array', nonZh: 'consecutive' });
    return {
      ...menu,
      pinyin: syllables.join('').replace(/\s+/g, '').toLowerCase(),
      initials: syllables
        .map((syllable) => syllable[0] ?? '')
        .join('')
        .toLowerCase(),
    };
  });
}
