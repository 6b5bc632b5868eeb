import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { ScreenWaits } from '../../../kernel/client/screen-of.tsx';
import { useView } from '../../../kernel/client/view.ts';
import { durationLabel } from '../monitor-page.tsx';
import { PlainTable } from '../plain-table.tsx';
import type { MonitorReport } from './monitor.contract.ts';

const share = (part: number, of: number) => (of === 0 ? '–' : `${((100 * part) / of).toFixed(2)}%`);

/** How the product did over months and days; what is counted leads to the rows it was counted from. */
export function MonitorReports() {
  const text = useText();
  const view = useView();
  const { data, error, refetch } = useQuery({
    queryKey: ['monitor', 'report'],
    queryFn: ({ signal }) => call<MonitorReport>('GET', '/api/admin/monitor/report', { signal, quiet: true }),
    refetchInterval: view.active ? 60_000 : false,
  });
  if (error) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <ScreenWaits />;
  const link = (menu: string, query: string, shown: string | number) => {
    const path = view.pathOf(menu);
    return path ? (
      <button type="button" className="k-link" onClick={() => view.open(`${path}?${query}`)}>
        {shown}
      </button>
    ) : (
      shown
    );
  };
  const seconds = (value: number | null) => (value === null ? '–' : text(durationLabel(value)));
  return (
    <div className="mon-reports">
      <section>
        <h2>{text(['可用率', 'Availability'])}</h2>
        <PlainTable
          label={text(['可用率', 'Availability'])}
          columns={[
            text(['月份', 'Month']),
            text(['服务', 'Service']),
            text(['可用分钟', 'Minutes up']),
            text(['应可用分钟', 'Minutes expected']),
            text(['可用率', 'Availability']),
          ]}
          rows={data.availability.map((row) => [
            row.month,
            row.service,
            row.up,
            row.expected,
            link('serviceEurekaManager', `part=events&service=${row.service}`, share(row.up, row.expected)),
          ])}
        />
      </section>
      <section>
        <h2>{text(['错误预算（30天）', 'Error budget, 30 days'])}</h2>
        <PlainTable
          label={text(['错误预算', 'Error budget'])}
          columns={[
            text(['日期', 'Day']),
            text(['请求', 'Calls']),
            text(['5xx', '5xx']),
            text(['成功率', 'Success']),
          ]}
          rows={data.faults.map((row) => [
            row.day,
            row.calls,
            row.faults === 0 ? 0 : link('serviceZipkinManager', 'status=error&back=10080', row.faults),
            share(row.calls - row.faults, row.calls),
          ])}
        />
      </section>
      <section>
        <h2>{text(['告警统计', 'Alerts'])}</h2>
        <PlainTable
          label={text(['告警统计', 'Alerts'])}
          columns={[
            text(['月份', 'Month']),
            text(['规则', 'Rule']),
            text(['次数', 'Count']),
            text(['平均认领', 'Mean to acknowledge']),
            text(['平均恢复', 'Mean to recover']),
          ]}
          rows={data.alerts.map((row) => [
            row.month,
            text([row.name, row.nameEn]),
            link('serviceMonitorManager', `part=alerts&rule=${row.ruleId}`, row.count),
            seconds(row.acknowledgeSeconds),
            seconds(row.recoverSeconds),
          ])}
        />
      </section>
      <section>
        <h2>{text(['最耗时的路由（24小时）', 'Routes that took most time, 24 hours'])}</h2>
        <PlainTable
          label={text(['最耗时的路由', 'Slowest routes'])}
          columns={[
            text(['路由', 'Route']),
            text(['次数', 'Calls']),
            'p95 ms',
            text(['总耗时 秒', 'Total s']),
          ]}
          rows={data.routes.map((row) => [
            link('apiManager', `detail=${row.id}`, row.route),
            row.calls,
            row.p95 ?? '–',
            (row.totalMs / 1_000).toFixed(1),
          ])}
        />
      </section>
    </div>
  );
}
