import { idsOfRows, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { whereItemStands } from './group-buy-team.oracle.ts';

export const oracle = defineOracle({
  name: 'groupBuySeat',
  menu: 'mm_groupManagement',
  table: 'group_buy_member',
  standing: whereItemStands,
  filters: {
    item: idsOfRows('item_id', 'group_buy_item'),
    state: words('state', ['held', 'joined', 'released', 'refunded']),
    role: words('role', ['leader', 'member']),
  },
  reads: ['group_buy_item', 'group_buy_project'],
});
