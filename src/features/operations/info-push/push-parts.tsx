import './info-push.css';
import { useQuery } from '@tanstack/react-query';
import { Alert, Input, Progress, Segmented, Skeleton } from 'antd';
import { REASONS, type SendEstimate } from '../../../domain/message-send/message.rules.ts';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import type { SlotInputProps } from '../../../kernel/client/slots.ts';
import { keysOf, rootOf, type RowData } from '../../../kernel/client/wire.ts';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import { fill, type Label } from '../../../kernel/contract/label.ts';
import type { SendProgress } from '../../marketing/message-send/message-send.contract.ts';
import { infoPush } from './info-push.contract.ts';

interface Reach {
  readonly total: number;
  readonly reachable: number;
  readonly skipped: Readonly<Record<string, number>>;
  readonly unknown: number;
}

/** A push as a phone shows it. */
export function PhonePreview({ title, body }: { readonly title: string; readonly body: string }) {
  const text = useText();
  return (
    <section className="ip-phone" aria-label={text(['手机预览', 'Preview'])}>
      <article>
        <h4>{title || text(['标题', 'Title'])}</h4>
        {body || text(['内容', 'Content'])}
      </article>
    </section>
  );
}

/** The text of a push with its look on a phone. */
export function BodyInput({ id, value, onChange, values, disabled }: SlotInputProps) {
  const body = String(value ?? '');
  return (
    <>
      <Input.TextArea
        {...(id ? { id } : {})}
        value={body}
        disabled={disabled}
        maxLength={100}
        showCount
        autoSize={{ minRows: 2, maxRows: 5 }}
        onChange={(event) => onChange?.(event.target.value)}
      />
      <PhonePreview title={String(values.name ?? '')} body={body} />
    </>
  );
}

/** How many people a push reaches, and why others do not get it. */
function ReachAlert({ reach }: { readonly reach: Reach }) {
  const text = useText();
  return (
    <Alert
      type={reach.reachable === 0 ? 'warning' : 'info'}
      showIcon
      title={text(
        fill(['共 {total} 人，可触达 {n} 人', '{total} people, {n} reachable'], {
          total: reach.total,
          n: reach.reachable,
        }),
      )}
      description={[
        ...Object.entries(reach.skipped).map(
          ([reason, people]) =>
            `${text(REASONS[reason as keyof typeof REASONS]?.label ?? [reason, reason])} ${people}`,
        ),
        ...(reach.unknown > 0
          ? [`${text(['非范围内会员号码', 'Numbers of no member in reach'])} ${reach.unknown}`]
          : []),
      ].join(text(['，', ', ']))}
    />
  );
}

/** Whom a saved push would reach now. */
export function PushReach({ row }: { readonly row: RowData }) {
  const reach = useQuery({
    queryKey: [...keysOf.row(infoPush.name, row.id), 'reach'],
    gcTime: 0,
    queryFn: ({ signal }) =>
      call<Reach>('GET', `${rootOf(infoPush)}/${row.id}/reach`, { signal, quiet: true }),
  });
  if (reach.isError) return <ErrorPanel error={reach.error} onRetry={() => void reach.refetch()} />;
  if (!reach.data) return <Skeleton active title={false} paragraph={{ rows: 1 }} />;
  return <ReachAlert reach={reach.data} />;
}

/** When a push goes out, below how many it reaches as the form stands. */
export function WhenInput({ id, value, onChange, values, disabled }: SlotInputProps) {
  const text = useText();
  const { schedule } = infoPush.fields;
  const ids = (name: string) => ((values[name] ?? []) as readonly RefValue[]).map((one) => String(one.id));
  const input = {
    title: String(values.name ?? ''),
    channels: [3, 1],
    audience: values.audience === 'phones' ? 'phones' : 'conditions',
    projects: ids('projects'),
    identities: ids('identities'),
    grades: ids('grades'),
    groups: ids('groups'),
    phones: String(values.phones ?? ''),
    excludedPhones: String(values.excludedPhones ?? ''),
    urgent: values.urgent === true,
  };
  const ready = input.audience === 'phones' ? input.phones !== '' : input.projects.length > 0;
  const estimate = useQuery({
    queryKey: [infoPush.name, 'draft-estimate', JSON.stringify(input)],
    enabled: ready,
    gcTime: 0,
    retry: false,
    queryFn: ({ signal }) =>
      call<SendEstimate>('POST', `${rootOf(infoPush)}/estimate`, { signal, body: input, quiet: true }),
  });
  return (
    <>
      <Segmented
        {...(id ? { id } : {})}
        aria-label={text(schedule.label)}
        disabled={disabled}
        value={String(value ?? 'now')}
        onChange={(next) => onChange?.(next)}
        options={Object.entries(schedule.choices!).map(([key, one]) => ({
          value: key,
          label: text(one.label),
        }))}
      />
      {ready && estimate.isError && (
        <Alert
          type="warning"
          showIcon
          title={text(['无法估算，请检查名单', 'It cannot be estimated: check the lists'])}
        />
      )}
      {ready && estimate.data && (
        <ReachAlert
          reach={{
            ...estimate.data,
            skipped: Object.fromEntries(estimate.data.skipped.map((one) => [one.reason, one.people])),
          }}
        />
      )}
    </>
  );
}

/** Targets, delivered, opened and clicked. */
export function PushFunnel({ row }: { readonly row: RowData }) {
  const text = useText();
  const funnel = useQuery({
    queryKey: [...keysOf.row(infoPush.name, row.id), 'funnel'],
    queryFn: ({ signal }) =>
      call<SendProgress>('GET', `${rootOf(infoPush)}/${row.id}/funnel`, { signal, quiet: true }),
  });
  if (funnel.isError) return <ErrorPanel error={funnel.error} onRetry={() => void funnel.refetch()} />;
  if (!funnel.data) return <Skeleton active title={false} paragraph={{ rows: 4 }} />;
  const all = funnel.data;
  if (all.planned === 0)
    return <Alert type="info" showIcon title={text(['还没有开始发送', 'It is not being sent yet'])} />;
  const whole = all.planned - all.skipped;
  const steps: readonly (readonly [Label, number])[] = [
    [['目标（不含忽略）', 'Targets without skipped'], whole],
    [['送达', 'Delivered'], all.delivered],
    [['打开', 'Opened'], all.read],
    [['点击', 'Clicked'], all.clicked],
  ];
  return (
    <section aria-label={text(['漏斗', 'Funnel'])}>
      {steps.map(([label, value]) => (
        <div key={label[0]} className="ip-line">
          <span style={{ width: 170 }}>{text(label)}</span>
          <b>{value}</b>
          <span className="ip-bar">
            <Progress
              size="small"
              percent={whole === 0 ? 0 : Math.round((100 * value) / whole)}
              aria-label={text(label)}
            />
          </span>
        </div>
      ))}
      <div className="ip-line">
        {all.reasons.map((one) => (
          <span key={one.reason}>
            {text(REASONS[one.reason as keyof typeof REASONS]?.label ?? [one.reason, one.reason])}{' '}
            <b>{one.people}</b>
          </span>
        ))}
      </div>
    </section>
  );
}
