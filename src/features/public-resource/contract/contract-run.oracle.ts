import { defineOracle } from '../../../testing/oracle/oracle.ts';
import type { Raw } from '../../../testing/oracle/world.ts';
import { contracts, ofContract, runTabs } from './contract.oracle.ts';

/** Whatever was decided; drafts are none of them. */
export const isRun = (row: Raw) => ['active', 'expiring', 'expired', 'terminated'].includes(row.state);

export const oracle = defineOracle({
  name: 'contractRun',
  menu: 'contractList',
  ...contracts,
  where: isRun,
  standing: ofContract,
  tabs: runTabs,
});
