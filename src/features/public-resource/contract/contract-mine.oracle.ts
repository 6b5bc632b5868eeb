import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { contracts, ownTabs, seesOwn } from './contract.oracle.ts';

export const oracle = defineOracle({
  name: 'contractMine',
  menu: 'pr_contractMineManagement',
  ...contracts,
  standing: () => ({ tenant: null, projects: undefined, owner: null, rule: 'people' }),
  extra: seesOwn,
  tabs: ownTabs,
  sample: (turn) => ({
    partyA: undefined,
    owner: undefined,
    client: undefined,
    merchant: undefined,
    partyName: `乙方${turn}`,
    contactPhone: '13800000000',
    participants: undefined,
    startsOn: '2030-01-01',
    endsOn: '2030-12-31',
    positions: [],
    steps: [],
    freePeriods: [],
    fees: [],
    manualLines: [],
    preview: undefined,
    depositDueOn: undefined,
    attachments: undefined,
    price: '100.00',
  }),
});
