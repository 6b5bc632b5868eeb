/** Codes of the municipalities: their one city is called as they are, and pickers leave it out. */
export const MUNICIPALITIES: ReadonlySet<string> = new Set(['110000', '120000', '310000', '500000']);

/** A region with those below it, as `bizRegion/getAllRegionListPc` answers. */
export interface RegionNode {
  readonly id: string;
  readonly code: string;
  readonly name: string;
  readonly level: number;
  readonly children: readonly RegionNode[];
}

/** The tree as pickers show it: municipality and district in two steps, everywhere else province, city and district. */
export function pickerRegions(provinces: readonly RegionNode[]): readonly RegionNode[] {
  return provinces.map((province) =>
    MUNICIPALITIES.has(province.code)
      ? { ...province, children: province.children.flatMap((city) => city.children) }
      : province,
  );
}

/** The same place where a picker shows it: a municipality for its city that pickers leave out. */
export function pickedRegion(provinces: readonly RegionNode[], id: string): string {
  const home = provinces.find(
    (province) =>
      MUNICIPALITIES.has(province.code) &&
      province.children.some((city) => city.id === id && city.name === province.name),
  );
  return home?.id ?? id;
}

/** Level of a national code: 1 province `dd0000`, 2 city `dddd00`, 3 district. */
export function levelOfCode(code: string): 1 | 2 | 3 {
  if (code.endsWith('0000')) return 1;
  return code.endsWith('00') ? 2 : 3;
}

/** Code of the region above, null for provinces. */
export function parentCodeOf(code: string): string | null {
  switch (levelOfCode(code)) {
    case 1:
      return null;
    case 2:
      return `${code.slice(0, 2)}0000`;
    case 3:
      return `${code.slice(0, 4)}00`;
  }
}
