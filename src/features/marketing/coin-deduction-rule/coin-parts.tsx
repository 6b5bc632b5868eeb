import { useState } from 'react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Alert, Button, Skeleton, Table, Tag } from 'antd';
import { partsOfSaid } from '../../../domain/coupon/said-twice.rules.ts';
import { call } from '../../../kernel/client/api-client.ts';
import { moneyText, thousands } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { NumberText } from '../../../kernel/client/parts/number-text.tsx';
import { useExport } from '../../../kernel/client/parts/use-export.ts';
import { ChartPanel } from '../../../kernel/client/report/chart-panel.tsx';
import { keysOf, rootOf, type RowData } from '../../../kernel/client/wire.ts';
import { OverlapWarning } from '../order-rule/overlap-warning.tsx';
import { bodyOf, EMPTY_BASKET, isComplete, TrialBasket } from '../order-rule/trial-basket.tsx';
import { coinRule, type CoinDays, type CoinStep, type CoinTrial } from './coin-deduction-rule.contract.ts';

const FIGURES = {
  amount: {
    label: ['抵扣', 'Deducted'],
    kind: 'money',
    formula: ['当日下单并支付的抵扣', 'Of orders placed that day and paid'],
  },
  back: {
    label: ['退回', 'Given back'],
    kind: 'money',
    formula: ['其中因退款退回', 'Of it given back by refunds'],
  },
} as const;

/** What stands against a rule: a step above everything it may take, or another rule of the same priority. */
export function CoinWarnings({ row }: { readonly row: RowData }) {
  const text = useText();
  const { data } = useQuery({
    queryKey: [...keysOf.row(coinRule.name, row.id), 'step'],
    queryFn: ({ signal }) =>
      call<CoinStep>('GET', `${rootOf(coinRule)}/${encodeURIComponent(row.id)}/step`, {
        signal,
        quiet: true,
      }),
  });
  return (
    <>
      {data && data.most !== null && (
        <Alert
          type="warning"
          showIcon
          title={text([
            '一个步长已超过最高可抵金额，规则不会生效',
            'One step is worth more than the rule can ever take off',
          ])}
          description={text([
            `一个步长值 ${data.step} 元，最高可抵 ${data.most} 元；请调整步长、1元代币数或上限`,
            `One step is worth ${data.step} yuan, ${data.most} are allowed at most; change the step, the coins per yuan or the caps`,
          ])}
        />
      )}
      <OverlapWarning contract={coinRule} row={row} />
    </>
  );
}

/** What a rule took off and gave back, by the day its orders were placed. */
export function CoinDaysPart({ id }: { readonly id: string }) {
  const days = useQuery({
    queryKey: [...keysOf.row(coinRule.name, id), 'days'],
    queryFn: ({ signal }) =>
      call<CoinDays>('GET', `${rootOf(coinRule)}/${encodeURIComponent(id)}/days`, { signal }),
  });
  if (days.isError) return <ErrorPanel error={days.error} onRetry={() => void days.refetch()} />;
  if (!days.data) return <Skeleton active paragraph={{ rows: 6 }} />;
  return (
    <ChartPanel
      whole
      report={{ title: ['近 30 天抵扣', 'Thirty days'], fields: {}, figures: FIGURES }}
      spec={{
        key: 'days',
        title: ['近 30 天抵扣（按下单日期）', 'Thirty days, by day of order'],
        kind: 'column',
        measures: ['amount', 'back'],
      }}
      points={days.data.days.map(({ day, ...values }) => ({ key: day, label: day.slice(5), values }))}
    />
  );
}

/** What coins would pay of an order or of goods, by every rule; writes nothing. */
export function CoinTrialPart({ id }: { readonly id: string }) {
  const text = useText();
  const [basket, setBasket] = useState(EMPTY_BASKET);
  const [coins, setCoins] = useState('');
  const replay = useExport(`${rootOf(coinRule)}/${encodeURIComponent(id)}/replay`);
  const trial = useMutation({
    mutationFn: () =>
      call<CoinTrial>('POST', `${rootOf(coinRule)}/${encodeURIComponent(id)}/simulate`, {
        body: { ...bodyOf(basket), ...(coins !== '' && { coins: Number(coins) }) },
      }),
  });
  const found = trial.data;
  return (
    <div className="or-trial">
      <TrialBasket value={basket} onChange={setBasket} amount={['优惠后金额', 'After discounts']} />
      <div className="or-row">
        <label className="or-amount">
          <span className="k-hint">{text(['代币余额', 'Coins'])}</span>
          <NumberText value={coins} scale={0} min={0} max={1_000_000_000} onChange={setCoins} />
        </label>
        <Button
          type="primary"
          disabled={!isComplete(basket) || (basket.by === 'basket' && coins === '')}
          loading={trial.isPending}
          onClick={() => trial.mutate()}
        >
          {text(['试算', 'Simulate'])}
        </Button>
        <Button disabled={replay.locked} loading={replay.busy} onClick={() => replay.start({})}>
          {text(['回放近 30 天订单', 'Replay the orders of 30 days'])}
        </Button>
        <span className="k-hint">
          {text([
            '按订单试算时余额留空取会员当前代币；本规则未启用也计入，会员已用的日、月上限不计；回放按代币充足计算，结果在下载中心；均不写入数据',
            'By order, no coins given: those its member has. This rule takes part enabled or not; what members used of their caps does not count; the replay takes coins to be enough and is found in the downloads; nothing is written',
          ])}
        </span>
      </div>
      {trial.isError && <ErrorPanel error={trial.error} onRetry={() => trial.mutate()} />}
      {found && found.results.length === 0 && (
        <Alert type="info" showIcon title={text(['没有规则命中', 'No rule holds for it'])} />
      )}
      {found?.results.map((one) => (
        <div className="or-result" key={one.code}>
          <div className="or-row">
            <strong>
              {one.code} {one.name}
            </strong>
            {one.used && <Tag color="success">{text(['采用', 'Used'])}</Tag>}
            {one.own && <Tag color="processing">{text(['本规则', 'This rule'])}</Tag>}
            <span>
              {thousands(String(one.coins))} {text(['代币', 'coins'])} = {moneyText(one.amount)}
            </span>
          </div>
          <p className="k-hint">{text(partsOfSaid(one.explain))}</p>
          {one.lines.length > 0 && (
            <Table
              size="small"
              pagination={false}
              rowKey={(_, index) => String(index)}
              dataSource={[...one.lines]}
              columns={[
                { title: text(['商品', 'Product']), dataIndex: 'product' },
                {
                  title: text(['优惠后金额', 'After discounts']),
                  dataIndex: 'left',
                  align: 'right',
                  width: 140,
                },
                { title: text(['抵扣', 'Deducted']), dataIndex: 'amount', align: 'right', width: 120 },
                { title: text(['代币', 'Coins']), dataIndex: 'coins', align: 'right', width: 120 },
              ]}
            />
          )}
        </div>
      ))}
    </div>
  );
}
