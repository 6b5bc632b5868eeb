import { useQuery } from '@tanstack/react-query';
import { Progress, Skeleton } from 'antd';
import { call } from '../../../kernel/client/api-client.ts';
import { thousands } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { ChartPanel } from '../../../kernel/client/report/chart-panel.tsx';
import { keysOf, rootOf, type RowData } from '../../../kernel/client/wire.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { butlerShare, type ShareHours } from './butler-share.contract.ts';
import '../butler.css';

const STEPS = ['visits', 'visitors', 'orders', 'completed'] as const;
const VISITS: Label = ['访问人次', 'Visits'];

/** From visits to completed orders, and when people came. */
export function ShareFunnel({ row }: { readonly row: RowData }) {
  const text = useText();
  const hours = useQuery({
    queryKey: [...keysOf.row(butlerShare.name, row.id), 'hours'],
    queryFn: ({ signal }) =>
      call<ShareHours>('GET', `${rootOf(butlerShare)}/${row.id}/hours`, { signal, quiet: true }),
  });
  const most = Math.max(Number(row.visits), 1);
  return (
    <div className="bt-part">
      <dl className="bt-funnel">
        {STEPS.map((name) => (
          <div key={name}>
            <dt>{text(butlerShare.fields[name].label)}</dt>
            <dd>
              <Progress
                percent={Math.min((Number(row[name]) / most) * 100, 100)}
                showInfo={false}
                aria-label={text(butlerShare.fields[name].label)}
              />
              <b className="k-number">{thousands(String(row[name]))}</b>
            </dd>
          </div>
        ))}
      </dl>
      {hours.isError ? (
        <ErrorPanel error={hours.error} onRetry={() => void hours.refetch()} />
      ) : hours.data ? (
        <ChartPanel
          whole
          report={{
            title: ['按小时', 'By hour'],
            fields: {},
            figures: { visits: { label: VISITS, kind: 'integer', formula: VISITS } },
          }}
          spec={{ key: 'hours', title: ['按小时', 'By hour'], kind: 'line', measures: ['visits'] }}
          points={hours.data.hours.map((one) => ({
            key: one.hour,
            label: one.hour,
            values: { visits: one.visits },
          }))}
        />
      ) : (
        <Skeleton active paragraph={{ rows: 4 }} />
      )}
    </div>
  );
}
