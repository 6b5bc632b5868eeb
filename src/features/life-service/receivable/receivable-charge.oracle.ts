import { counted, inProject } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { maySee, type Held, type Raw, type World } from '../../../testing/oracle/world.ts';

const MENU = 'accountsReceivable';

/** Seen with the receivable it hangs on. */
export const withReceivable = (row: Raw, world: World, held: Held): boolean => {
  const line = world.rows.receivable!.find((one) => one.id === row.receivable_id)!;
  return maySee(world, held, MENU, { ...inProject(line), owner: line.owner_id ?? line.created_by });
};

export const oracle = defineOracle({
  name: 'receivableCharge',
  menu: MENU,
  table: 'receivable_charge',
  standing: () => ({ tenant: null, projects: undefined, owner: null, rule: 'people' }),
  extra: withReceivable,
  export: counted,
  reads: ['receivable'],
});
