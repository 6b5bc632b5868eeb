import { run } from '../../../kernel/server/database.ts';
import { endpoint, type Endpoint } from '../../../kernel/server/registration.ts';
import { monitorPage, type MonitorReport } from './monitor.contract.ts';

/**
 * How the product did: availability per service and month, faults per day of 30 days, alerts per rule and month, the
 * routes that took most of the last day. Source: group 05, Reports and drill.
 */
export const reportEndpoint: Endpoint = endpoint({
  method: 'GET',
  path: '/admin/monitor/report',
  title: ['监控报表', 'Reports of monitoring'],
  access: { code: monitorPage.menu },
  handle: async ({ platform }): Promise<MonitorReport> => {
    const { db } = platform.replica;
    const [availability, faults, alerts, routes] = await Promise.all([
      run<MonitorReport['availability'][number]>(
        db,
        `SELECT service, to_char(day, 'YYYY-MM') AS month, sum(up)::integer AS up, sum(expected)::integer AS expected
           FROM service_up_total GROUP BY 1, 2 ORDER BY 2 DESC, 1 LIMIT 200`,
      ),
      run<MonitorReport['faults'][number]>(
        db,
        `SELECT to_char(day, 'YYYY-MM-DD') AS day, sum(calls)::bigint AS calls, sum(faults)::bigint AS faults FROM http_day_total
          WHERE day > (now() AT TIME ZONE 'Asia/Shanghai')::date - 30 GROUP BY 1 ORDER BY 1 DESC`,
      ),
      run<MonitorReport['alerts'][number]>(
        db,
        `SELECT r.id::text AS "ruleId", r.name, r.name_en AS "nameEn", to_char(a.fired_at AT TIME ZONE 'Asia/Shanghai', 'YYYY-MM') AS month,
                count(*)::integer AS count,
                round(avg(extract(epoch FROM a.acked_at - a.fired_at)))::float8 AS "acknowledgeSeconds",
                round(avg(extract(epoch FROM a.recovered_at - a.fired_at)))::float8 AS "recoverSeconds"
           FROM alert a JOIN alert_rule r ON r.id = a.rule_id WHERE a.fired_at IS NOT NULL
          GROUP BY r.id, 4 ORDER BY 4 DESC, 5 DESC LIMIT 200`,
      ),
      run<MonitorReport['routes'][number]>(
        db,
        `SELECT a.id::text, a.method || ' ' || a.path AS route, sum(m.calls)::integer AS calls, sum(m.total_ms)::float8 AS "totalMs",
                p95_of(a.id, now() - interval '24 hours') AS p95
           FROM api_minute m JOIN api_call a ON a.id = m.api_id WHERE m.minute >= now() - interval '24 hours'
          GROUP BY a.id ORDER BY 4 DESC LIMIT 50`,
      ),
    ]);
    return { availability, faults, alerts, routes };
  },
});
