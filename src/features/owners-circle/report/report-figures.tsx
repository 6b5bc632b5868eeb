import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { NOTHING, thousands } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { useView } from '../../../kernel/client/view.ts';
import { rootOf } from '../../../kernel/client/wire.ts';
import { reportCase, type ReportFigures } from './report.contract.ts';

/** How reports went in the last 30 days; a figure opens its cases. */
export function Figures() {
  const text = useText();
  const view = useView();
  const { data } = useQuery({
    queryKey: [reportCase.name, 'figures'],
    queryFn: () => call<ReportFigures>('GET', `${rootOf(reportCase)}/figures`),
  });
  if (!data) return <div className="rc-figures" aria-busy />;
  const most = Math.max(1, ...data.days.map((one) => Math.max(one.opened, one.decided)));
  const upheld = data.decided === 0 ? NOTHING : `${((100 * data.upheld) / data.decided).toFixed(2)}%`;
  const facts: readonly (readonly [string, string, Record<string, string>])[] = [
    [text(['30天新增', 'Opened, 30 days']), thousands(String(data.opened)), { tab: 'all' }],
    [text(['30天办结', 'Decided, 30 days']), thousands(String(data.decided)), { tab: 'done' }],
    [text(['属实率', 'Upheld']), upheld, { tab: 'all', state: 'upheld' }],
    [
      text(['办结中位数（工作小时）', 'Median business hours']),
      data.medianHours === null ? NOTHING : String(data.medianHours),
      { tab: 'done' },
    ],
    [
      text(['自动隐藏', 'Hidden by itself']),
      thousands(String(data.autoHidden)),
      { tab: 'all', autoHidden: 'true' },
    ],
    [
      text(['其中不属实', 'Of these dismissed']),
      thousands(String(data.autoDismissed)),
      { tab: 'all', autoHidden: 'true', state: 'dismissed' },
    ],
  ];
  return (
    <section className="rc-figures" aria-label={text(['举报数据', 'Figures of reports'])}>
      <dl>
        {facts.map(([label, value, query]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              <button
                type="button"
                className="k-link k-number"
                onClick={() => view.setQuery(new URLSearchParams(query))}
              >
                {value}
              </button>
            </dd>
          </div>
        ))}
      </dl>
      <ol className="rc-bars" aria-label={text(['近30天新增与办结', 'Opened and decided, 30 days'])}>
        {data.days.map((one) => (
          <li key={one.day} title={`${one.day}: ${one.opened} / ${one.decided}`}>
            <span style={{ blockSize: `${Math.round((one.opened / most) * 100)}%` }} />
            <span className="k-hidden">{`${one.day}: ${one.opened} / ${one.decided}`}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
