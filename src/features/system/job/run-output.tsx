import './job.css';
import { useQuery } from '@tanstack/react-query';
import { Skeleton } from 'antd';
import type { Choice } from '../../../kernel/contract/fields.ts';
import { businessTimeText } from '../../../kernel/contract/time.rules.ts';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { StatusTag } from '../../../kernel/client/parts/status-tag.tsx';
import type { RowData } from '../../../kernel/client/wire.ts';
import { jobRun, RUN_STATES } from './job-run.contract.ts';

interface RunOutputData {
  readonly state: keyof typeof RUN_STATES;
  readonly output: string;
  readonly stopAsked: boolean;
  readonly tries: readonly {
    readonly attempt: number;
    readonly trigger: string;
    readonly instance: string;
    readonly startedAt: string | null;
    readonly endedAt: string | null;
    readonly state: keyof typeof RUN_STATES;
    readonly error: string;
  }[];
}

const TRIGGERS: Readonly<Record<string, Choice>> = jobRun.fields.trigger.choices ?? {};

/** What a run printed, live while it runs, and its earlier tries. */
export function RunOutput({ row }: { readonly row: RowData }) {
  const text = useText();
  const { data, error, refetch } = useQuery({
    queryKey: ['jobRun', 'output', row.id],
    queryFn: ({ signal }) =>
      call<RunOutputData>('GET', `/api/admin/jobRun/${row.id}/output`, { signal, quiet: true }),
    refetchInterval: ({ state }) =>
      state.data?.state === 'running' || state.data?.state === 'queued' ? 1_500 : false,
    staleTime: 0,
  });
  if (error) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton active />;
  return (
    <div>
      <p>
        <StatusTag choice={RUN_STATES[data.state]} />
        {data.stopAsked && data.state === 'running' && text(['已要求停止', 'Asked to stop'])}
      </p>
      {data.output === '' ? (
        <p className="k-quiet">{text(['没有输出', 'No output'])}</p>
      ) : (
        // Long outputs are scrolled by keys too.
        <pre className="job-output" tabIndex={0} aria-label={text(['输出', 'Output'])}>
          {data.output}
        </pre>
      )}
      {data.tries.length > 0 && (
        <>
          <h4>{text(['先前的尝试', 'Earlier tries'])}</h4>
          <div className="job-tries-box">
            <table className="job-tries">
              <thead>
                <tr>
                  <th scope="col">{text(jobRun.fields.attempt.label)}</th>
                  <th scope="col">{text(jobRun.fields.trigger.label)}</th>
                  <th scope="col">{text(['状态', 'Status'])}</th>
                  <th scope="col">{text(jobRun.fields.instance.label)}</th>
                  <th scope="col">{text(jobRun.fields.startedAt.label)}</th>
                  <th scope="col">{text(jobRun.fields.endedAt.label)}</th>
                  <th scope="col">{text(jobRun.fields.error.label)}</th>
                </tr>
              </thead>
              <tbody>
                {data.tries.map((one) => (
                  <tr key={one.attempt}>
                    <td>{one.attempt}</td>
                    <td>{text(TRIGGERS[one.trigger]?.label ?? ['—', '—'])}</td>
                    <td>
                      <StatusTag choice={RUN_STATES[one.state]} />
                    </td>
                    <td>{one.instance}</td>
                    <td>{one.startedAt ? businessTimeText(one.startedAt) : '—'}</td>
                    <td>{one.endedAt ? businessTimeText(one.endedAt) : '—'}</td>
                    <td>{one.error}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
    </div>
  );
}
