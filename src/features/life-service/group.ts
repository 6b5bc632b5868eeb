import { defineGroup } from '../../kernel/contract/group.ts';

const receivable = () => import('./receivable/receivable.screen.tsx').then((module) => module.screen);
const order = () => import('./package-order/package-order.screen.tsx').then((module) => module.screen);
const receipt = () => import('./receipt/receipt.screen.tsx').then((module) => module.screen);

/** 生活服务. */
export const group = defineGroup({
  path: '/lifeService',
  screens: [
    {
      menu: 'pack',
      load: () => import('./package/package.screen.tsx').then((module) => module.screen),
    },
    { menu: 'order', load: order },
    { menu: 'orderEdit', path: 'orderEdit/:id/:source', load: order },
    { menu: 'orderDetails', path: 'orderDetails/:id/:source', load: order },
    { menu: 'accountsReceivable', load: receivable },
    { menu: 'accountsReceivableEdit', path: 'accountsReceivableEdit/:id/:source', load: receivable },
    { menu: 'accountsReceivableDetails', path: 'accountsReceivableDetails/:id/:source', load: receivable },
    { menu: 'accountsConfirm', load: receipt },
    { menu: 'accountsConfirmEdit', path: 'accountsConfirmEdit/:id/:source', load: receipt },
    { menu: 'accountsConfirmDetails', path: 'accountsConfirmDetails/:id/:source', load: receipt },
  ],
});
