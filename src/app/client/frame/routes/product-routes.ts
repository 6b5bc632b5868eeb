import { groups } from '../../../registry/groups.gen.ts';
import { buildRouteTable, type Route } from './route-table.rules.ts';

/** Routes that belong to no group: the home page of every staff, outside links. */
const open: readonly Route[] = [
  {
    pattern: '/dashboard',
    menu: undefined,
    screen: {
      menu: 'dashboard',
      load: () => import('../../../../features/frame/dashboard/dashboard.screen.tsx'),
    },
  },
  {
    // Outside links that open in the frame; the page looks up whether the staff holds the link.
    pattern: '/link/:code',
    menu: undefined,
    screen: {
      menu: 'link',
      load: () =>
        import('../../../../features/admin-sys/menu/link.screen.tsx').then((module) => module.screen),
    },
  },
];

/** All routes of the product. */
export const productRoutes = buildRouteTable(groups, open);
