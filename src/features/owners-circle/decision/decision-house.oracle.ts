import { counted } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import type { Raw, World } from '../../../testing/oracle/world.ts';

const decisionOf = (row: Raw, world: World) =>
  world.rows.decision!.find((one) => one.id === row.decision_id)!;

export const oracle = defineOracle({
  name: 'decisionHouse',
  menu: 'cs_policyDecision',
  table: 'decision_house',
  standing: (row, world) => ({
    tenant: null,
    projects: [decisionOf(row, world).project_id],
    owner: decisionOf(row, world).created_by,
    rule: 'places',
  }),
  filters: {
    voted: {
      value: (dice) => dice.pick(['voted', 'open']),
      keeps: (row, value, world) =>
        world.rows.ballot!.some(
          (one) =>
            one.decision_id === row.decision_id && one.house_id === row.house_id && one.state === 'live',
        ) ===
        (value === 'voted'),
    },
  },
  export: counted,
  reads: ['decision', 'ballot'],
});
