import '../message.css';
import { useQuery } from '@tanstack/react-query';
import { Alert, Progress, Segmented, Skeleton, Table } from 'antd';
import { CHANNELS, REASONS, type SendEstimate } from '../../../domain/message-send/message.rules.ts';
import { call } from '../../../kernel/client/api-client.ts';
import { instantFull } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import type { SlotInputProps } from '../../../kernel/client/slots.ts';
import { keysOf, rootOf, type RowData } from '../../../kernel/client/wire.ts';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import { fill, type Label } from '../../../kernel/contract/label.ts';
import { messageSend, type SendProgress as Figures } from './message-send.contract.ts';

const ROOT = rootOf(messageSend);
const reasonLabel = (reason: string): Label =>
  REASONS[reason as keyof typeof REASONS]?.label ?? [reason, reason];
const channelLabel = (channel: number): Label => CHANNELS[channel as keyof typeof CHANNELS];

/** Total, reachable, skipped with reasons, costs and samples of an estimate. */
export function EstimateFacts({ estimate }: { readonly estimate: SendEstimate }) {
  const text = useText();
  return (
    <section aria-label={text(['对象估算', 'Estimate'])}>
      <Alert
        type={estimate.reachable === 0 ? 'warning' : 'info'}
        showIcon
        title={text(
          fill(
            [
              '共 {total} 人，可触达 {reachable} 人，忽略 {skipped} 人',
              '{total} people, {reachable} reachable, {skipped} skipped',
            ],
            {
              total: estimate.total,
              reachable: estimate.reachable,
              skipped: estimate.skippedTotal,
            },
          ),
        )}
        description={
          <>
            <div className="mm-figures">
              {estimate.channels.map((one) => (
                <span key={one.channel}>
                  {text(channelLabel(one.channel))} <b>{one.people}</b>
                </span>
              ))}
              {estimate.skipped.map((one) => (
                <span key={one.reason}>
                  {text(reasonLabel(one.reason))} <b>{one.people}</b>
                </span>
              ))}
              {estimate.unknown > 0 && (
                <span>
                  {text(['不是范围内会员的号码', 'Numbers of no member in reach'])} <b>{estimate.unknown}</b>
                </span>
              )}
              {estimate.smsCost !== null && (
                <span>
                  {text(
                    fill(['短信费用约 ¥{cost}（每人 {n} 条）', 'SMS about ¥{cost} ({n} each)'], {
                      cost: estimate.smsCost,
                      n: estimate.segments,
                    }),
                  )}
                </span>
              )}
            </div>
            {estimate.review && text(['提交后须先审核', 'It is reviewed after it is submitted'])}
          </>
        }
      />
      {estimate.sample.length > 0 && (
        <Table
          size="small"
          pagination={false}
          rowKey={(row) => `${row.phone} ${row.text}`}
          dataSource={[...estimate.sample]}
          columns={[
            { title: text(['抽样', 'Sample']), dataIndex: 'phone', width: 130 },
            { title: text(['内容预览', 'Preview']), dataIndex: 'text' },
          ]}
        />
      )}
    </section>
  );
}

/** Whom a saved message would reach now. */
export function SavedEstimate({ row }: { readonly row: RowData }) {
  const estimate = useQuery({
    queryKey: [...keysOf.row(messageSend.name, row.id), 'estimate'],
    gcTime: 0,
    queryFn: ({ signal }) => call<SendEstimate>('GET', `${ROOT}/${row.id}/estimate`, { signal, quiet: true }),
  });
  if (estimate.isError) return <ErrorPanel error={estimate.error} onRetry={() => void estimate.refetch()} />;
  if (!estimate.data) return <Skeleton active title={false} paragraph={{ rows: 2 }} />;
  return <EstimateFacts estimate={estimate.data} />;
}

const LISTS = [
  'projects',
  'buildings',
  'identities',
  'grades',
  'classes',
  'excludedProjects',
  'excludedIdentities',
];
const PLAIN = [
  'audience',
  'joinBy',
  'registeredFrom',
  'registeredTo',
  'activeFrom',
  'activeTo',
  'withinDays',
  'minPoints',
  'phones',
  'excludedPhones',
  'urgent',
];

/** What a form that is not saved says of its audience, as the estimate takes it. */
export function estimateInput(values: Readonly<Record<string, unknown>>): object {
  const of = (name: string) => values[name];
  const input: Record<string, unknown> = {
    channels: ((of('channels') ?? []) as readonly RefValue[]).map((one) => Number(one.id)),
  };
  for (const name of LISTS)
    input[name] = ((of(name) ?? []) as readonly RefValue[]).map((one) => String(one.id));
  for (const name of PLAIN) {
    const value = of(name);
    if (value !== undefined && value !== null && value !== '') input[name] = value;
  }
  for (const name of ['template', 'coupon']) {
    const value = of(name) as RefValue | null | undefined;
    if (value?.id) input[name] = String(value.id);
  }
  const lines = (of('values') ?? []) as readonly { name?: string; value?: string }[];
  input.values = lines
    .filter((one) => one?.name && one.value)
    .map((one) => ({ name: one.name, value: one.value }));
  return input;
}

/** The live count of a form that is not saved. */
export function LiveEstimate({ input }: { readonly input: object }) {
  const text = useText();
  const estimate = useQuery({
    queryKey: [messageSend.name, 'draft-estimate', JSON.stringify(input)],
    gcTime: 0,
    retry: false,
    queryFn: ({ signal }) =>
      call<SendEstimate>('POST', `${ROOT}/estimate`, { signal, body: input, quiet: true }),
  });
  if (estimate.isError)
    return (
      <Alert
        type="warning"
        showIcon
        title={text(['无法估算，请检查名单与条件', 'It cannot be estimated: check lists and conditions'])}
      />
    );
  if (!estimate.data) return <Skeleton active title={false} paragraph={{ rows: 2 }} />;
  return <EstimateFacts estimate={estimate.data} />;
}

/** When a message goes out, below whom it would reach as the form stands. */
export function EstimatedSchedule({ id, value, onChange, values, disabled }: SlotInputProps) {
  const text = useText();
  const choices = messageSend.fields.schedule.choices!;
  return (
    <>
      <Segmented
        {...(id ? { id } : {})}
        aria-label={text(messageSend.fields.schedule.label)}
        disabled={disabled}
        value={String(value ?? 'now')}
        onChange={(next) => onChange?.(next)}
        options={Object.entries(choices).map(([key, one]) => ({ value: key, label: text(one.label) }))}
      />
      <div className="mm-block" />
      <LiveEstimate input={estimateInput(values)} />
    </>
  );
}

const percent = (part: number, whole: number) => (whole === 0 ? 0 : Math.round((1000 * part) / whole) / 10);

/** How far a message is: bar with rate and time left, funnel, channels, reasons and runs. */
export function SendProgress({ row }: { readonly row: RowData }) {
  const text = useText();
  const progress = useQuery({
    queryKey: [...keysOf.row(messageSend.name, row.id), 'progress'],
    refetchInterval: row.state === 'sending' ? 5_000 : false,
    queryFn: ({ signal }) => call<Figures>('GET', `${ROOT}/${row.id}/progress`, { signal, quiet: true }),
  });
  if (progress.isError) return <ErrorPanel error={progress.error} onRetry={() => void progress.refetch()} />;
  if (!progress.data) return <Skeleton active />;
  const all = progress.data;
  if (all.planned === 0)
    return <Alert type="info" showIcon title={text(['还没有开始发送', 'It is not being sent yet'])} />;
  const meant = all.planned - all.skipped;
  const funnel: readonly (readonly [Label, number, number])[] = [
    [['计划（不含忽略）', 'Planned without skipped'], meant, meant],
    [['已发', 'Sent'], all.submitted, meant],
    [['送达', 'Delivered'], all.delivered, meant],
    [['已读', 'Read'], all.read, meant],
    [['点击', 'Clicked'], all.clicked, meant],
  ];
  return (
    <>
      <section className="mm-block">
        <Progress
          percent={percent(all.planned - all.left, all.planned)}
          aria-label={text(['发送进度', 'Progress'])}
        />
        <div className="mm-figures">
          <span>
            {text(['待发送', 'Waiting'])} <b>{all.left}</b>
          </span>
          <span>
            {text(['近一分钟', 'Last minute'])} <b>{all.rate}</b>
          </span>
          {all.left > 0 && all.rate > 0 && (
            <span>
              {text(
                fill(['预计还需 {n} 分钟', 'About {n} {n|minute|minutes} left'], {
                  n: Math.ceil(all.left / all.rate),
                }),
              )}
            </span>
          )}
        </div>
      </section>
      <section className="mm-block" aria-label={text(['漏斗', 'Funnel'])}>
        {funnel.map(([label, value, whole]) => (
          <div key={label[0]} className="mm-figures">
            <span style={{ width: 180 }}>{text(label)}</span>
            <b>{value}</b>
            <span style={{ flex: 1, minWidth: 160 }}>
              <Progress percent={percent(value, whole)} size="small" aria-label={text(label)} />
            </span>
          </div>
        ))}
      </section>
      <Table
        className="mm-block"
        size="small"
        pagination={false}
        rowKey="channel"
        dataSource={[...all.channels]}
        columns={[
          {
            title: text(['渠道', 'Channel']),
            dataIndex: 'channel',
            render: (value: number) => text(channelLabel(value)),
          },
          { title: text(['计划', 'Planned']), dataIndex: 'planned', align: 'right' },
          { title: text(['已发', 'Sent']), dataIndex: 'sent', align: 'right' },
          { title: text(['送达', 'Delivered']), dataIndex: 'delivered', align: 'right' },
          { title: text(['已读', 'Read']), dataIndex: 'read', align: 'right' },
          { title: text(['失败', 'Failed']), dataIndex: 'failed', align: 'right' },
          { title: text(['忽略', 'Skipped']), dataIndex: 'skipped', align: 'right' },
        ]}
      />
      {all.reasons.length > 0 && (
        <div className="mm-figures">
          {all.reasons.map((one) => (
            <span key={one.reason}>
              {text(reasonLabel(one.reason))} <b>{one.people}</b>
            </span>
          ))}
        </div>
      )}
      <Table
        size="small"
        pagination={false}
        rowKey="day"
        dataSource={[...all.runs]}
        columns={[
          { title: text(['批次', 'Run']), dataIndex: 'day' },
          { title: text(['计划', 'Planned']), dataIndex: 'planned', align: 'right' },
          { title: text(['已发', 'Sent']), dataIndex: 'sent', align: 'right' },
          {
            title: text(['完成', 'Finished']),
            dataIndex: 'finishedAt',
            render: (value: string | null) => (value ? instantFull(value) : text(['进行中', 'Going on'])),
          },
        ]}
      />
    </>
  );
}
