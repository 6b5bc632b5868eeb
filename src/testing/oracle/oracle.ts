import type { Db } from '../../kernel/server/database.ts';
import type { Field } from '../../kernel/contract/fields.ts';
import { fieldsOf, type Resource } from '../../kernel/contract/resource.ts';
import {
  dayRange,
  exactly,
  idsOfRows,
  moneyRange,
  numberRange,
  part,
  word,
  words,
  yes,
  type FilterRule,
} from './filters.ts';
import type { Dice, Held, Raw, Standing, World } from './world.ts';

/**
 * The independent rule of one list, in `<noun>.oracle.ts` beside its resource: who may see which rows of the table, what
 * filters, tabs and export mean. Plain loops over raw rows, importing nothing of the product.
 */
export interface Oracle {
  /** Name of the resource. */
  readonly name: string;
  /** The menu whose holders see the list. */
  readonly menu: string;
  readonly table: string;
  /** Rows of the table the list is about. */
  readonly where?: (row: Raw) => boolean;
  standing(row: Raw, world: World): Standing;
  /**
   * Filters whose meaning does not follow from the kind of their field. One that is not written here is taken from the
   * contract: choice, boolean, ranges, text and refs over the column of the same name.
   */
  readonly filters?: Readonly<Record<string, FilterRule>>;
  /** Filters nobody has written down, as the column of the same name does not answer them. */
  readonly leftOut?: readonly string[];
  readonly tabs?: Readonly<Record<string, (row: Raw, world: World, held: Held) => boolean>>;
  /** Text the keyword looks in, in lower case. */
  readonly text?: (row: Raw) => string;
  /** Column of the export that names the row, by field or title; without one rows are counted. `lines`: rows one makes. */
  readonly export?: {
    readonly field?: string;
    readonly title?: string;
    key(row: Raw): string;
    lines?(row: Raw, world: World): number;
  };
  readonly extra?: (row: Raw, world: World, held: Held) => boolean;
  /** Further tables the rules above read. */
  readonly reads?: readonly string[];
  /** Further rows they read, by a query that gives an `id`. */
  readonly queries?: Readonly<Record<string, string>>;
  /** Column that gets random staff as owners, so that "own" and "department" show something and not all. */
  readonly owner?: string;
  /** Rows come by being asked (records of calls and changes): only proofs that read the tables anew for every look take part. */
  readonly grows?: true;
  /** The picker offers the names of its rows to every signed-in staff, as they are no secret; who sees the list is another matter. */
  readonly offered?: 'everybody';
  /** Values of a new row by field, where the kind and pattern of a field do not tell what fits. */
  readonly sample?: (turn: number) => Readonly<Record<string, unknown>>;
  /**
   * The test that makes its rows instead of the suite of writing: where the references of a row hang together (a member and one of
   * its own houses), no chance finds a sample.
   */
  readonly ownSample?: string;
  /** Random rows of random staff, for lists of which the demonstration set has few. */
  fill?(context: FillContext): Promise<void>;
}

/** What random rows are made with. */
export interface FillContext {
  readonly db: Db;
  readonly dice: Dice;
  /** Random staff with their tenants, in random order. */
  readonly staff: readonly { readonly id: number; readonly tenantId: number }[];
}

/** Declares the independent rule of a list. */
export function defineOracle(spec: Oracle): Oracle {
  return spec;
}

/** An oracle with the resource it speaks of. */
export interface ListRule extends Oracle {
  readonly resource: Resource;
  /** Path of the list with `/api`. */
  readonly root: string;
}

/** Puts oracles and resources together; `problems` names what has no counterpart. */
export function listsOf(
  oracles: readonly Oracle[],
  resources: readonly Resource[],
): { readonly lists: readonly ListRule[]; readonly problems: readonly string[] } {
  const byName = new Map(oracles.map((one) => [one.name, one]));
  const problems = oracles
    .filter((one) => !resources.some((resource) => resource.name === one.name))
    .map((one) => `${one.name}.oracle.ts speaks of no registered resource`);
  if (byName.size < oracles.length) problems.push('two oracles have one name');
  const lists: ListRule[] = [];
  for (const resource of resources) {
    const oracle = byName.get(resource.name);
    if (oracle)
      lists.push({
        ...oracle,
        resource,
        root: `/api${resource.base ?? '/jinmao/web'}/${resource.name}`,
      });
    else
      problems.push(
        `${resource.name} has no oracle: write ${resource.name}.oracle.ts beside it, see docs/ADD-A-SCREEN.md`,
      );
  }
  return { lists: lists.sort((a, b) => (a.name < b.name ? -1 : 1)), problems };
}

const merged = new WeakMap<World, Map<ListRule, Readonly<Record<string, FilterRule>>>>();

/** The filters of a list: those written down and those that follow from the contract. */
export function filtersOf(list: ListRule, world: World): Readonly<Record<string, FilterRule>> {
  let known = merged.get(world);
  if (!known) merged.set(world, (known = new Map()));
  let filters = known.get(list);
  if (!filters) {
    const derived = Object.entries(fieldsOf(list.resource)).flatMap(([name, field]) => {
      if (list.filters?.[name] || list.leftOut?.includes(name)) return [];
      const rule = derivedFilter(name, field, list.table, world);
      return rule ? [[name, rule] as const] : [];
    });
    known.set(list, (filters = { ...list.filters, ...Object.fromEntries(derived) }));
  }
  return filters;
}

/** Filters of the contract that are neither written down, nor derived, nor said to be left out. */
export function unprovenFilters(list: ListRule, world: World): string[] {
  const filters = filtersOf(list, world);
  return Object.entries(fieldsOf(list.resource))
    .filter(
      ([name, field]) =>
        // What looks for masked values is counted and slowed down: see guess-limit.test.ts.
        field.search !== undefined && !field.mask && !filters[name] && !list.leftOut?.includes(name),
    )
    .map(([name]) => name);
}

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function derivedFilter(name: string, field: Field, table: string, world: World): FilterRule | undefined {
  if (!field.search || field.mask) return undefined;
  const isRef = field.kind === 'ref' || field.kind === 'treeRef';
  const column = isRef ? `${snake(name)}_id` : snake(name);
  if (!world.columns.get(table)?.has(column)) return undefined;
  if (isRef) return idsOfRows(column, table);
  switch (`${field.kind} ${field.search}`) {
    case 'choice in':
      return words(column, Object.keys(field.choices ?? {}));
    case 'choice equals':
      return word(column, Object.keys(field.choices ?? {}));
    case 'boolean equals':
      return yes(column);
    case 'money range':
      return moneyRange(column);
    case 'integer range':
    case 'decimal range':
    case 'percent range':
      return numberRange(column, table);
    case 'instant range':
    case 'date range':
      return dayRange(column);
    case 'text contains':
    case 'longText contains':
    case 'code contains':
      return part(column);
    case 'text equals':
    case 'code equals':
    case 'integer equals':
      return exactly(column, table);
    default:
      return undefined;
  }
}
