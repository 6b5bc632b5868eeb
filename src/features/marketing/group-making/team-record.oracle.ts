import { counted, dayRange, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, type Raw, type World } from '../../../testing/oracle/world.ts';
import { whereActivityStands } from './group-making.oracle.ts';

const itemOf = (row: Raw, world: World) => by(world, 'group_buy_item', 'id').get(row.item_id)?.[0];
const activityOf = (row: Raw, world: World) =>
  by(world, 'group_buy', 'id').get(itemOf(row, world)?.group_buy_id)?.[0];

export const oracle = defineOracle({
  name: 'teamRecord',
  menu: 'mk_memberRecord',
  table: 'group_buy_team',
  standing: (row, world) => whereActivityStands(activityOf(row, world), world),
  filters: {
    activity: {
      value: (dice, world) => String(dice.pick(world.rows.group_buy!).id),
      keeps: (row, value, world) => value.split(',').includes(String(activityOf(row, world)?.id)),
    },
    state: words('state', ['forming', 'formed', 'failed', 'disbanded']),
    memberPhone: {
      value: (dice, world) => String(dice.pick(world.rows.member!).phone),
      keeps: (row, value, world) =>
        (by(world, 'group_buy_member', 'team_id').get(row.id) ?? []).some(
          (seat) => by(world, 'member', 'id').get(seat.member_id)?.[0]?.phone === value,
        ),
    },
    openedAt: dayRange('opened_at'),
  },
  export: counted,
  reads: ['group_buy', 'group_buy_item', 'group_buy_project', 'group_buy_member', 'member'],
});
