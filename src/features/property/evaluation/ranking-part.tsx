import { useState } from 'react';
import { Empty, Skeleton } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { NOTHING } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { DayRangeField } from '../../../kernel/client/parts/day-range-field.tsx';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { RemoteSelect } from '../../../kernel/client/parts/remote-select.tsx';
import type { Resource } from '../../../kernel/contract/resource.ts';
import type { RankedLine, RankingAnswer } from './evaluation.contract.ts';

/** Who is rated how, best first, and the reasons that are named most. */
export function RankingPart({
  contract,
  byHousekeeper,
}: {
  readonly contract: Resource;
  readonly byHousekeeper: boolean;
}) {
  const text = useText();
  const [range, setRange] = useState<readonly [string, string]>(['', '']);
  const [projects, setProjects] = useState<readonly { readonly id: string; readonly title: string }[]>([]);
  const query = {
    ...(range.some(Boolean) && { ratedAt: range.join('~') }),
    ...(projects.length > 0 && { project: projects.map((one) => one.id).join(',') }),
  };
  const { data, isError, error, refetch } = useQuery({
    queryKey: ['resource', contract.name, 'ranking', query],
    queryFn: ({ signal }) =>
      call<RankingAnswer>('GET', `/api/jinmao/web/${contract.name}/ranking`, { query, signal, quiet: true }),
  });
  const rated = text(['评价时间', 'Rated']);
  const project = text(['项目', 'Project']);
  return (
    <>
      <div className="ev-filters">
        <div className="ev-range">
          <DayRangeField label={rated} prefix={rated} value={range} onChange={setRange} />
        </div>
        <div className="ev-project">
          <RemoteSelect
            multiple
            target="project"
            label={project}
            placeholder={project}
            value={projects.map((one) => one.id)}
            known={Object.fromEntries(projects.map((one) => [one.id, one.title]))}
            onChange={(_ids, entries) => setProjects(entries)}
          />
        </div>
      </div>
      {isError ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton active paragraph={{ rows: 6 }} />
      ) : data.rows.length === 0 ? (
        <Empty description={text(['所选期间没有评价', 'No ratings in this period'])} />
      ) : (
        <div className="ev-ranking">
          <Ranks rows={data.rows} byHousekeeper={byHousekeeper} />
          <Reasons reasons={data.reasons} />
        </div>
      )}
    </>
  );
}

function Ranks({
  rows,
  byHousekeeper,
}: {
  readonly rows: readonly RankedLine[];
  readonly byHousekeeper: boolean;
}) {
  const text = useText();
  const months = rows[0]!.trend;
  return (
    <div className="ev-scroll" role="region" aria-label={text(['排名', 'Ranking'])} tabIndex={0}>
      <table className="ev-table">
        <thead>
          <tr>
            <th scope="col">{text(['名次', 'Rank'])}</th>
            <th scope="col">{byHousekeeper ? text(['管家', 'Housekeeper']) : text(['项目', 'Project'])}</th>
            {byHousekeeper && <th scope="col">{text(['项目', 'Projects'])}</th>}
            <th scope="col" className="ev-number">
              {text(['评价数', 'Ratings'])}
            </th>
            <th scope="col" className="ev-number">
              {text(['满意率', 'Satisfied'])}
            </th>
            <th
              scope="col"
              className="ev-number"
              title={text(['不满意 1，一般 2，满意 3', 'Not satisfied 1, fair 2, satisfied 3'])}
            >
              {text(['平均分', 'Average'])}
            </th>
            <th scope="col">
              {text(['近6个月满意率', 'Satisfied, 6 months'])}{' '}
              <span className="k-quiet">
                {months[0]?.month}–{months.at(-1)?.month}
              </span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={row.id}>
              <td>{index + 1}</td>
              <td>{row.name}</td>
              {byHousekeeper && <td className="k-quiet">{row.projects}</td>}
              <td className="ev-number">{row.count}</td>
              <td className="ev-number">{row.satisfied === null ? NOTHING : `${row.satisfied}%`}</td>
              <td className="ev-number">{row.average ?? NOTHING}</td>
              <td>
                <Trend row={row} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Six months as bars of the satisfied share; a month without ratings has none. */
function Trend({ row }: { readonly row: RankedLine }) {
  const text = useText();
  return (
    <ol className="ev-trend">
      {row.trend.map(({ month, count, satisfied }) => {
        const words =
          satisfied === null
            ? text([`${month}：无评价`, `${month}: none`])
            : text([`${month}：${satisfied}%（${count}条）`, `${month}: ${satisfied}% (${count})`]);
        return (
          <li key={month} title={words}>
            <span
              className="ev-bar"
              aria-hidden
              style={{ blockSize: satisfied === null ? '1px' : `${Math.max(2, Number(satisfied) * 0.28)}px` }}
            />
            <span className="k-hidden">{words}</span>
          </li>
        );
      })}
    </ol>
  );
}

function Reasons({ reasons }: { readonly reasons: RankingAnswer['reasons'] }) {
  const text = useText();
  if (reasons.length === 0) return null;
  return (
    <section className="ev-reasons" aria-label={text(['原因占比', 'Reasons'])}>
      <h2>{text(['原因占比', 'Reasons'])}</h2>
      <ul>
        {reasons.map(({ reason, count, share }) => (
          <li key={reason}>
            <span>{reason}</span>
            <span className="ev-share">
              {share}% <span className="k-quiet">({count})</span>
            </span>
            <span className="ev-line" aria-hidden style={{ inlineSize: `${share}%` }} />
          </li>
        ))}
      </ul>
    </section>
  );
}
