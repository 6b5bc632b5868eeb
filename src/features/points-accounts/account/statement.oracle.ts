import { counted, dayRange } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by } from '../../../testing/oracle/world.ts';
import { LIVES, memberStanding } from './account.oracle.ts';

export const oracle = defineOracle({
  name: 'pointsStatement',
  menu: 'pointsAccount',
  table: 'points_statement',
  standing: (row, world) => memberStanding(by(world, 'member', 'id').get(row.member_id)?.[0], world),
  filters: {
    at: dayRange('at'),
    kind: {
      value: (dice) => String(1 + dice.upTo(15)),
      keeps: (row, value) => value.split(',').includes(String(row.kind)),
    },
    direction: {
      value: (dice) => dice.pick(['in', 'out', 'none']),
      keeps: (row, value) => value === (row.amount > 0 ? 'in' : row.amount < 0 ? 'out' : 'none'),
    },
  },
  // Numbers stand in the tables of orders, refunds, batches and corrections.
  leftOut: ['account', 'businessNo'],
  export: counted,
  reads: LIVES,
});
