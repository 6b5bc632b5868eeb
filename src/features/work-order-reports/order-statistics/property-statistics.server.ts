import { bindReport } from '../../../kernel/server/report/bind.ts';
import { elementCode } from '../../../kernel/contract/resource.ts';
import { changesEndpoint, heatEndpoint, subscriptionEndpoints } from './changes.server.ts';
import { propertyStatistics, REPORT_ELEMENTS } from './order-statistics.contract.ts';
import { statisticsOf } from './statistics.server.ts';

/** Statistics of property work orders. */
export const registration = bindReport(propertyStatistics, {
  compute: ({ caller, platform, language }, request) =>
    statisticsOf(platform.replica.db, caller, propertyStatistics.menu, 'property', request, language),
  endpoints: [
    changesEndpoint(propertyStatistics, 'property'),
    heatEndpoint(propertyStatistics, 'property'),
    ...subscriptionEndpoints(propertyStatistics, 'property'),
  ],
  also: {
    elements: {
      [elementCode(propertyStatistics, 'btn_freezeView')]: REPORT_ELEMENTS.btn_freezeView,
      [elementCode(propertyStatistics, 'btn_subscribe')]: REPORT_ELEMENTS.btn_subscribe,
    },
  },
});
