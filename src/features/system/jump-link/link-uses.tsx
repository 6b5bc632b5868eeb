import { useQuery } from '@tanstack/react-query';
import { Skeleton } from 'antd';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { keysOf, rootOf, type RowData } from '../../../kernel/client/wire.ts';
import { jumpLink, type LinkUse } from './jump-link.contract.ts';

/** Who leads to a link, and how many of them. */
export function UsesPart({ row }: { readonly row: RowData }) {
  const text = useText();
  const uses = useQuery({
    queryKey: [...keysOf.row(jumpLink.name, row.id), 'usage'],
    queryFn: ({ signal }) =>
      call<readonly LinkUse[]>('GET', `${rootOf(jumpLink)}/${row.id}/usage`, { signal, quiet: true }),
  });
  if (uses.isError) return <ErrorPanel error={uses.error} onRetry={() => void uses.refetch()} />;
  if (!uses.data) return <Skeleton active />;
  if (uses.data.length === 0) return <p className="k-quiet">{text(['未被使用', 'Nothing leads to it'])}</p>;
  return (
    <ul>
      {uses.data.map((use) => (
        <li key={use.noun}>
          {use.noun} {use.count}
        </li>
      ))}
    </ul>
  );
}
