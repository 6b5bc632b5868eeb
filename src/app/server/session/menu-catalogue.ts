import fs from 'node:fs';
import path from 'node:path';
import { projectFolder } from '../migrate.ts';

/** One menu of the release with its places in the tree. */
export interface CatalogueMenu {
  readonly code: string;
  readonly titleZh: string;
  readonly titleEn: string;
  readonly icon: string;
  readonly type: 'menu' | 'dirt';
  readonly noCache: boolean;
  /** Page this one is a mode of: detail, form. */
  readonly modeOf: string | null;
  readonly ownerGroup: number;
  readonly places: readonly CataloguePlace[];
}

/** Where a menu stands. */
export interface CataloguePlace {
  readonly parent: string | null;
  readonly route: string;
  readonly inMenu: boolean;
  readonly sort: number;
}

/** Reads database/seeds/catalogue.csv with the groups and icons beside it; groups come first. */
export function readCatalogue(): CatalogueMenu[] {
  const icons = new Map(readCsv('menu-icons').map((row) => [row.code, row.icon!]));
  const groups = readCsv('menu-groups');
  const codeOfPath = new Map(groups.map((row) => [row.path, row.code!]));
  const menus = new Map<string, CatalogueMenu>();
  groups.forEach((row, index) => {
    menus.set(row.code!, {
      code: row.code!,
      titleZh: row.title_zh!,
      titleEn: row.title_en!,
      icon: row.icon!,
      type: 'dirt',
      noCache: false,
      modeOf: null,
      ownerGroup: index + 1,
      places: [{ parent: null, route: row.path!, inMenu: true, sort: (index + 1) * STEP }],
    });
  });
  readCsv('catalogue').forEach((row, index) => {
    // Pages without a menu: sign-in, call-backs, 401 and 404.
    if (row.group_path === '/' && row.code !== HOME) return;
    const known = menus.get(row.code!);
    const place: CataloguePlace = {
      parent: codeOfPath.get(row.group_path!) ?? null,
      route: row.route!,
      inMenu: row.in_menu === '1',
      sort: row.code === HOME ? 0 : index * STEP,
    };
    menus.set(row.code!, {
      code: row.code!,
      titleZh: row.title_zh!,
      titleEn: row.title_en!,
      icon: icons.get(row.code!) ?? '',
      type: 'menu',
      noCache: row.no_cache === '1',
      modeOf: row.mode_of || null,
      ownerGroup: Number(row.owner_group),
      places: [...(known?.places ?? []), place],
    });
  });
  return [...menus.values()];
}

/** The home page; every staff holds it. */
export const HOME = 'dashboard';

// Gaps leave room for menus an administrator puts between.
const STEP = 10;

function readCsv(name: string): Partial<Record<string, string>>[] {
  const text = fs.readFileSync(path.join(projectFolder(), 'database', 'seeds', `${name}.csv`), 'utf8');
  const [header = '', ...lines] = text.split(/\r?\n/).filter((line) => line !== '');
  const names = header.split(',');
  return lines.map((line) => {
    const cells = line.split(',');
    if (cells.length !== names.length)
      throw new Error(`${name}.csv: the line "${line}" has ${cells.length} cells`);
    return Object.fromEntries(names.map((column, index) => [column, cells[index]]));
  });
}
