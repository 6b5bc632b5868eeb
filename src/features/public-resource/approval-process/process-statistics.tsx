import './flow-canvas.css';
import { Skeleton } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { NOTHING } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { keysOf, rootOf, type RowData } from '../../../kernel/client/wire.ts';
import { approvalProcess } from './approval-process.contract.ts';

interface Statistics {
  readonly days: number;
  readonly results: Readonly<Record<string, number>>;
  readonly nodes: readonly {
    readonly node: string;
    readonly name: string;
    readonly former: boolean;
    readonly decided: number;
    readonly open: number;
    readonly medianHours: string | null;
    readonly p90Hours: string | null;
    readonly refusalRate: string | null;
    readonly busiest: readonly { readonly name: string; readonly count: number }[];
  }[];
}

const RESULTS: readonly (readonly [string, readonly [string, string]])[] = [
  ['running', ['进行中', 'Running']],
  ['passed', ['通过', 'Passed']],
  ['refused', ['驳回', 'Refused']],
  ['withdrawn', ['撤回', 'Withdrawn']],
  ['cancelled', ['终止', 'Cancelled']],
];

/** How long each node of a process takes, how often it refuses, and who decides most. */
export function ProcessStatistics({ row }: { readonly row: RowData }) {
  const text = useText();
  const figures = useQuery({
    queryKey: [...keysOf.row(approvalProcess.name, row.id), 'statistics'],
    queryFn: ({ signal }) =>
      call<Statistics>('GET', `${rootOf(approvalProcess)}/${row.id}/statistics`, { signal, quiet: true }),
  });
  if (figures.isError) return <ErrorPanel error={figures.error} onRetry={() => void figures.refetch()} />;
  if (!figures.data) return <Skeleton active />;
  const { days, results, nodes } = figures.data;
  return (
    <>
      <p className="pc-row">
        {RESULTS.map(([state, label]) => (
          <span key={state}>
            <span className="k-quiet">{text(label)}</span>{' '}
            <strong className="k-number">{results[state] ?? 0}</strong>
          </span>
        ))}
      </p>
      <div className="pc-scroll">
        <table className="pc-figures">
          <thead>
            <tr>
              <th scope="col">{text(['节点', 'Node'])}</th>
              <th scope="col" className="k-number">
                {text(['已处理', 'Decided'])}
              </th>
              <th scope="col" className="k-number">
                {text(['待处理', 'Open'])}
              </th>
              <th scope="col" className="k-number">
                {text(['中位用时', 'Median'])}
              </th>
              <th scope="col" className="k-number">
                {text(['90% 用时', '90th percentile'])}
              </th>
              <th scope="col" className="k-number">
                {text(['不同意率', 'Refused'])}
              </th>
              <th scope="col">{text(['处理最多', 'Busiest'])}</th>
            </tr>
          </thead>
          <tbody>
            {nodes.map((one) => (
              <tr key={one.node}>
                <th scope="row">
                  {one.name}
                  {one.former && (
                    <span className="k-quiet k-small"> {text(['旧版本节点', 'of an older version'])}</span>
                  )}
                </th>
                <td className="k-number">{one.decided}</td>
                <td className="k-number">{one.open}</td>
                <td className="k-number">{hours(one.medianHours)}</td>
                <td className="k-number">{hours(one.p90Hours)}</td>
                <td className="k-number">{one.refusalRate === null ? NOTHING : `${one.refusalRate}%`}</td>
                <td>
                  {one.busiest.length === 0
                    ? NOTHING
                    : one.busiest.map((person) => `${person.name} ${person.count}`).join('、')}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="k-quiet k-small">
        {text([
          `近 ${days} 天处理的任务，含旧版本；用时按工作日历的工作小时，不同意率含退回`,
          `Tasks decided in the last ${days} days, older versions included; times in business hours, refusals with returns`,
        ])}
      </p>
    </>
  );
  function hours(value: string | null) {
    return value === null ? NOTHING : text([`${value} 小时`, `${value} h`]);
  }
}
