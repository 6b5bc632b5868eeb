import { dayRange, idsOfRows, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, type Raw, type World } from '../../../testing/oracle/world.ts';

/** A team or a seat stands where its item does. */
export const whereItemStands = (row: Raw, world: World) => {
  const item = by(world, 'group_buy_item', 'id').get(row.item_id)?.[0];
  if (!item) return { tenant: null, projects: [], owner: null, rule: 'places' as const };
  return {
    tenant: item.tenant_id as number,
    projects: (by(world, 'group_buy_project', 'group_buy_id').get(item.group_buy_id) ?? []).map((one) =>
      Number(one.project_id),
    ),
    owner: item.created_by as number | null,
    rule: 'places' as const,
  };
};

export const oracle = defineOracle({
  name: 'groupBuyTeam',
  menu: 'mm_groupManagement',
  table: 'group_buy_team',
  standing: whereItemStands,
  filters: {
    item: idsOfRows('item_id', 'group_buy_item'),
    state: words('state', ['forming', 'formed', 'failed', 'disbanded']),
    openedAt: dayRange('opened_at'),
  },
  text: (row) => String(row.code).toLowerCase(),
  reads: ['group_buy_item', 'group_buy_project'],
});
