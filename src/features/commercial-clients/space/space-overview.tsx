import './space.css';
import { Skeleton } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ResourceTable } from '../../../kernel/client/list/resource-table.tsx';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { useView } from '../../../kernel/client/view.ts';
import { keysOf } from '../../../kernel/client/wire.ts';
import { contract } from '../../public-resource/contract/contract.contract.ts';
import { commercialClient } from '../client/client.contract.ts';
import { projectProgress, space, type FloorLine, type SpaceOverview } from './space.contract.ts';

/** Areas, rents, ends, clients, contracts and notes of the chosen project. */
export function Overview({
  lines,
  chosen,
}: {
  readonly lines: readonly FloorLine[];
  readonly chosen: FloorLine | undefined;
}) {
  const text = useText();
  const view = useView();
  const place = chosen ?? lines[0];
  const { data, isError, error, refetch } = useQuery({
    queryKey: [...keysOf.all(space.name), 'overview', place?.projectId],
    enabled: place !== undefined,
    queryFn: ({ signal }) =>
      call<SpaceOverview>('GET', '/api/jinmao/web/space/overview', {
        query: { project: place!.projectId },
        signal,
        quiet: true,
      }),
  });
  if (!place) return <p className="sp-none">{text(['还没有铺位', 'There are no spaces yet'])}</p>;
  if (isError && !data) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton active />;
  const figures = [
    [text(['铺位', 'Spaces']), String(data.spaces)],
    [text(['总面积', 'Area']), `${data.area} m²`],
    [text(['已租面积', 'Let area']), `${data.letArea} m²`],
    [text(['空置率', 'Vacancy']), data.vacancy === '' ? '—' : `${data.vacancy} %`],
    [
      text(['平均租金', 'Average rent']),
      data.averageRent === ''
        ? '—'
        : text([`${data.averageRent} 元/m²·月`, `¥${data.averageRent} per m² and month`]),
    ],
  ];
  const link = (path: string, words: string) =>
    view.mayOpen(path) ? (
      <button type="button" className="k-link" onClick={() => view.open(path)}>
        {words}
      </button>
    ) : (
      words
    );
  const listOf = (quarter: string) => {
    const fresh = new URLSearchParams({ project: place.projectId, endsOn: rangeOf(quarter) });
    view.setQuery(fresh);
  };
  const stages = commercialClient.states as Readonly<
    Record<string, { readonly label: readonly [string, string] }>
  >;
  const states = contract.states as typeof stages;
  return (
    <div className="sp-screen">
      <h2>{place.project}</h2>
      <dl className="sp-figures">
        {figures.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <div className="sp-columns">
        <section>
          <h3>{text(['租约到期（按季度）', 'Leases ending, by quarter'])}</h3>
          <ul className="plain-rows">
            {data.endings.map(({ quarter, contracts }) => (
              <li key={quarter}>
                <span>{quarter}</span>
                <button type="button" className="k-link" onClick={() => listOf(quarter)}>
                  {contracts}
                </button>
              </li>
            ))}
          </ul>
          {data.endings.length === 0 && <p className="k-quiet">{text(['没有在租铺位', 'Nothing is let'])}</p>}
        </section>
        <section>
          <h3>{text(['意向客户（按阶段）', 'Clients by stage'])}</h3>
          <ul className="plain-rows">
            {data.stages.map(({ stage, clients }) => (
              <li key={stage}>
                <span>{text(stages[stage]!.label)}</span>
                {link(
                  `/yueshang/customerList?tab=all&state=${stage}&projects=${place.projectId}`,
                  String(clients),
                )}
              </li>
            ))}
          </ul>
          {data.stages.length === 0 && <p className="k-quiet">{text(['没有客户', 'No clients'])}</p>}
        </section>
        <section>
          <h3>{text(['关联合同', 'Contracts'])}</h3>
          <ul className="plain-rows">
            {data.contracts.map((one) => (
              <li key={one.id}>
                <span>
                  {link(`/publicResource/pr_contractSee/view/${one.id}`, one.code)} {one.partyB}
                </span>
                <span>{text([`至 ${one.endsOn}`, `until ${one.endsOn}`])}</span>
                <span>{text(states[one.state]!.label)}</span>
              </li>
            ))}
          </ul>
          {data.contracts.length === 0 && (
            <p className="k-quiet">{text(['没有您可见的合同', 'No contract you may see'])}</p>
          )}
        </section>
      </div>
      <h3>{text(projectProgress.title)}</h3>
      <ResourceTable
        resource={projectProgress}
        filters={{ project: place.projectId }}
        columns={['onDay', 'content', 'creator']}
        page
        slots={{
          createWith: { project: { id: place.projectId, title: place.project } },
          hiddenInputs: ['project'],
        }}
      />
    </div>
  );
}

/** First and last day of a quarter such as 2026Q4. */
function rangeOf(quarter: string): string {
  const [year = 0, number = 1] = quarter.split('Q').map(Number);
  const dayOf = (month: number, of: number) => new Date(Date.UTC(year, month, of)).toISOString().slice(0, 10);
  return `${dayOf(number * 3 - 3, 1)}~${dayOf(number * 3, 0)}`;
}
