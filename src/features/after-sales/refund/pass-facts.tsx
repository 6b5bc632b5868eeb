import { Alert, Skeleton } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { useDialogHold } from '../../../kernel/client/action/dialog-hold.ts';
import { call } from '../../../kernel/client/api-client.ts';
import { thousands } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { MoneyText } from '../../../kernel/client/parts/money-text.tsx';
import { keysOf, rootOf, type RowData } from '../../../kernel/client/wire.ts';
import { OUTCOMES } from './coupon-outcomes.ts';
import { refund } from './refund.contract.ts';
import type { RefundParts } from './refund-parts.ts';

/** What comes back when a refund is passed or sent again, by the server's figures of this moment. */
export function PassFacts({ row }: { readonly row: RowData }) {
  const text = useText();
  const { data, isError, error, refetch } = useQuery({
    // Money is decided on: never what an open tab still remembers.
    queryKey: [...keysOf.row(refund.name, row.id), 'pass'],
    staleTime: 0,
    gcTime: 0,
    queryFn: ({ signal }) =>
      call<RowData>('GET', `${rootOf(refund)}/${encodeURIComponent(row.id)}`, { signal }),
  });
  useDialogHold(!data);
  if (isError) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton active title={false} paragraph={{ rows: 3 }} />;
  const { lines, coupons, money } = data.parts as RefundParts;
  const taken = lines.filter((line) => line.currentQty > 0 || line.currentCash !== '0.00');
  const order = money.find((one) => one.scope === 'order');
  const freight = String(data.freightPart ?? '0.00');
  return (
    <dl className="refund-pass" aria-label={text(['本次退回', 'What comes back'])}>
      <div className="refund-pass-cash">
        <dt>{text(['退现金', 'Cash back'])}</dt>
        <dd>
          ¥<MoneyText value={String(data.cost)} strong />
          {freight !== '0.00' && (
            <span className="k-quiet">
              {text(['（含运费 ', ' (freight '])}
              <MoneyText value={freight} />
              {text(['）', ' of it)'])}
            </span>
          )}
        </dd>
      </div>
      <div>
        <dt>{text(['退积分', 'Points back'])}</dt>
        <dd className="k-number">{thousands(Number(data.points ?? 0))}</dd>
      </div>
      {coupons.map((coupon, index) => (
        <div key={index}>
          <dt>{text(['优惠券', 'Coupon'])}</dt>
          <dd>
            {coupon.name} <span className="k-quiet">{text(OUTCOMES[coupon.outcome])}</span>
          </dd>
        </div>
      ))}
      <div>
        <dt>{text(['商品', 'Goods'])}</dt>
        <dd>
          {taken.length === 0 && '–'}
          {taken.map((line) => (
            <div key={line.lineNo}>
              {line.product} {line.spec && <span className="k-quiet">{line.spec}</span>}
              {line.currentQty > 0 && ` × ${line.currentQty}`}
            </div>
          ))}
        </dd>
      </div>
      {order && (
        <div>
          <dt>{text(['退后订单剩余', 'Left of the order'])}</dt>
          <dd>
            ¥<MoneyText value={order.leftAfter} />
            <span className="k-quiet">
              {text(['（实付 ', ' (paid '])}
              <MoneyText value={order.paid} />
              {text(['）', ')'])}
            </span>
          </dd>
        </div>
      )}
      {String(data.cost) !== String(row.cost) && (
        <Alert
          type="warning"
          showIcon
          title={text(['金额已变化，以此处为准', 'The amount has changed; this one counts'])}
        />
      )}
    </dl>
  );
}
