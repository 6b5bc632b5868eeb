import { counted, idsOfRows, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by } from '../../../testing/oracle/world.ts';

const STATES = ['frozen', 'payable', 'paid', 'clawed_back', 'cancelled'];

export const oracle = defineOracle({
  name: 'butlerIncentive',
  menu: 'butler_incentiveDistribution',
  table: 'incentive',
  standing: (row, world) => ({
    tenant: null,
    projects: row.project_id === null ? [] : [Number(row.project_id)],
    owner: by(world, 'housekeeper', 'id').get(row.housekeeper_id)![0]!.staff_id,
    rule: 'places',
  }),
  filters: {
    butler: idsOfRows('housekeeper_id', 'incentive'),
    batch: idsOfRows('batch_id', 'incentive'),
    status: words('state', STATES),
  },
  tabs: {
    payable: (row) => row.state === 'payable',
    clawbacks: (row) => row.kind === 'clawback',
    all: () => true,
  },
  export: counted,
  reads: ['housekeeper'],
});
