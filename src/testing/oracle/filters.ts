import { by, type Dice, type Held, type Raw, type Standing, type World } from './world.ts';

/*
 * What filters mean, written over raw table rows: for oracles to choose from. Shares no code with the product.
 */

/** A filter: random values, and which rows they keep. */
export interface FilterRule {
  value(dice: Dice, world: World): string;
  keeps(row: Raw, value: string, world: World, held: Held): boolean;
}

const list = (value: string) => value.split(',');

/** A filter by words of a column, one or several. */
export const words = (column: string | ((row: Raw) => unknown), choices: readonly string[]): FilterRule => ({
  value: (dice) => dice.some(choices, 1 + dice.upTo(Math.min(3, choices.length))).join(','),
  keeps: (row, value) => list(value).includes(String(typeof column === 'string' ? row[column] : column(row))),
});

/** A filter by one word of a column. */
export const word = (column: string, choices: readonly string[]): FilterRule => ({
  value: (dice) => dice.pick(choices),
  keeps: (row, value) => row[column] === value,
});

/** A filter by ids of another table. */
export const ids = (
  column: string,
  table: string,
  where: (row: Raw) => boolean = () => true,
): FilterRule => ({
  value: (dice, world) =>
    dice
      .some(world.rows[table]!.filter(where), 1 + dice.upTo(3))
      .map((one) => one.id)
      .join(','),
  keeps: (row, value) => list(value).includes(String(row[column])),
});

/** A filter by ids, asked with those that rows of the own table hold. */
export const idsOfRows = (column: string, table: string): FilterRule => ({
  value: (dice, world) =>
    dice.some([...new Set(world.rows[table]!.map((one) => one[column] ?? 0))], 1 + dice.upTo(3)).join(','),
  keeps: (row, value) => row[column] !== null && list(value).includes(String(row[column])),
});

export const isMerchant = (row: Raw) => row.kind === 2;

const yuan = (fen: number) => (fen / 100).toFixed(2);

/** A closed range of amounts; rows hold fen. */
export const moneyRange = (from: string, to: string = from): FilterRule => ({
  value: (dice) => {
    const low = dice.upTo(20_000);
    return `${dice.chance(0.8) ? yuan(low) : ''}~${dice.chance(0.8) ? yuan(low + dice.upTo(40_000)) : ''}`;
  },
  keeps: (row, value) => {
    const [low, high] = value
      .split('~')
      .map((side) => (side === '' ? undefined : Math.round(Number(side) * 100)));
    // What was never quoted lies in no range, open ones included.
    const lies = (end: unknown, fits: (fen: number) => boolean) => end !== null && fits(Number(end));
    return (
      (low === undefined || lies(row[to], (fen) => fen >= low)) &&
      (high === undefined || lies(row[from], (fen) => fen <= high))
    );
  },
});

/** A closed range of numbers around what rows of the table hold. */
export const numberRange = (column: string, table: string): FilterRule => ({
  value: (dice, world) => {
    const held = world.rows[table]!.filter((row) => row[column] !== null);
    const low = held.length === 0 ? 0 : Math.trunc(Number(dice.pick(held)[column]));
    return `${dice.chance(0.8) ? low : ''}~${dice.chance(0.8) ? low + dice.upTo(20) : ''}`;
  },
  keeps: (row, value) => {
    const [low = '', high = ''] = value.split('~');
    if (row[column] === null) return low === '' && high === '';
    const own = Number(row[column]);
    return (low === '' || own >= Number(low)) && (high === '' || own <= Number(high));
  },
});

const DAY = 86_400_000;

/** The business day of an instant, reckoned here by itself: eight hours before UTC. */
export const dayOf = (instant: Date): string =>
  new Date(instant.getTime() + 8 * 3_600_000).toISOString().slice(0, 10);

/** A closed range of business days; rows hold instants, or days as text. */
export const dayRange = (column: string): FilterRule => ({
  value: (dice) => {
    const from = Date.now() - dice.upTo(60) * DAY;
    return `${dayOf(new Date(from))}~${dice.chance(0.8) ? dayOf(new Date(from + dice.upTo(40) * DAY)) : ''}`;
  },
  keeps: (row, value) => {
    const [from = '', to = ''] = value.split('~');
    if (row[column] === null) return false;
    const day = row[column] instanceof Date ? dayOf(row[column]) : String(row[column]);
    return (from === '' || day >= from) && (to === '' || day <= to);
  },
});

export const yes = (column: string): FilterRule => ({
  value: (dice) => (dice.chance(0.5) ? 'true' : 'false'),
  keeps: (row, value) => row[column] === (value === 'true'),
});

/** A filter by a part of a text. */
export const part = (column: string): FilterRule => ({
  value: (dice) => dice.pick(['1', '2', '角', '部', '岗', 'p', '油', '米', '5']),
  keeps: (row, value) => String(row[column]).toLowerCase().includes(value),
});

/** A filter by the whole text, asked with what rows of the table hold and now and then with what none holds. */
export const exactly = (column: string, table: string): FilterRule => ({
  value: (dice, world) => {
    const held = world.rows[table]!.filter((row) => row[column] !== null && row[column] !== '');
    return held.length === 0 || dice.chance(0.2) ? 'zzz9' : String(dice.pick(held)[column]);
  },
  keeps: (row, value) => row[column] !== null && String(row[column]) === value,
});

/** A filter by the centre city of a row's project. */
export const centres = (): FilterRule => ({
  value: (dice, world) => String(dice.pick(world.rows.project!).centre_id),
  keeps: (row, value, world) =>
    String(world.rows.project!.find((one) => one.id === row.project_id)!.centre_id) === value,
});

/** A filter by rows linked through a table of pairs. */
export const linked = (table: string, own: string, other: string, target: string): FilterRule => ({
  value: (dice, world) =>
    dice
      .some(world.rows[target]!, 1 + dice.upTo(3))
      .map((one) => one.id)
      .join(','),
  keeps: (row, value, world) =>
    (by(world, table, own).get(row.id) ?? []).some((one) => list(value).includes(String(one[other]))),
});

/**
 * A filter by projects rows are linked with: asked for projects they do not work in, staff learn nothing of them, so that
 * rows of all projects (`everywhere`) come only where one of those asked for is the own.
 */
export const projectsOf = (
  table: string,
  own: string,
  everywhere: (row: Raw) => boolean = () => false,
): FilterRule => ({
  ...linked(table, own, 'project_id', 'project'),
  keeps: (row, value, world, held) => {
    const asked = list(value)
      .map(Number)
      .filter((id) => held.projects?.has(id) ?? true);
    if (everywhere(row)) return asked.length > 0;
    return (by(world, table, own).get(row.id) ?? []).some((one) => asked.includes(Number(one.project_id)));
  },
});

/** Rows of a tenant in one project, owned by who made them. */
export const inProject = (row: Raw): Standing => ({
  tenant: row.tenant_id,
  projects: [row.project_id],
  owner: row.created_by,
  rule: 'places',
});

/** Rows of the own tenant only, with the column of their owner. */
export const ownTenant =
  (owner: string) =>
  (row: Raw): Standing => ({ tenant: row.tenant_id, projects: undefined, owner: row[owner], rule: 'own' });

/** Tabs that show the rows in one state each. */
export const stateTabs = (...states: readonly string[]) =>
  Object.fromEntries(states.map((state) => [state, (row: Raw) => row.state === state]));

/** What exports name rows by. */
export const byCode = { field: 'code', key: (row: Raw) => String(row.code) };
export const byName = { field: 'name', key: (row: Raw) => String(row.name) };
/** Exports whose rows are only counted. */
export const counted = { key: () => '' };
