import { useState, type ReactNode } from 'react';
import { Segmented, Skeleton } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../kernel/client/api-client.ts';
import { useText } from '../../kernel/client/language.ts';
import { AppDrawer } from '../../kernel/client/parts/app-drawer.tsx';
import { ErrorPanel } from '../../kernel/client/parts/error-panel.tsx';
import type { Label } from '../../kernel/contract/label.ts';

/** Rows of the last day or week that a path answers for `days`, in a drawer. */
export function DaysDrawer<T>(props: {
  readonly title: Label;
  readonly size: number;
  readonly path: string;
  readonly onClose: () => void;
  readonly children: (rows: readonly T[]) => ReactNode;
}) {
  const text = useText();
  const [days, setDays] = useState('1');
  const { data, error, refetch } = useQuery({
    queryKey: [props.path, days],
    staleTime: 0,
    queryFn: ({ signal }) => call<readonly T[]>('GET', props.path, { query: { days }, signal, quiet: true }),
  });
  return (
    <AppDrawer open size={props.size} title={text(props.title)} onClose={props.onClose}>
      <Segmented
        value={days}
        onChange={setDays}
        options={[
          { value: '1', label: text(['24小时', '24 hours']) },
          { value: '7', label: text(['7天', '7 days']) },
        ]}
      />
      {error ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton active />
      ) : (
        props.children(data)
      )}
    </AppDrawer>
  );
}
