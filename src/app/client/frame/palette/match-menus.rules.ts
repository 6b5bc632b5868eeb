import type { MenuLink } from '../menu-links.ts';

/** A menu with the latin forms of its Chinese title. */
export interface SearchableMenu extends MenuLink {
  /** `gongdanguanli`; empty until the dictionary is loaded. */
  readonly pinyin: string;
  /** `gdgl`; empty until the dictionary is loaded. */
  readonly initials: string;
}

/** Menus that fit what was typed, best first: by title in both languages, code, full pinyin and initials. */
export function matchMenus(
  typed: string,
  menus: readonly SearchableMenu[],
  most = 8,
): readonly SearchableMenu[] {
  const wanted = typed.trim().toLowerCase().replace(/\s+/g, '');
  if (wanted === '') return [];
  return menus
    .map((menu) => ({ menu, rank: rankOf(wanted, menu) }))
    .filter(({ rank }) => rank < 99)
    .sort((a, b) => a.rank - b.rank || a.menu.title[0].length - b.menu.title[0].length)
    .slice(0, most)
    .map(({ menu }) => menu);
}

function rankOf(wanted: string, menu: SearchableMenu): number {
  const forms = [menu.title[0], menu.initials, menu.pinyin, menu.title[1].replace(/\s+/g, ''), menu.code];
  let best = 99;
  for (const [index, form] of forms.entries()) {
    const at = form.toLowerCase().indexOf(wanted);
    if (at < 0) continue;
    // Whole before start before middle; the order of the forms decides between equals.
    const place = form.length === wanted.length ? 0 : at === 0 ? 10 : 20;
    best = Math.min(best, place + index);
  }
  return best;
}
