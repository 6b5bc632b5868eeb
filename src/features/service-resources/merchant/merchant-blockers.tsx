import { Alert, Skeleton } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { useView } from '../../../kernel/client/view.ts';
import { keysOf, rootOf } from '../../../kernel/client/wire.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import type { ResourceSpec } from '../../../kernel/contract/resource.ts';

interface OfMerchant {
  readonly contract: ResourceSpec;
  readonly id: string;
}

const useBlockers = ({ contract, id }: OfMerchant) =>
  useQuery({
    queryKey: [...keysOf.row(contract.name, id), 'blockers'],
    staleTime: 0,
    queryFn: ({ signal }) =>
      call<readonly { readonly key: string; readonly label: Label; readonly route: string }[]>(
        'GET',
        `${rootOf(contract)}/${id}/blockers`,
        { signal },
      ),
  });

const ORDERS = ['orders', 'visits', 'works', 'others', 'refunds', 'cases'];

/** What is on its way while a merchant is disabled: it stays in process. */
export function OpenOrders(of: OfMerchant) {
  const text = useText();
  const { data } = useBlockers(of);
  if (!data) return <Skeleton active paragraph={false} />;
  const open = data.filter((one) => ORDERS.includes(one.key));
  return (
    <Alert
      type={open.length > 0 ? 'warning' : 'info'}
      showIcon
      title={
        open.length > 0
          ? text([
              `仍须处理：${open.map((one) => one.label[0]).join('、')}`,
              `Still in process: ${open.map((one) => one.label[1]).join(', ')}`,
            ])
          : text(['没有未完成的订单、退款与售后', 'No open orders, refunds or after-sales cases'])
      }
    />
  );
}

/** What keeps a merchant from being closed, each with the list that shows it. */
export function Blockers(of: OfMerchant) {
  const text = useText();
  const view = useView();
  const { data, isError, error, refetch } = useBlockers(of);
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
            {view.mayOpen(one.route) ? (
              <button type="button" className="k-link" onClick={() => view.open(one.route)}>
                {text(one.label)}
              </button>
            ) : (
              text(one.label)
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

/** Where the business of a merchant stands, each figure with its list. */
export function Business({ contract, id }: OfMerchant) {
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
            {one.route === '' || one.count === 0 || !view.mayOpen(one.route) ? (
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
