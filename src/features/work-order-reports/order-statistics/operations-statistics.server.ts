import { bindReport } from '../../../kernel/server/report/bind.ts';
import { operationsStatistics } from './order-statistics.contract.ts';
import { statisticsOf } from './statistics.server.ts';

/** Statistics of operations work orders. */
export const registration = bindReport(operationsStatistics, {
  compute: ({ caller, platform, language }, request) =>
    statisticsOf(platform.replica.db, caller, operationsStatistics.menu, 'operations', request, language),
});
