import { useQuery } from '@tanstack/react-query';
import { Alert } from 'antd';
import type { Resource } from '../../../kernel/contract/resource.ts';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { keysOf, rootOf, type RowData } from '../../../kernel/client/wire.ts';
import type { RuleOverlap } from './order-rule-fields.ts';

/** Warns that an enabled rule of the same priority holds for some of the same goods, and names them. */
export function OverlapWarning({ contract, row }: { readonly contract: Resource; readonly row: RowData }) {
  const text = useText();
  const { data } = useQuery({
    queryKey: [...keysOf.row(contract.name, row.id), 'overlaps'],
    queryFn: ({ signal }) =>
      call<readonly RuleOverlap[]>('GET', `${rootOf(contract)}/${encodeURIComponent(row.id)}/overlaps`, {
        signal,
        quiet: true,
      }),
  });
  if (!data || data.length === 0) return null;
  return (
    <Alert
      type="warning"
      showIcon
      title={text([
        '与已启用的规则优先级相同且范围重叠',
        'Enabled rules of the same priority cover some of the same goods',
      ])}
      description={data.map((one) => (
        <div key={one.id}>
          {one.code} {one.name}
          {text(['：', ': '])}
          {one.products.join(text(['、', ', ']))}
          {one.more > 0 && text([` 等 ${one.products.length + one.more} 件`, ` and ${one.more} more`])}
        </div>
      ))}
    />
  );
}
