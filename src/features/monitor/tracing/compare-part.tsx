import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Select } from 'antd';
import { call } from '../../../kernel/client/api-client.ts';
import { instantFull } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { ScreenWaits } from '../../../kernel/client/screen-of.tsx';
import { PlainTable } from '../plain-table.tsx';
import { compareTraces } from './compare.rules.ts';
import type { FoundTrace, TraceDetail } from './tracing.contract.ts';

const DAY = 86_400_000;
const ms = (us: number) => (us / 1_000).toFixed(1);

/** A trace beside another one of the same route, span name by span name. */
export function ComparePart({ trace, route }: { readonly trace: TraceDetail; readonly route: string }) {
  const text = useText();
  const [other, setOther] = useState<string>();
  const [now] = useState(() => Date.now());
  const found = useQuery({
    queryKey: ['trace', 'sameRoute', route, now],
    queryFn: ({ signal }) =>
      call<readonly FoundTrace[]>('GET', '/api/admin/trace/search', {
        signal,
        quiet: true,
        query: {
          name: route,
          limit: '50',
          from: new Date(now - DAY).toISOString(),
          to: new Date(now).toISOString(),
        },
      }),
  });
  const right = useQuery({
    queryKey: ['trace', 'one', other],
    enabled: other !== undefined,
    queryFn: ({ signal }) =>
      call<TraceDetail>('GET', `/api/admin/trace/one/${other}`, { signal, quiet: true }),
  });
  const problem = found.error ?? right.error;
  if (problem) return <ErrorPanel error={problem} onRetry={() => void found.refetch()} />;
  if (!found.data) return <ScreenWaits />;
  return (
    <>
      <div className="mon-tools">
        <Select
          style={{ width: 360, maxWidth: '100%' }}
          placeholder={text(['选择同一路由的另一条链路', 'Choose another trace of the route'])}
          aria-label={text(['对比链路', 'Trace to compare with'])}
          notFoundContent={text(['近24小时没有其他链路', 'No other trace in 24 hours'])}
          value={other ?? null}
          onChange={(value: string) => setOther(value)}
          options={found.data
            .filter((one) => one.traceId !== trace.traceId)
            .map((one) => ({
              value: one.traceId,
              label: `${instantFull(new Date(one.startedAt).toISOString())} · ${ms(one.durationUs)} ms${one.failed ? ' !' : ''}`,
            }))}
        />
      </div>
      {other !== undefined && !right.data && <ScreenWaits />}
      {right.data && (
        <PlainTable
          label={text(['链路对比', 'Traces compared'])}
          columns={[
            text(['跨度', 'Span']),
            text(['本次次数', 'This: count']),
            text(['本次毫秒', 'This: ms']),
            text(['对比次数', 'Other: count']),
            text(['对比毫秒', 'Other: ms']),
            text(['相差毫秒', 'Difference ms']),
          ]}
          rows={compareTraces(trace.spans, right.data.spans).map((one) => [
            <code key="name" className="mon-sql">
              {one.name}
            </code>,
            one.left.count,
            ms(one.left.us),
            one.right.count,
            ms(one.right.us),
            ms(one.right.us - one.left.us),
          ])}
        />
      )}
    </>
  );
}
