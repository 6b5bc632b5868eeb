import { Alert, Descriptions, Skeleton } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { fill } from '../../../kernel/contract/label.ts';
import { keysOf, rootOf, type RowData } from '../../../kernel/client/wire.ts';
import { couponPush, type PushPreview as Preview } from './coupon-push.contract.ts';

/** People, coupons and cost of a push, before it is sent. */
export function PushPreview({ row }: { readonly row: RowData }) {
  const text = useText();
  const preview = useQuery({
    queryKey: [...keysOf.row(couponPush.name, row.id), 'preview'],
    gcTime: 0,
    queryFn: ({ signal }) => call<Preview>('GET', `${rootOf(couponPush)}/${row.id}/preview`, { signal }),
  });
  if (preview.isError) return <ErrorPanel error={preview.error} onRetry={() => void preview.refetch()} />;
  if (!preview.data) return <Skeleton active />;
  const { people, needed, ceiling, left, short, unknown, unknownSample } = preview.data;
  return (
    <>
      {short > 0 && (
        <Alert
          type="error"
          showIcon
          title={text([`券余量不足，还差${short}张`, `Not enough coupons left, ${short} short`])}
        />
      )}
      {unknown > 0 && (
        <Alert
          type="warning"
          showIcon
          title={text(
            fill(
              ['{n} 个手机号不是范围内的会员', '{n} {n|phone is no member|phones are no members} in reach'],
              { n: unknown },
            ),
          )}
          description={unknownSample.join(text(['、', ', ']))}
        />
      )}
      <Descriptions
        column={1}
        size="small"
        items={[
          { key: 'people', label: text(['匹配人数', 'People']), children: people },
          { key: 'needed', label: text(['需要张数', 'Coupons needed']), children: needed },
          { key: 'left', label: text(['券余量', 'Coupons left']), children: left },
          { key: 'cost', label: text(['成本上限', 'Cost ceiling']), children: `¥${ceiling}` },
        ]}
      />
    </>
  );
}
