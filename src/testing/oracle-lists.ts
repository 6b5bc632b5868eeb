import { oracles } from '../app/registry/oracles.gen.ts';
import { registrations } from '../app/registry/registrations.gen.ts';
import { listsOf, type ListRule } from './oracle/oracle.ts';

const resources = registrations.flatMap((service) =>
  service.contract?.archetype === 'resource' ? [service.contract] : [],
);
const all = listsOf(oracles, resources);

/** What has no oracle, or no resource. */
export const ORACLE_PROBLEMS = all.problems;

/** Every registered list with its independent rule. */
export const LISTS: readonly ListRule[] = all.lists;

/** One resource alone is looked at: `npm run screen -- NAME`. */
export const SCREEN = process.env.SCREEN || undefined;

/** The lists a run looks at: all, or that of SCREEN. */
export const LOOKED_AT: readonly ListRule[] = SCREEN ? LISTS.filter((one) => one.name === SCREEN) : LISTS;
if (SCREEN && LOOKED_AT.length === 0)
  throw new Error(`SCREEN=${SCREEN}: no resource of this name has an oracle`);

/** The list of a resource. */
export function listOf(name: string): ListRule {
  const list = LISTS.find((one) => one.name === name);
  if (!list) throw new Error(`no list ${name}`);
  return list;
}

/** Menus of lists and reports, which random groups grant. */
export const MENUS: readonly string[] = [
  ...new Set(
    registrations.flatMap((service) =>
      service.contract?.archetype === 'resource' || service.contract?.archetype === 'report'
        ? [service.contract.menu]
        : [],
    ),
  ),
].sort();
