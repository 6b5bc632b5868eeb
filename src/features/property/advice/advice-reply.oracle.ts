import { defineOracle } from '../../../testing/oracle/oracle.ts';
import type { Raw, World } from '../../../testing/oracle/world.ts';

const adviceOf = (row: Raw, world: World) => world.rows.advice!.find((one) => one.id === row.advice_id)!;

export const oracle = defineOracle({
  name: 'adviceReply',
  menu: 'cs_advise',
  table: 'advice_reply',
  standing: (row, world) => ({
    tenant: null,
    projects: [adviceOf(row, world).project_id],
    owner: adviceOf(row, world).handler_id,
    rule: 'places',
  }),
  reads: ['advice'],
});
