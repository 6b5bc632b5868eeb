import '../../../kernel/client/tree/split-screen.css';
import { useMemo, useState } from 'react';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import type { Resource } from '../../../kernel/contract/resource.ts';
import { ImportButton } from '../../../kernel/client/import/import-button.tsx';
import { useText } from '../../../kernel/client/language.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { TabList } from '../../../kernel/client/parts/tab-list.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import { enquiryBuilding, enquiryProject, enquiryUnit, houseCard, household } from './house.contract.ts';
import { HouseLink } from './house-link.tsx';
import { houseSlots } from './house-slots.tsx';
import { HousePlaces, type PlacePath } from './place-tree.tsx';

const HouseCardView = lazyPart(() => import('./house-card.tsx').then((module) => module.HouseCardView));

interface Part {
  readonly key: string;
  readonly label: Label;
  readonly contract: Resource;
}

/** Lists beside the tree, in their order. */
const PARTS: readonly Part[] = [
  { key: 'people', label: ['住户', 'People'], contract: household as unknown as Resource },
  { key: 'houses', label: houseCard.title, contract: houseCard as unknown as Resource },
  { key: 'units', label: enquiryUnit.title, contract: enquiryUnit as unknown as Resource },
  { key: 'buildings', label: enquiryBuilding.title, contract: enquiryBuilding as unknown as Resource },
  { key: 'projects', label: enquiryProject.title, contract: enquiryProject as unknown as Resource },
];
const withHouse: ScreenSlots = {
  cells: { house: (row) => <HouseLink house={row.house as RefValue | null} /> },
};
const IMPORTED = new Set(['household', 'house']);
const PLACE = ['project', 'building', 'unit', 'floor', 'card'] as const;

/** Houses and their people: the tree of places, lists of what lies below the chosen one, the card of a house. */
function HousesScreen() {
  const text = useText();
  const view = useView();
  const { query } = view;
  const [path, setPath] = useState<PlacePath>([]);
  const part = PARTS.find((one) => one.key === query.get('part')) ?? PARTS[0]!;
  const card = query.get('card');
  const chosen = chosenKey(query);
  const choose = (next: PlacePath) => {
    const place = next.at(-1)!;
    const fresh = new URLSearchParams(query);
    for (const name of [...PLACE, 'page', 'detail', 'house']) fresh.delete(name);
    if (place.key !== chosen) for (const [name, value] of filtersOf(place.key)) fresh.set(name, value);
    setPath(place.key === chosen ? [] : next);
    view.setQuery(fresh);
  };
  const show = (key: string) => {
    const fresh = new URLSearchParams();
    for (const name of ['project', 'building', 'unit', 'floor']) {
      const value = query.get(name);
      if (value) fresh.set(name, value);
    }
    if (key !== PARTS[0]!.key) fresh.set('part', key);
    view.setQuery(fresh);
  };
  const close = () => {
    const fresh = new URLSearchParams(query);
    fresh.delete('card');
    view.setQuery(fresh);
  };
  const slots = useMemo(
    (): ScreenSlots => ({
      createWith: firstValues(path),
      ...(part.key === 'people' ? withHouse : part.key === 'houses' ? houseSlots : {}),
      ...(IMPORTED.has(part.contract.name)
        ? {
            toolbar: (
              <ImportButton
                element="cs_houseEnquiry:btn_import"
                choice={{
                  source: part.contract.name,
                  resource: part.contract.name,
                  title: part.contract.noun ?? part.contract.title,
                }}
              />
            ),
          }
        : {}),
    }),
    [path, part],
  );
  const strip = (
    <TabList
      label={text(household.title)}
      className="house-tabs"
      tabs={PARTS.map(({ key, label }) => ({ key, label: text(label) }))}
      active={part.key}
      onChange={show}
    />
  );
  return (
    <div className="split-screen">
      <nav aria-label={text(['项目、楼栋、单元与房屋', 'Projects, buildings, units and houses'])}>
        <HousePlaces chosen={chosen} onChoose={choose} />
      </nav>
      <div className="split-main">
        {card ? (
          <HouseCardView key={card} id={card} onClose={close} />
        ) : (
          <ScreenOf key={part.key} contract={part.contract} slots={{ ...slots, above: strip }} />
        )}
      </div>
    </div>
  );
}

/** 房屋查询. */
export const screen = { contract: household, component: HousesScreen };

/** What a place of the tree filters by. */
function filtersOf(key: string): readonly (readonly [string, string])[] {
  const [kind = '', id = ''] = key.split(':');
  if (kind === 'house') return [['card', id]];
  if (kind !== 'floor') return [[kind, id]];
  const [unit = '', floor = ''] = id.split('.');
  return [
    ['unit', unit],
    ['floor', `${floor}~${floor}`],
  ];
}

/** The place of the tree the query stands for. */
function chosenKey(query: URLSearchParams): string | undefined {
  const one = (name: string) => query.get(name) ?? '';
  if (one('card')) return `house:${one('card')}`;
  const [low, high] = one('floor').split('~');
  if (one('unit') && low && low === high) return `floor:${one('unit')}.${low}`;
  for (const kind of ['unit', 'building', 'project']) if (one(kind)) return `${kind}:${one(kind)}`;
  return undefined;
}

/** A new row lies where the tree stands. */
function firstValues(path: PlacePath): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  for (const { key, name } of path) {
    const [kind = '', id = ''] = key.split(':');
    if (kind === 'floor') values.floor = Number(id.split('.')[1]);
    else if (kind !== 'house') values[kind] = { id, title: name };
  }
  return values;
}
