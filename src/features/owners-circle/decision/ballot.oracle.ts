import { defineOracle } from '../../../testing/oracle/oracle.ts';
import type { Raw, World } from '../../../testing/oracle/world.ts';

const decisionOf = (row: Raw, world: World) =>
  world.rows.decision!.find((one) => one.id === row.decision_id)!;

export const oracle = defineOracle({
  name: 'ballot',
  menu: 'cs_policyDecision',
  table: 'ballot',
  standing: (row, world) => ({
    tenant: null,
    projects: [decisionOf(row, world).project_id],
    owner: decisionOf(row, world).created_by,
    rule: 'places',
  }),
  // Ballots of the app stand in no list of a secret vote.
  extra: (row, world) => row.way === 'paper' || decisionOf(row, world).secret !== true,
  reads: ['decision'],
});
