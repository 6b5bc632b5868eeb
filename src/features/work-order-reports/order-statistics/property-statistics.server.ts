import { bindReport } from '../../../kernel/server/report/bind.ts';
import { propertyStatistics } from './order-statistics.contract.ts';
import { statisticsOf } from './statistics.server.ts';

/** Statistics of property work orders. */
export const registration = bindReport(propertyStatistics, {
  compute: ({ caller, platform, language }, request) =>
    statisticsOf(platform.replica.db, caller, propertyStatistics.menu, 'property', request, language),
});
