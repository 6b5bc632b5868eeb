import { byCode, dayRange, ids } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'pointsGrantBatch',
  menu: 'pointsSend',
  table: 'points_grant_batch',
  standing: (row) => ({ tenant: row.tenant_id, projects: undefined, owner: row.created_by, rule: 'places' }),
  filters: {
    createdAt: dayRange('created_at'),
    budget: ids('budget_id', 'points_budget'),
    applicant: {
      value: (dice, world) => String(dice.pick(world.rows.points_grant_batch!).created_by ?? 1),
      keeps: (row, value) => String(row.submitted_by ?? row.created_by) === value,
    },
  },
  // Asked with projects out of reach it is refused.
  leftOut: ['projects'],
  text: (row) => `${row.code} ${row.name}`.toLowerCase(),
  export: byCode,
  owner: 'created_by',
  reads: ['points_budget'],
  sample: () => ({
    audience: 'filter',
    validity: 'default',
    expiresOn: undefined,
    points: 10,
    chosen: [],
    grades: undefined,
    registeredFrom: undefined,
    registeredTo: undefined,
    activeFrom: undefined,
    activeTo: undefined,
    sendAt: undefined,
  }),
});
