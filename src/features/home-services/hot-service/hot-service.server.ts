import { hotService } from '../../mall/recommended-product/recommended-product.contract.ts';
import { bindRecommended } from '../../mall/recommended-product/recommended-product.server.ts';

/** Services shown first in each project. Source: group 07, mm_hotHomeServcie. */
export const registration = bindRecommended({
  contract: hotService,
  kind: 'service',
  onSale: `t.kind = 'service' AND t.status = 'published' AND t.recycled_at IS NULL`,
  gone: 'service_free_places(p.id, t.project_id) = 0',
  target: 'hotServiceOffer',
  limit: 'service.hot_max',
  words: {
    taken: ['该服务已推荐', 'The service is recommended there already'],
    notOnSale: ['服务不存在或未发布', 'The service does not exist or is not published'],
    elsewhere: ['未在该小区提供：{names}', 'Not offered in this project: {names}'],
  },
  job: { name: 'hotService.period', title: ['热门服务到期开始与结束', 'Hot services begin and end'] },
}).registration;
