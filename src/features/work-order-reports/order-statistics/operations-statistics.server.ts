import { bindReport } from '../../../kernel/server/report/bind.ts';
import { elementCode } from '../../../kernel/contract/resource.ts';
import { changesEndpoint, heatEndpoint, subscriptionEndpoints } from './changes.server.ts';
import { operationsStatistics, REPORT_ELEMENTS } from './order-statistics.contract.ts';
import { statisticsOf } from './statistics.server.ts';

/** Statistics of operations work orders. */
export const registration = bindReport(operationsStatistics, {
  compute: ({ caller, platform, language }, request) =>
    statisticsOf(platform.replica.db, caller, operationsStatistics.menu, 'operations', request, language),
  endpoints: [
    changesEndpoint(operationsStatistics, 'operations'),
    heatEndpoint(operationsStatistics, 'operations'),
    ...subscriptionEndpoints(operationsStatistics, 'operations'),
  ],
  also: {
    elements: {
      [elementCode(operationsStatistics, 'btn_freezeView')]: REPORT_ELEMENTS.btn_freezeView,
      [elementCode(operationsStatistics, 'btn_subscribe')]: REPORT_ELEMENTS.btn_subscribe,
    },
  },
});
