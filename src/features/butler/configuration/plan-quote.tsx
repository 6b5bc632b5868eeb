import { useState } from 'react';
import { Descriptions, Form, InputNumber, Segmented, Skeleton, Tag } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { NOTHING, thousands } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { RemoteSelect } from '../../../kernel/client/parts/remote-select.tsx';
import { keysOf, rootOf } from '../../../kernel/client/wire.ts';
import { RULES, WAYS } from '../butler-choices.rules.ts';
import { incentivePlan, type PlanQuote as Quote } from './configuration.contract.ts';
import '../butler.css';

/** What goods would earn by a version: product, pieces, what is paid for them and whose result it is. */
export function PlanQuote({ id }: { readonly id: string }) {
  const text = useText();
  const [product, setProduct] = useState<{ readonly id: string; readonly title: string }>();
  const [qty, setQty] = useState(1);
  const [cash, setCash] = useState<string>();
  const [way, setWay] = useState<string>('1');
  const asked = { product: product?.id ?? '', qty, cash: cash ?? '', way };
  const ready = asked.product !== '' && asked.cash !== '';
  const quote = useQuery({
    queryKey: [...keysOf.row(incentivePlan.name, id), 'quote', asked],
    enabled: ready,
    gcTime: 0,
    queryFn: ({ signal }) =>
      call<Quote>('GET', `${rootOf(incentivePlan)}/${id}/quote`, { query: asked, signal, quiet: true }),
  });
  const labels = {
    product: text(['商品', 'Goods']),
    qty: text(['数量', 'Pieces']),
    cash: text(['实付金额', 'Paid']),
    way: text(['来源', 'Way']),
  };
  return (
    <section className="bt-part" aria-label={text(['激励计算器', 'Calculator'])}>
      <Form layout="vertical" component={false}>
        <Form.Item label={labels.product}>
          <RemoteSelect
            target="butlerProduct"
            label={labels.product}
            placeholder={text(['请选择', 'Choose'])}
            value={product ? [product.id] : []}
            known={product ? { [product.id]: product.title } : {}}
            onChange={(_ids, [one]) => setProduct(one)}
          />
        </Form.Item>
        <div className="bt-row">
          <Form.Item label={labels.qty}>
            <InputNumber
              aria-label={labels.qty}
              min={1}
              max={9999}
              precision={0}
              value={qty}
              onChange={(value) => setQty(value ?? 1)}
            />
          </Form.Item>
          <Form.Item label={labels.cash}>
            <InputNumber<string>
              aria-label={labels.cash}
              stringMode
              min="0"
              max="99999999"
              precision={2}
              prefix="¥"
              value={cash ?? null}
              onChange={(value) => setCash(value ?? undefined)}
            />
          </Form.Item>
          <Form.Item label={labels.way}>
            <Segmented
              aria-label={labels.way}
              value={way}
              onChange={setWay}
              options={Object.entries(WAYS).map(([value, one]) => ({ value, label: text(one.label) }))}
            />
          </Form.Item>
        </div>
      </Form>
      {!ready ? (
        <p className="k-quiet">
          {text(['选择商品并填写实付金额后计算', 'Choose goods and say what is paid for them'])}
        </p>
      ) : quote.isError ? (
        <ErrorPanel error={quote.error} onRetry={() => void quote.refetch()} />
      ) : !quote.data ? (
        <Skeleton active title={false} paragraph={{ rows: 2 }} />
      ) : (
        <Descriptions
          size="small"
          column={2}
          items={[
            {
              key: 'incentive',
              label: text(['激励', 'Incentive']),
              children: <b className="k-number">¥{thousands(quote.data.incentive)}</b>,
            },
            {
              key: 'rule',
              label: text(['规则', 'Rule']),
              children: <Tag>{text(RULES[quote.data.rule].label)}</Tag>,
            },
            { key: 'value', label: text(['规则值', 'Its value']), children: quote.data.value || NOTHING },
            {
              key: 'formula',
              label: text(['算式', 'Formula']),
              children: <span className="k-number">{quote.data.formula || NOTHING}</span>,
            },
          ]}
        />
      )}
    </section>
  );
}
