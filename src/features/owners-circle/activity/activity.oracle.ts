import { projectsOf } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, run, type Raw } from '../../../testing/oracle/world.ts';

const JOINS = 'activity_project';
const PHASES = ['not_started', 'open', 'closed', 'running', 'over'];

function phaseOf(row: Raw): string | null {
  const now = Date.now();
  const at = (column: string) => (row[column] as Date).getTime();
  if (row.state === 'withdrawn') return null;
  if (row.state === 'draft') return 'not_started';
  if (now < at('deadline')) return 'open';
  if (now < at('starts_at')) return 'closed';
  return now < at('ends_at') ? 'running' : 'over';
}

export const oracle = defineOracle({
  name: 'activity',
  menu: 'cs_activityPromulgate',
  table: 'activity',
  standing: (row, world) => ({
    tenant: null,
    projects: (by(world, JOINS, 'activity_id').get(row.id) ?? []).map((one) => Number(one.project_id)),
    owner: row.created_by,
    rule: 'places',
  }),
  filters: {
    projects: projectsOf(JOINS, 'activity_id'),
    phase: {
      value: (dice) => dice.some(PHASES, 2).join(','),
      keeps: (row, value) => {
        const phase = phaseOf(row);
        return phase !== null && value.split(',').includes(phase);
      },
    },
    free: {
      value: (dice) => String(dice.chance(0.5)),
      keeps: (row, value) => (Number(row.cost) === 0) === (value === 'true'),
    },
  },
  text: (row) => String(row.title).toLowerCase(),
  export: { field: 'title', key: (row) => String(row.title) },
  owner: 'created_by',
  reads: [JOINS],
  sample: (turn) => ({
    title: `随机活动${turn}`,
    audience: 'property',
    groups: undefined,
    startsAt: '2031-05-01T10:00:00+08:00',
    endsAt: '2031-05-01T13:00:00+08:00',
    deadline: '2031-04-30T10:00:00+08:00',
    phone: '02588886666',
    longitude: undefined,
    latitude: undefined,
    free: true,
    cost: undefined,
    personLimit: 0,
  }),
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id }] of staff.slice(0, 30).entries()) {
      const state = dice.pick(['draft', 'published', 'published', 'withdrawn']);
      await run(
        db,
        `WITH made AS (INSERT INTO activity (title, cover_id, content_html, audience, address, starts_at, ends_at, deadline, cost, contact, phone, state, published_at, created_by)
           SELECT $1, (SELECT min(id::text)::uuid FROM stored_file), '<p>x</p>', 'property', 'x', d, d + interval '2 days', d - interval '1 day', $2, 'x', '02588886666', $3,
             CASE WHEN $3 <> 'draft' THEN now() END, $4 FROM (SELECT date_trunc('day', now()) + make_interval(days => $5) AS d) x RETURNING id)
         INSERT INTO activity_project SELECT made.id, p.id FROM made, project p WHERE p.id % 3 = $6`,
        [`随机${index}活动`, dice.pick([0, 2_000]), state, id, dice.upTo(9) - 4, index % 3],
      );
    }
  },
});
