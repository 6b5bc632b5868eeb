import { useState } from 'react';
import { Alert, InputNumber, Select, Skeleton } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { moneyText } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { rootOf } from '../../../kernel/client/wire.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { netOf } from '../../../domain/merchant/merchant.rules.ts';
import { ChecklistItems } from '../merchant/merchant-checklist.tsx';
import { merchantInfo, type MerchantTerms } from './merchant-info.contract.ts';

function useTerms(id: string) {
  return useQuery({
    queryKey: [merchantInfo.name, 'terms', id],
    queryFn: ({ signal }) => call<MerchantTerms>('GET', `${rootOf(merchantInfo)}/${id}/terms`, { signal }),
  }).data;
}

/** What the merchant still needs before it opens. */
export function Checklist({ id }: { readonly id: string }) {
  const terms = useTerms(id);
  return terms ? <ChecklistItems items={terms.checklist} /> : <Skeleton active />;
}

/** What is left of an amount under the agreement in force. */
export function Calculator({ id }: { readonly id: string }) {
  const text = useText();
  const terms = useTerms(id);
  const [amount, setAmount] = useState<number | null>(100);
  const [rule, setRule] = useState(-1);
  if (!terms) return <Skeleton active />;
  if (terms.commissionBp === null)
    return <Alert type="info" showIcon title={text(['没有生效中的协议', 'No agreement is in force'])} />;
  const bp = terms.rules[rule]?.bp ?? terms.commissionBp;
  const fen = Math.round((amount ?? 0) * 100);
  const result = netOf(fen, bp, terms.feePpm);
  const rate = (value: number) => `${(value / 100).toFixed(2)}%`;
  const line = (label: readonly [string, string], value: number) => (
    <div>
      <dt>{text(label)}</dt>
      <dd className="k-number">{moneyText(yuanFromFen(value))}</dd>
    </div>
  );
  return (
    <>
      {terms.next && (
        <Alert
          type="info"
          showIcon
          title={text([
            `下一版本 V${terms.next.version} 自 ${terms.next.starts} 起生效，默认佣金 ${rate(terms.next.commissionBp)}`,
            `Next version V${terms.next.version} from ${terms.next.starts}, commission ${rate(terms.next.commissionBp)}`,
          ])}
        />
      )}
      <p>
        <InputNumber
          aria-label={text(['金额（元）', 'Amount (yuan)'])}
          min={0}
          max={9_999_999}
          precision={2}
          value={amount}
          onChange={setAmount}
          prefix="¥"
        />{' '}
        <Select
          aria-label={text(['适用佣金', 'Commission'])}
          value={rule}
          onChange={setRule}
          style={{ minWidth: 220 }}
          options={[
            {
              value: -1,
              label: text([`默认 ${rate(terms.commissionBp)}`, `Default ${rate(terms.commissionBp)}`]),
            },
            ...terms.rules.map((one, index) => ({
              value: index,
              label: `${text(one.title)} ${rate(one.bp)}`,
            })),
          ]}
        />
      </p>
      <dl className="k-facts">
        {line([`佣金（协议 V${terms.version}）`, `Commission (V${terms.version})`], result.commission)}
        {line(['渠道费（按当前费率估算）', 'Channel fee (estimated)'], result.fee)}
        {line(['商户所得', 'Net'], result.net)}
      </dl>
    </>
  );
}
