import { Skeleton } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { keysOf } from '../../../kernel/client/wire.ts';
import type { FileValue } from '../../../kernel/contract/fields.ts';
import { refund } from './refund.contract.ts';

/** Vouchers of an offline refund; their addresses live for ten minutes, so they are read when shown. */
export function FileLinks({ refundId }: { readonly refundId: string }) {
  const text = useText();
  const { data, isPending } = useQuery({
    queryKey: [...keysOf.row(refund.name, refundId), 'vouchers'],
    staleTime: 5 * 60_000,
    queryFn: ({ signal }) =>
      call<readonly FileValue[]>('GET', `/api/jinmao/web/refund/${encodeURIComponent(refundId)}/vouchers`, {
        signal,
        quiet: true,
      }),
  });
  if (isPending) return <Skeleton active title={false} paragraph={{ rows: 1 }} />;
  if (!data || data.length === 0) return <p className="k-quiet">{text(['没有凭证', 'No vouchers'])}</p>;
  return (
    <>
      {data.map((file) => (
        <a key={file.id} className="k-file" href={file.url} target="_blank" rel="noreferrer">
          {file.name}
        </a>
      ))}
    </>
  );
}
