import {
  counted,
  dayRange,
  ids,
  isMerchant,
  words,
  type FilterRule,
} from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, type Raw, type World } from '../../../testing/oracle/world.ts';

const activityOf = (item: Raw, world: World): Raw => by(world, 'group_buy', 'id').get(item.group_buy_id)![0]!;
const projectsOfItem = (item: Raw, world: World): number[] =>
  (by(world, 'group_buy_project', 'group_buy_id').get(item.group_buy_id) ?? []).map((one) =>
    Number(one.project_id),
  );

/** A filter over a column of the activity. */
const ofActivity = (rule: FilterRule): FilterRule => ({
  ...rule,
  keeps: (row, value, world, held) => rule.keeps(activityOf(row, world), value, world, held),
});

/** 1 not started, 2 running, 3 formed, 4 sold out, 5 ended. */
function statusOf(item: Raw, world: World): string {
  const activity = activityOf(item, world);
  const now = Date.now();
  if (item.state === 'ended' || (activity.ends_at as Date).getTime() <= now) return '5';
  if (item.state !== 'published' || (activity.starts_at as Date).getTime() > now) return '1';
  if (item.remaining === 0) return '4';
  const formed = (by(world, 'group_buy_team', 'item_id').get(item.id) ?? []).some(
    (team) => team.state === 'formed',
  );
  return activity.formed_at !== null || formed ? '3' : '2';
}

export const oracle = defineOracle({
  name: 'groupBuyItem',
  menu: 'mm_groupManagement',
  table: 'group_buy_item',
  sample: () => ({
    startsAt: '2030-01-01T00:00:00+08:00',
    endsAt: '2030-01-10T00:00:00+08:00',
    groupSize: 3,
    formFrom: undefined,
    // Below every ordinary price there is.
    price: '1.00',
    leaderPrice: undefined,
    moreSpecs: undefined,
  }),
  standing: (row, world) => ({
    tenant: row.tenant_id,
    projects: projectsOfItem(row, world),
    owner: row.created_by,
    rule: 'places',
  }),
  filters: {
    state: words('state', ['draft', 'reviewing', 'rejected', 'published', 'ended']),
    status: {
      ...words('id', ['1', '2', '3', '4', '5']),
      keeps: (row, value, world) => value.split(',').includes(statusOf(row, world)),
    },
    merchant: ids('tenant_id', 'tenant', isMerchant),
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
          .some((id) => projectsOfItem(row, world).includes(id)),
    },
    mode: ofActivity(words('mode', ['team', 'total'])),
    startsAt: ofActivity(dayRange('starts_at')),
    endsAt: ofActivity(dayRange('ends_at')),
  },
  tabs: {
    all: () => true,
    notStarted: (row, world) => statusOf(row, world) === '1',
    running: (row, world) => statusOf(row, world) === '2',
    formed: (row, world) => statusOf(row, world) === '3',
    soldOut: (row, world) => statusOf(row, world) === '4',
    ended: (row, world) => statusOf(row, world) === '5',
    reviewing: (row) => row.state === 'reviewing',
  },
  export: counted,
  owner: 'created_by',
  reads: ['group_buy', 'group_buy_project', 'group_buy_team', 'project'],
});
