import { dayRange, ids, isMerchant, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, type Raw, type World } from '../../../testing/oracle/world.ts';

const projectsOf = (id: number, world: World): number[] =>
  (by(world, 'group_buy_project', 'group_buy_id').get(id) ?? []).map((one) => Number(one.project_id));

/** An activity stands with its merchant and in its projects. */
export const whereActivityStands = (activity: Raw | undefined, world: World) =>
  activity
    ? {
        tenant: activity.tenant_id as number,
        projects: projectsOf(activity.id, world),
        owner: activity.created_by as number | null,
        rule: 'places' as const,
      }
    : { tenant: null, projects: [], owner: null, rule: 'places' as const };

/** 1 not started, 2 running, 3 formed, 4 sold out, 5 ended. */
function statusOf(activity: Raw, world: World): string {
  const now = Date.now();
  if (activity.state === 'ended' || (activity.ends_at as Date).getTime() <= now) return '5';
  if (activity.state !== 'published' || (activity.starts_at as Date).getTime() > now) return '1';
  const items = by(world, 'group_buy_item', 'group_buy_id').get(activity.id) ?? [];
  if (!items.some((item) => item.remaining > 0)) return '4';
  const formed = items.some((item) =>
    (by(world, 'group_buy_team', 'item_id').get(item.id) ?? []).some((team) => team.state === 'formed'),
  );
  return activity.formed_at !== null || formed ? '3' : '2';
}

export const oracle = defineOracle({
  name: 'groupMaking',
  menu: 'mk_makeGroup',
  table: 'group_buy',
  standing: (row, world) => whereActivityStands(row, world),
  sample: () => ({
    startsAt: '2030-02-01T00:00:00+08:00',
    endsAt: '2030-02-10T00:00:00+08:00',
    formFrom: undefined,
  }),
  filters: {
    state: words('state', ['draft', 'reviewing', 'rejected', 'published', 'ended']),
    status: {
      ...words('id', ['1', '2', '3', '4', '5']),
      keeps: (row, value, world) => value.split(',').includes(statusOf(row, world)),
    },
    merchant: ids('tenant_id', 'tenant', isMerchant),
    mode: words('mode', ['team', 'total']),
    projects: {
      value: (dice, world) =>
        dice
          .some(world.rows.project!, 2)
          .map((one) => one.id)
          .join(','),
      keeps: (row, value, world, held) =>
        value
          .split(',')
          .map(Number)
          .filter((id) => held.projects?.has(id) ?? true)
          .some((id) => projectsOf(row.id, world).includes(id)),
    },
    startsAt: dayRange('starts_at'),
    endsAt: dayRange('ends_at'),
  },
  tabs: {
    all: () => true,
    draft: (row) => row.state === 'draft',
    reviewing: (row) => row.state === 'reviewing',
    published: (row) => row.state === 'published',
    ended: (row) => row.state === 'ended',
  },
  text: (row) => `${row.code} ${row.name}`.toLowerCase(),
  export: { field: 'code', key: (row) => String(row.code) },
  owner: 'created_by',
  reads: ['group_buy_project', 'group_buy_item', 'group_buy_team', 'project'],
});
