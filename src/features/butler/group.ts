import { defineGroup } from '../../kernel/contract/group.ts';

/** 管家. */
export const group = defineGroup({
  path: '/butlermanager',
  screens: [
    {
      menu: 'butler_goods',
      load: () => import('./goods/butler-goods.contract.ts').then((m) => ({ contract: m.butlerGoods })),
    },
  ],
});
