import { Descriptions, Skeleton } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { thousands } from '../../../kernel/client/format.rules.ts';
import { useLanguageStore, useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { ChartPanel } from '../../../kernel/client/report/chart-panel.tsx';
import { valueText } from '../../../kernel/client/value-text.rules.ts';
import { useView } from '../../../kernel/client/view.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import type { ReportAnswer } from '../../../kernel/contract/report.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { butlerAchievement, type OrderCounts } from './achievement.contract.ts';
import '../butler.css';

const COUNTS: readonly (readonly [keyof OrderCounts, Label])[] = [
  ['total', ['订单数', 'Orders']],
  ['share', ['分享成交', 'Shared']],
  ['served', ['服务业绩', 'Served']],
  ['toShip', ['待发货', 'To ship']],
  ['toReceive', ['待收货', 'To receive']],
  ['completed', ['已完成', 'Completed']],
  ['closed', ['已关闭', 'Closed']],
  ['refunding', ['退款中', 'Being refunded']],
  ['refunded', ['已退款', 'Refunded']],
];
const CARD = ['staffNo', 'phone', 'projectNames', 'houseCount', 'validAmount', 'incentiveAmount'] as const;

/** What the lines are asked by, as the report and its counts understand it; nothing unless it is one butler. */
function asked(query: URLSearchParams) {
  const butler = query.get('butler') ?? '';
  if (!/^\d+$/.test(butler)) return undefined;
  const completed = query.get('completedAt');
  const today = businessDayOf(new Date());
  const [from = '', to = ''] = (completed ?? query.get('paidAt') ?? '').split('~');
  const of = (name: string) => query.get(name) ?? '';
  return {
    butler,
    timeKind: completed ? 'completed' : 'paid',
    from: from || `${today.slice(0, 7)}-01`,
    to: to || today,
    project: of('project'),
    centre: of('centre'),
    unit: of('unit'),
    business: of('business'),
    way: of('way'),
  };
}

/** Who the butler of the lines is, where the orders stand, and what came of the days. */
export function LinesHead() {
  const text = useText();
  const language = useLanguageStore((state) => state.language);
  const view = useView();
  const question = asked(view.query);
  const report = useQuery({
    queryKey: ['report', butlerAchievement.name, 'head', question],
    enabled: question !== undefined,
    queryFn: ({ signal }) => {
      const { from, to, ...parameters } = question!;
      return call<ReportAnswer>('GET', `/api/jinmao/web/report/${butlerAchievement.name}`, {
        query: {
          ...Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== '')),
          range: `${from}~${to}`,
        },
        signal,
        quiet: true,
      });
    },
  });
  const counts = useQuery({
    queryKey: ['report', butlerAchievement.name, 'counts', question],
    enabled: question !== undefined,
    queryFn: ({ signal }) => {
      const { butler, timeKind, from, to, project, business, way } = question!;
      return call<OrderCounts>('GET', '/api/jinmao/bizButlerTotalPC/getButlerOrderCount', {
        query: {
          butlerId: butler,
          timeKind,
          startTime: from,
          endTime: to,
          ...(project && { projectId: project.split(',') }),
          ...(/^\d+$/.test(business) && { busType: business }),
          ...(/^\d$/.test(way) && { way }),
        },
        signal,
        quiet: true,
      });
    },
  });
  if (!question) return null;
  if (report.isError) return <ErrorPanel error={report.error} onRetry={() => void report.refetch()} />;
  const card = report.data?.rows[0];
  const { fields } = butlerAchievement;
  return (
    <section className="bt-lines-head" aria-label={text(['管家业绩', 'Results of the butler'])}>
      <div>
        {!report.data ? (
          <Skeleton active paragraph={{ rows: 4 }} />
        ) : (
          card && (
            <Descriptions
              size="small"
              column={2}
              title={`${String(card.name)} · ${question.from} – ${question.to}`}
              items={CARD.map((name) => ({
                key: name,
                label: text(fields[name]!.label),
                children: valueText(fields[name]!, card[name], language),
              }))}
            />
          )
        )}
        {counts.data && (
          <ul className="bt-counts" aria-label={text(['订单状态', 'Where the orders stand'])}>
            {COUNTS.map(([name, label]) => (
              <li key={name}>
                <span className="k-quiet">{text(label)}</span>{' '}
                <b className="k-number">{thousands(String(counts.data[name]))}</b>
              </li>
            ))}
          </ul>
        )}
      </div>
      <ChartPanel
        report={butlerAchievement}
        spec={butlerAchievement.charts[0]!}
        points={report.data?.charts.day}
      />
    </section>
  );
}
