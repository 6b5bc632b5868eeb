import { useState } from 'react';
import { Skeleton } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { PopButton } from '../../../kernel/client/parts/pop-button.tsx';
import { rootOf, type RowData } from '../../../kernel/client/wire.ts';
import { dictValue } from './dict-value.contract.ts';

/** How many rows hold a value; a click says which kinds of rows. */
export function UsedButton({ row }: { readonly row: RowData }) {
  const text = useText();
  const held = useHeld(dictValue);
  const [open, setOpen] = useState(false);
  const used = Number(row.used ?? 0);
  if (used === 0 || !held('btn_usage')) return <>{used}</>;
  return (
    <PopButton
      open={open}
      onOpenChange={setOpen}
      className="k-link"
      label={`${text(['查看使用', 'Usage'])} ${used}`}
      panel={<Uses id={row.id} />}
    >
      {used}
    </PopButton>
  );
}

function Uses({ id }: { readonly id: string }) {
  const { data, isError, error, refetch } = useQuery({
    queryKey: ['resource', dictValue.name, 'usage', id],
    staleTime: 0,
    queryFn: ({ signal }) =>
      call<readonly { noun: string; count: number }[]>('GET', `${rootOf(dictValue)}/${id}/usage`, {
        signal,
      }),
  });
  if (isError) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton active paragraph={{ rows: 2 }} title={false} />;
  return (
    <ul className="dict-uses">
      {data.map((use) => (
        <li key={use.noun}>
          <span>{use.noun}</span>
          <span className="k-number">{use.count}</span>
        </li>
      ))}
    </ul>
  );
}
