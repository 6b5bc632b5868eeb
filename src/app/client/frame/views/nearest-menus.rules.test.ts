import { expect, it } from 'vitest';
import { nearestMenus } from './nearest-menus.rules.ts';

it('offers the menus that were probably meant', () => {
  const menus = [
    '/service/mm_orderRefund',
    '/adminSys/menuManager',
    '/adminSys/groupManager',
    '/lifeService/order',
  ].map((path) => ({ path, code: path.split('/')[2]! }));
  expect(nearestMenus('/adminsys/menumanger', menus, 1)[0]?.code).toBe('menuManager');
  expect(nearestMenus('/x/orderrefund', menus, 1)[0]?.code).toBe('mm_orderRefund');
  expect(nearestMenus('/nope', menus)).toHaveLength(3);
});
