import { Skeleton } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { keysOf, rootOf } from '../../../kernel/client/wire.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import type { ResourceSpec } from '../../../kernel/contract/resource.ts';

interface Item {
  readonly label: Label;
  readonly done: boolean;
}

/** The items stand in sentences elsewhere. */
const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

/** What a merchant needs before it opens, each with whether it is there. */
export function ChecklistItems({ items }: { readonly items: readonly Item[] }) {
  const text = useText();
  return (
    <dl className="k-facts">
      {items.map((one) => (
        <div key={one.label[0]}>
          <dt>{capital(text(one.label))}</dt>
          <dd className={one.done ? '' : 'k-bad'}>
            {text(one.done ? ['✓ 已具备', '✓ Ready'] : ['✗ 还缺', '✗ Missing'])}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** The same for a merchant under the menu of a list, as it is at this moment. */
export function MerchantChecklist({
  contract,
  id,
}: {
  readonly contract: ResourceSpec;
  readonly id: string;
}) {
  const { data, isError, error, refetch } = useQuery({
    queryKey: [...keysOf.row(contract.name, id), 'checklist'],
    staleTime: 0,
    queryFn: ({ signal }) => call<readonly Item[]>('GET', `${rootOf(contract)}/${id}/checklist`, { signal }),
  });
  if (isError) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  return data ? <ChecklistItems items={data} /> : <Skeleton active />;
}
