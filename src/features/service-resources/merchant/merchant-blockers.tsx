import { Alert, Skeleton } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { useView } from '../../../kernel/client/view.ts';
import { keysOf, rootOf } from '../../../kernel/client/wire.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import type { ResourceSpec } from '../../../kernel/contract/resource.ts';

/** What keeps a merchant from being closed, each with the list that shows it. */
export function Blockers({ contract, id }: { readonly contract: ResourceSpec; readonly id: string }) {
  const text = useText();
  const view = useView();
  const { data, isError, error, refetch } = useQuery({
    queryKey: [...keysOf.row(contract.name, id), 'blockers'],
    staleTime: 0,
    queryFn: ({ signal }) =>
      call<readonly { readonly key: string; readonly label: Label; readonly route: string }[]>(
        'GET',
        `${rootOf(contract)}/${id}/blockers`,
        { signal },
      ),
  });
  if (isError) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton active />;
  if (data.length === 0)
    return (
      <Alert
        type="success"
        showIcon
        title={text(['没有未结事项，可以完成清退', 'Nothing is left, it can be closed'])}
      />
    );
  return (
    <>
      <Alert
        type="warning"
        showIcon
        title={text(['以下事项全部为零后才能完成清退', 'All of this must be zero first'])}
      />
      <ul>
        {data.map((one) => (
          <li key={one.key}>
            <button type="button" className="k-link" onClick={() => view.open(one.route)}>
              {text(one.label)}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Where the business of a merchant stands, each figure with its list. */
export function Business({ contract, id }: { readonly contract: ResourceSpec; readonly id: string }) {
  const text = useText();
  const view = useView();
  const { data, isError, error, refetch } = useQuery({
    queryKey: [...keysOf.row(contract.name, id), 'business'],
    queryFn: ({ signal }) =>
      call<
        readonly {
          readonly key: string;
          readonly label: Label;
          readonly count: number;
          readonly route: string;
        }[]
      >('GET', `${rootOf(contract)}/${id}/business`, { signal }),
  });
  if (isError) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton active />;
  return (
    <dl className="k-facts">
      {data.map((one) => (
        <div key={one.key}>
          <dt>{text(one.label)}</dt>
          <dd>
            {one.route === '' || one.count === 0 ? (
              one.count
            ) : (
              <button
                type="button"
                className="k-link"
                aria-label={`${text(one.label)} ${one.count}`}
                onClick={() => view.open(one.route)}
              >
                {one.count}
              </button>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
