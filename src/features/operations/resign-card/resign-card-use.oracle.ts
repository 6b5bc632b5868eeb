import { counted } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'resignCardUse',
  menu: 'os_resignCard',
  table: 'resign_card_use',
  standing: (row, world) => ({
    tenant: null,
    projects: [row.project_id],
    owner: by(world, 'resign_card', 'id').get(row.card_id)?.[0]?.created_by ?? null,
    rule: 'places',
  }),
  export: counted,
  reads: ['resign_card'],
});
