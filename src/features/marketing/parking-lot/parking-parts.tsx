import { useState } from 'react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Button, DatePicker, Descriptions, Select, Skeleton, Table } from 'antd';
import dayjs, { type Dayjs } from 'dayjs';
import { COUPON_KINDS, VEHICLE_CLASSES } from '../../../domain/parking/parking.rules.ts';
import { call } from '../../../kernel/client/api-client.ts';
import { moneyText } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { NumberText } from '../../../kernel/client/parts/number-text.tsx';
import { ChartPanel } from '../../../kernel/client/report/chart-panel.tsx';
import { useView } from '../../../kernel/client/view.ts';
import { keysOf, rootOf } from '../../../kernel/client/wire.ts';
import { businessTimeText } from '../../../kernel/contract/time.rules.ts';
import { LOT_DAYS, parkingLot, type LotDay, type LotTrial } from './parking-lot.contract.ts';

const FIGURES = {
  entries: { label: ['入场', 'Entries'], kind: 'integer', formula: ['当小时入场车辆', 'Cars that came in'] },
  exits: { label: ['离场', 'Exits'], kind: 'integer', formula: ['当小时离场车辆', 'Cars that left'] },
  income: {
    label: ['收入', 'Income'],
    kind: 'money',
    formula: ['当小时支付成功的金额，未减退款', 'Payments of the hour, refunds not taken off'],
  },
} as const;

const LAST_DAYS = [`近 ${LOT_DAYS} 天`, `Last ${LOT_DAYS} days`] as const;
const DAY_FIGURES = {
  income: {
    label: ['收入', 'Income'],
    kind: 'money',
    formula: ['当日离场车辆的实付 − 已退', 'Paid − refunded of the cars that left that day'],
  },
  exits: { label: ['离场', 'Exits'], kind: 'integer', formula: ['当日离场车辆', 'Cars that left'] },
  turnover: { label: ['周转', 'Turnover'], kind: 'integer', formula: ['离场 ÷ 车位', 'Exits ÷ spaces'] },
} as const;

/** A lot today: sums, and cars and income by hour. */
export function TodayPart({ id }: { readonly id: string }) {
  const text = useText();
  const view = useView();
  const day = useQuery({
    queryKey: [...keysOf.row(parkingLot.name, id), 'today'],
    queryFn: ({ signal }) =>
      call<LotDay>('GET', `${rootOf(parkingLot)}/${encodeURIComponent(id)}/today`, { signal }),
  });
  if (day.isError) return <ErrorPanel error={day.error} onRetry={() => void day.refetch()} />;
  if (!day.data) return <Skeleton active paragraph={{ rows: 6 }} />;
  const { hours, days, ...sums } = day.data;
  const orders = view.pathOf('mk_parkOrder');
  const chart = (key: string, title: readonly [string, string], measures: string[]) => (
    <ChartPanel
      whole
      report={{ title, fields: {}, figures: FIGURES }}
      spec={{ key, title, kind: 'column', measures }}
      points={hours.map(({ hour, ...values }) => ({ key: hour, label: hour, values }))}
    />
  );
  return (
    <>
      <Descriptions
        size="small"
        column={{ xs: 2, md: 4 }}
        items={[
          { key: 'in', label: text(['入场', 'Entries']), children: sums.entries },
          { key: 'out', label: text(['离场', 'Exits']), children: sums.exits },
          { key: 'income', label: text(['收入', 'Income']), children: moneyText(sums.income) },
          { key: 'back', label: text(['退款', 'Refunds']), children: moneyText(sums.refunded) },
        ]}
      />
      {chart('cars', ['按小时进出', 'Cars by hour'], ['entries', 'exits'])}
      {chart('income', ['按小时收入', 'Income by hour'], ['income'])}
      <ChartPanel
        whole
        report={{ title: LAST_DAYS, fields: {}, figures: DAY_FIGURES }}
        spec={{ key: 'days', title: LAST_DAYS, kind: 'line', measures: ['income', 'exits', 'turnover'] }}
        points={days.map(({ day: key, ...values }) => ({ key, label: key.slice(5), values }))}
        {...(orders && {
          onPoint: (key: string) =>
            view.open(`${orders}?${new URLSearchParams({ lot: id, exitAt: `${key}~${key}` }).toString()}`),
        })}
      />
    </>
  );
}

const HOURS = 4;

/** What a stay would cost, window by window; writes nothing. */
export function TrialPart({ id }: { readonly id: string }) {
  const text = useText();
  const [vehicleClass, setClass] = useState('small');
  const [entry, setEntry] = useState<Dayjs | null>(() => dayjs().subtract(HOURS, 'hour').startOf('minute'));
  const [exit, setExit] = useState<Dayjs | null>(() => dayjs().startOf('minute'));
  const [kind, setKind] = useState<string>();
  const [value, setValue] = useState('');
  const trial = useMutation({
    mutationFn: () =>
      call<LotTrial>('POST', `${rootOf(parkingLot)}/${encodeURIComponent(id)}/simulate`, {
        body: {
          vehicleClass,
          entry: entry!.toISOString(),
          exit: exit!.toISOString(),
          ...(kind && {
            coupon: {
              kind,
              value:
                kind === 'free' ? 0 : kind === 'amount' ? Math.round(Number(value) * 100) : Number(value),
            },
          }),
        },
      }),
  });
  const options = (choices: Readonly<Record<string, { readonly label: readonly [string, string] }>>) =>
    Object.entries(choices).map(([key, one]) => ({ value: key, label: text(one.label) }));
  const found = trial.data;
  const needsValue = kind !== undefined && kind !== 'free';
  return (
    <div className="or-trial">
      <div className="or-row">
        <Select
          aria-label={text(['车型', 'Class'])}
          value={vehicleClass}
          onChange={setClass}
          options={options(VEHICLE_CLASSES)}
          style={{ width: 120 }}
        />
        <DatePicker
          showTime={{ format: 'HH:mm' }}
          format="YYYY-MM-DD HH:mm"
          aria-label={text(['入场', 'Entry'])}
          placeholder={text(['入场', 'Entry'])}
          value={entry}
          onChange={setEntry}
        />
        <DatePicker
          showTime={{ format: 'HH:mm' }}
          format="YYYY-MM-DD HH:mm"
          aria-label={text(['离场', 'Exit'])}
          placeholder={text(['离场', 'Exit'])}
          value={exit}
          onChange={setExit}
        />
        <Select
          allowClear
          aria-label={text(['停车券', 'Coupon'])}
          placeholder={text(['不用券', 'No coupon'])}
          value={kind}
          onChange={setKind}
          options={options(COUPON_KINDS)}
          style={{ width: 120 }}
        />
        {needsValue && (
          <label className="or-amount">
            <span className="k-hint">
              {text(
                kind === 'minutes'
                  ? ['分钟', 'Minutes']
                  : kind === 'amount'
                    ? ['金额（元）', 'Yuan']
                    : ['付百分之几', 'Percent that is paid'],
              )}
            </span>
            <NumberText
              value={value}
              scale={kind === 'amount' ? 2 : 0}
              min={0}
              max={kind === 'percent' ? 99 : 10_000}
              onChange={setValue}
            />
          </label>
        )}
        <Button
          type="primary"
          disabled={!entry || !exit || (needsValue && value === '')}
          loading={trial.isPending}
          onClick={() => trial.mutate()}
        >
          {text(['试算', 'Simulate'])}
        </Button>
      </div>
      {trial.isError && <ErrorPanel error={trial.error} onRetry={() => trial.mutate()} />}
      {found && (
        <>
          <Windows windows={found.windows} />
          <Descriptions
            size="small"
            column={{ xs: 1, md: 5 }}
            items={[
              { key: 'm', label: text(['计费分钟', 'Minutes']), children: found.minutes },
              { key: 'g', label: text(['停车费', 'Fee']), children: moneyText(found.gross) },
              { key: 'd', label: text(['停车券', 'Coupon']), children: moneyText(found.discount) },
              { key: 'due', label: text(['应付', 'Due']), children: moneyText(found.due) },
              {
                key: 'c',
                label: text(['可停至', 'Covered until']),
                children: businessTimeText(found.coveredUntil),
              },
            ]}
          />
        </>
      )}
    </div>
  );
}

/** The windows of 24 hours a fee is made of. */
export function Windows({ windows }: { readonly windows: LotTrial['windows'] }) {
  const text = useText();
  return (
    <Table
      size="small"
      pagination={false}
      rowKey="no"
      dataSource={[...windows]}
      scroll={{ x: 520 }}
      locale={{ emptyText: text(['免费时长内，不收费', 'Within the free minutes: nothing is charged']) }}
      columns={[
        { title: text(['第几个 24 小时', '24 hours no.']), dataIndex: 'no', width: 120 },
        { title: text(['分钟', 'Minutes']), dataIndex: 'minutes', align: 'right', width: 90 },
        { title: text(['续费单位数', 'Units']), dataIndex: 'units', align: 'right', width: 100 },
        {
          title: text(['封顶前', 'Before the cap']),
          dataIndex: 'raw',
          align: 'right',
          width: 110,
          render: (value: string) => moneyText(value),
        },
        {
          title: text(['收费', 'Charged']),
          dataIndex: 'fee',
          align: 'right',
          width: 110,
          render: (value: string) => moneyText(value),
        },
      ]}
    />
  );
}
