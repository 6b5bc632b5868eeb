import { defineGroup } from '../../kernel/contract/group.ts';

const self = () =>
  import('./merchant/merchant.contract.ts').then((module) => ({ contract: module.selfMerchant }));
const resident = () =>
  import('./merchant/merchant.contract.ts').then((module) => ({ contract: module.residentMerchant }));

/** 服务资源: merchants under their three menus. */
export const group = defineGroup({
  path: '/serviceSourceManager',
  screens: [
    {
      menu: 'ssm_merchantManager',
      load: () => import('./merchant/merchant.contract.ts').then((module) => ({ contract: module.merchant })),
    },
    { menu: 'selfMerchants', load: self },
    { menu: 'selfMerchantsDetalis', path: 'selfMerchantsDetalis/:type/:id', load: self },
    { menu: 'residentMerchants', load: resident },
    { menu: 'residentMerchantsDetails', path: 'residentMerchantsDetails/:type/:id', load: resident },
  ],
});
