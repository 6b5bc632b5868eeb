import { useState } from 'react';
import { Select, Spin } from 'antd';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { moneyText } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ORDER_ROOT, useStill } from './order-calls.ts';

/** A spec that can be ordered; price as yuan text. */
export interface FoundSpec {
  readonly id: string;
  readonly productName: string;
  readonly specName: string;
  readonly code: string;
  readonly unit: string;
  readonly stock: number;
  readonly price: string;
  readonly merchant: { readonly id: string; readonly title: string };
}

/** A spec in the cart. */
export interface PickedSpec extends FoundSpec {
  readonly qty: number;
}

/** Finds goods of a project by name or code and puts them into the cart. */
export function GoodsPicker(props: {
  readonly projectId: string;
  readonly chosen: readonly PickedSpec[];
  readonly onPick: (spec: FoundSpec) => void;
}) {
  const text = useText();
  const [keyword, setKeyword] = useState('');
  const searchVal = useStill(keyword);
  const { data, isFetching } = useQuery({
    queryKey: ['goodsOrder', 'spec', props.projectId, searchVal],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      call<readonly FoundSpec[]>('GET', `${ORDER_ROOT}/spec`, {
        query: { projectId: props.projectId, searchVal },
        signal,
        quiet: true,
      }),
  });
  const chosen = new Set(props.chosen.map((one) => one.id));
  return (
    <Select
      className="k-fill"
      aria-label={text(['添加商品', 'Add goods'])}
      placeholder={text(['输入商品名称或编号添加', 'Type a name or number to add goods'])}
      value={null}
      showSearch={{ filterOption: false, onSearch: setKeyword, searchValue: keyword }}
      notFoundContent={isFetching ? <Spin size="small" /> : text(['没有可下单的商品', 'No goods to order'])}
      options={(data ?? [])
        .filter((spec) => !chosen.has(spec.id))
        .map((spec) => ({
          value: spec.id,
          disabled: spec.stock === 0,
          label: (
            <span className="k-option">
              <span>
                {spec.productName}{' '}
                <small className="k-quiet">
                  {spec.specName} · {spec.merchant.title}
                </small>
              </span>
              <small className="k-number">
                {moneyText(spec.price)} · {text([`库存 ${spec.stock}`, `${spec.stock} left`])}
              </small>
            </span>
          ),
        }))}
      onSelect={(id: string | null) => {
        const spec = data?.find((one) => one.id === id);
        if (spec) props.onPick(spec);
        setKeyword('');
      }}
    />
  );
}
