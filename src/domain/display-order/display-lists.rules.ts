import type { Label } from '../../kernel/contract/label.ts';

/** Lists of the owners' app whose order staff decide. Source: group 09, listSort. */
export const DISPLAY_LISTS = {
  home_modules: { label: ['首页模块', 'Home modules'] },
  mall_business: { label: ['商城业务', 'Mall businesses'] },
  service_business: { label: ['服务业务', 'Service businesses'] },
  mall_class: { label: ['商品分类', 'Product classes'] },
  notice_types: { label: ['公告类型', 'Notice types'] },
} as const satisfies Record<string, { readonly label: Label }>;

export type DisplayListCode = keyof typeof DISPLAY_LISTS;
