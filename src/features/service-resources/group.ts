import { defineGroup } from '../../kernel/contract/group.ts';

const self = () => import('./merchant/self-merchant.screen.tsx').then((module) => module.screen);
const resident = () => import('./merchant/resident-merchant.screen.tsx').then((module) => module.screen);
const info = () => import('./merchant-info/merchant-info.screen.tsx').then((module) => module.screen);

/** 服务资源: companies, and merchants under their three menus. */
export const group = defineGroup({
  path: '/serviceSourceManager',
  screens: [
    {
      menu: 'tenantManager',
      load: () => import('./company/company.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'ssm_merchantManager',
      load: () => import('./merchant/merchant.screen.tsx').then((module) => module.screen),
    },
    { menu: 'selfMerchants', load: self },
    { menu: 'selfMerchantsDetalis', path: 'selfMerchantsDetalis/:type/:id', load: self },
    { menu: 'residentMerchants', load: resident },
    { menu: 'residentMerchantsDetails', path: 'residentMerchantsDetails/:type/:id', load: resident },
    {
      menu: 'maoBossAccount',
      load: () => import('./boss-account/boss-account.screen.tsx').then((module) => module.screen),
    },
    { menu: 'mm_merchantInfo', load: info },
    { menu: 'mm_merchantInfo', path: 'mm_merchantInfo/:id', load: info },
  ],
});
