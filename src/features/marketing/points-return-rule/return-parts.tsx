import { useState } from 'react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Alert, Button, Skeleton, Table, Tag } from 'antd';
import { partsOfSaid } from '../../../domain/coupon/said-twice.rules.ts';
import { call } from '../../../kernel/client/api-client.ts';
import { thousands } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { RemoteSelect } from '../../../kernel/client/parts/remote-select.tsx';
import { useExport } from '../../../kernel/client/parts/use-export.ts';
import { ChartPanel } from '../../../kernel/client/report/chart-panel.tsx';
import { keysOf, rootOf } from '../../../kernel/client/wire.ts';
import { bodyOf, EMPTY_BASKET, isComplete, TrialBasket } from '../order-rule/trial-basket.tsx';
import { returnRule, type ReturnDays, type ReturnTrial } from './points-return-rule.contract.ts';

const FIGURES = {
  granted: {
    label: ['返还', 'Granted'],
    kind: 'integer',
    formula: ['当日支付的订单所返', 'Given for orders paid that day'],
  },
  takenBack: {
    label: ['追回', 'Taken back'],
    kind: 'integer',
    formula: ['其中因退款追回', 'Of it taken back by refunds'],
  },
} as const;

/** What a rule gave and took back, by the day its orders were paid. */
export function ReturnDaysPart({ id }: { readonly id: string }) {
  const days = useQuery({
    queryKey: [...keysOf.row(returnRule.name, id), 'days'],
    queryFn: ({ signal }) =>
      call<ReturnDays>('GET', `${rootOf(returnRule)}/${encodeURIComponent(id)}/days`, { signal }),
  });
  if (days.isError) return <ErrorPanel error={days.error} onRetry={() => void days.refetch()} />;
  if (!days.data) return <Skeleton active paragraph={{ rows: 6 }} />;
  return (
    <ChartPanel
      whole
      report={{ title: ['近 30 天返还', 'Thirty days'], fields: {}, figures: FIGURES }}
      spec={{
        key: 'days',
        title: ['近 30 天返还（按支付日期）', 'Thirty days, by day of payment'],
        kind: 'column',
        measures: ['granted', 'takenBack'],
      }}
      points={days.data.days.map(({ day, ...values }) => ({ key: day, label: day.slice(5), values }))}
    />
  );
}

/** Which rules an order or goods would meet, and what they give; writes nothing. */
export function ReturnTrialPart({ id }: { readonly id: string }) {
  const text = useText();
  const root = `${rootOf(returnRule)}/${encodeURIComponent(id)}`;
  const [basket, setBasket] = useState(EMPTY_BASKET);
  const [grade, setGrade] = useState<readonly string[]>([]);
  const replay = useExport(`${root}/replay`);
  const trial = useMutation({
    mutationFn: () =>
      call<ReturnTrial>('POST', `${root}/simulate`, {
        body: {
          ...bodyOf(basket),
          ...(basket.by === 'basket' && grade.length > 0 && { grade: grade[0] }),
        },
      }),
  });
  const found = trial.data;
  return (
    <div className="or-trial">
      <TrialBasket value={basket} onChange={setBasket} amount={['实付', 'Paid']} />
      <div className="or-row">
        {basket.by === 'basket' && (
          <div className="or-field">
            <RemoteSelect
              target="returnGrade"
              label={text(['会员等级', 'Grade'])}
              placeholder={text(['会员等级（可选）', 'Grade (optional)'])}
              value={grade}
              known={{}}
              onChange={(ids) => setGrade(ids.slice(-1))}
            />
          </div>
        )}
        <Button
          type="primary"
          disabled={!isComplete(basket)}
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
            '本规则按当前内容参与试算（未启用也计入），不写入数据；回放结果在下载中心',
            'This rule takes part as it stands, enabled or not; nothing is written. The replay is found in the downloads',
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
            {one.own && <Tag color="processing">{text(['本规则', 'This rule'])}</Tag>}
            <span>
              {thousands(String(one.granted))}{' '}
              {text(one.asset === 'coin' ? ['代币', 'coins'] : ['积分', 'points'])}
            </span>
          </div>
          <p className="k-hint">{text(partsOfSaid(one.explain))}</p>
          <Table
            size="small"
            pagination={false}
            rowKey={(_, index) => String(index)}
            dataSource={[...one.lines]}
            columns={[
              { title: text(['商品', 'Product']), dataIndex: 'product' },
              { title: text(['实付', 'Paid']), dataIndex: 'paid', align: 'right', width: 140 },
              { title: text(['返还', 'Gives']), dataIndex: 'points', align: 'right', width: 120 },
            ]}
          />
        </div>
      ))}
    </div>
  );
}
