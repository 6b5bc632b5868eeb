import { useText } from '../../../kernel/client/language.ts';
import { useView } from '../../../kernel/client/view.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { metricSpec } from '../../../domain/monitoring/metric-names.rules.ts';
import { PlainTable } from '../plain-table.tsx';
import { AlertChart } from './alert-chart.tsx';
import type { WatchedAlert } from './alert.contract.ts';

const KINDS = {
  fired: ['触发', 'Fired'],
  repeat: ['重复', 'Repeat'],
  recovered: ['恢复', 'Recovered'],
} as const;

/** Who was told when, and where to look on. */
export function AlertHistory({ row }: { readonly row: RowData }) {
  const text = useText();
  const view = useView();
  const messages =
    (row.messages as
      | readonly { kind: keyof typeof KINDS; value: number | null; at: string; sentAt: string | null }[]
      | undefined) ?? [];
  const watched = row.watched as WatchedAlert | undefined;
  const instance = watched?.instance ? `?instance=${watched.instance}` : '';
  const day = String(row.startedAt ?? '').slice(0, 10);
  const links = [
    [
      view.pathOf('serviceZipkinManager'),
      `?status=error${watched ? `&from=${watched.from}&to=${watched.to ?? new Date().toISOString()}` : ''}`,
      ['链路', 'Traces'],
    ],
    [view.pathOf('gateLogManager'), `?failed=true&at=${day}~${day}`, ['网关日志', 'Gate log']],
    [
      view.pathOf(instance === '' ? 'serviceEurekaManager' : 'serviceMonitorManager'),
      instance,
      ['实例', 'Instances'],
    ],
    [view.pathOf('ssm_systemLog'), `?tab=all&lastAt=${day}~${day}`, ['错误报告', 'Error reports']],
  ] as const;
  return (
    <>
      <div className="mon-tools">
        {links.map(
          ([path, query, label]) =>
            path && (
              <button
                key={label[1]}
                type="button"
                className="k-link"
                onClick={() => view.open(`${path}${query}`)}
              >
                {text(label)}
              </button>
            ),
        )}
      </div>
      {watched && metricSpec(watched.metric) && watched.labels === '' && <AlertChart watched={watched} />}
      <PlainTable
        label={text(['通知记录', 'Messages'])}
        columns={[
          text(['时间', 'Time']),
          text(['类型', 'Kind']),
          text(['数值', 'Value']),
          text(['已发送', 'Sent']),
        ]}
        rows={messages.map((one) => [
          one.at.slice(0, 19).replace('T', ' '),
          text(KINDS[one.kind]),
          one.value === null ? '–' : String(Math.round(Number(one.value) * 100) / 100),
          one.sentAt ? one.sentAt.slice(11, 19) : '–',
        ])}
      />
    </>
  );
}
