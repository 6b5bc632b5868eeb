import { byCode, dayRange } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'decision',
  menu: 'cs_policyDecision',
  table: 'decision',
  standing: (row) => ({ tenant: null, projects: [row.project_id], owner: row.created_by, rule: 'places' }),
  where: (row) => row.deleted !== true,
  filters: { startsAt: dayRange('starts_at') },
  tabs: {
    all: () => true,
    running: (row) => row.state === 'running',
    pending: (row) => row.state === 'pending',
    ended: (row) => row.state === 'ended',
  },
  text: (row) => `${row.code} ${row.title}`.toLowerCase(),
  export: byCode,
  owner: 'created_by',
  sample: () => ({
    content: '<p>决策</p>',
    startsAt: `${new Date(Date.now() + 9 * 3_600_000).toISOString().slice(0, 19)}+08:00`,
    endsAt: `${new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 19)}+08:00`,
    attachments: undefined,
  }),
});
