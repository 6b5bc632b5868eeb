import { counted, idsOfRows, words, type FilterRule } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { maySee, type Held, type Raw, type World } from '../../../testing/oracle/world.ts';
import { ofContract } from './contract.oracle.ts';
import { isRun } from './contract-run.oracle.ts';

const MENU = 'contractList';
const contractOf = (row: Raw, world: World): Raw =>
  world.rows.contract!.find((one) => one.id === row.contract_id)!;
const projects: FilterRule = {
  value: (dice, world) =>
    dice
      .some(world.rows.project!, 1 + dice.upTo(3))
      .map((one) => one.id)
      .join(','),
  keeps: (row, value, world) => value.split(',').includes(String(contractOf(row, world).project_id)),
};

export const oracle = defineOracle({
  name: 'contractPayment',
  menu: MENU,
  table: 'contract_payment',
  standing: () => ({ tenant: null, projects: undefined, owner: null, rule: 'people' }),
  extra: (row: Raw, world: World, held: Held) => {
    const own = contractOf(row, world);
    return isRun(own) && maySee(world, held, MENU, ofContract(own));
  },
  filters: {
    contract: idsOfRows('contract_id', 'contract_payment'),
    project: projects,
    party: {
      value: (dice) => dice.pick(['合同', '随机', '公司', '1', '5']),
      keeps: (row, value, world) => contractOf(row, world).party_text.includes(value),
    },
    direction: {
      ...words('id', ['income', 'expense']),
      keeps: (row, value, world) => value.split(',').includes(contractOf(row, world).direction),
    },
  },
  leftOut: ['overdue'],
  export: counted,
  reads: ['contract'],
});
