import { groups } from '../../../registry/groups.gen.ts';
import { buildRouteTable, type Route } from './route-table.rules.ts';

/** Routes that belong to no group: the home page of every staff. */
const open: readonly Route[] = [
  {
    pattern: '/dashboard',
    menu: undefined,
    screen: {
      menu: 'dashboard',
      load: () => import('../../../../features/frame/dashboard/dashboard.screen.tsx'),
    },
  },
];

/** All routes of the product. */
export const productRoutes = buildRouteTable(groups, open);
