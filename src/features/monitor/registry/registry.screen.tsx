import { useQuery } from '@tanstack/react-query';
import { Alert } from 'antd';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { Duration, Parts, useLiveRows, usePart } from '../monitor-page.tsx';
import { OutsidePanel, useOutsideOffered } from '../outside/outside-panel.tsx';
import { reasonLabel } from '../../../domain/services/event-reason.rules.ts';
import { instanceEvent } from './instance-event.contract.ts';
import { serviceInstance, type RegistrySummary } from './service-instance.contract.ts';

const SECONDS = 5;

/** Who is running: instances with their heartbeats, the journal, the outside console. */
function Registry() {
  const part = usePart('instances');
  useLiveRows([serviceInstance.name], SECONDS);
  if (part === 'events')
    return <ScreenOf contract={instanceEvent} slots={{ above: <RegistryParts />, cells: eventCells }} />;
  if (part === 'outside')
    return (
      <div className="k-screen">
        <RegistryParts />
        <OutsidePanel kind="eureka" />
      </div>
    );
  return <ScreenOf contract={serviceInstance} slots={slots} />;
}

/** 服务注册中心. */
export const screen = { contract: serviceInstance, component: Registry };

function RegistryParts() {
  const offered = useOutsideOffered('eureka');
  return (
    <Parts
      title={serviceInstance.title}
      parts={[
        { key: 'instances', label: ['实例', 'Instances'] },
        { key: 'events', label: ['事件', 'Journal'] },
        ...(offered ? [{ key: 'outside', label: ['外部控制台', 'Outside console'] as const }] : []),
      ]}
    />
  );
}

function Head() {
  const text = useText();
  const { active } = useView();
  const { data } = useQuery({
    queryKey: ['registry', 'summary'],
    queryFn: ({ signal }) =>
      call<RegistrySummary>('GET', '/api/admin/registry/summary', { signal, quiet: true }),
    refetchInterval: active ? SECONDS * 1000 : false,
  });
  const facts = [
    [['服务', 'Services'], data?.services],
    [['正常实例', 'Instances UP'], data?.up],
    [['每分钟应续约', 'Expected renewals per minute'], data?.expectedPerMinute],
    [['上一分钟续约', 'Renewals of the last minute'], data?.renewalsLastMinute],
    [['保护模式', 'Protection'], data && text(data.protected ? ['开', 'On'] : ['关', 'Off'])],
  ] as const;
  return (
    <>
      <RegistryParts />
      {data?.protected && (
        <Alert
          className="mon-banner"
          type="warning"
          showIcon
          title={text([
            '心跳低于预期的85%，已暂停剔除实例',
            'Renewals are below 85 % of expected; instances are not evicted',
          ])}
        />
      )}
      <dl className="mon-head" aria-live="off">
        {facts.map(([label, value]) => (
          <div key={label[1]}>
            <dt>{text(label)}</dt>
            <dd>{value ?? '–'}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

const slots: ScreenSlots = {
  above: <Head />,
  // Both start with what the instance has now.
  dialogWith: {
    weight: (row) => ({ weight: String(row.weight) }),
    metadata: (row) => ({ metadata: JSON.stringify(row.metadata, null, 2) }),
  },
  cells: {
    uptime: (row) => <Duration seconds={Number(row.uptime ?? 0)} />,
    downReason: (row) => <Reason of={row.downReason} />,
    metadata: (row) => <Pairs value={row.metadata} />,
    checks: (row) => <Checks row={row} />,
  },
};

const eventCells: ScreenSlots['cells'] = {
  reason: (row) => <Reason of={row.reason} />,
  instance: (row) => <EventInstance row={row} />,
};

/** Leads to the metrics of the instance around the time of the event. */
function EventInstance({ row }: { readonly row: RowData }) {
  const view = useView();
  const path = view.pathOf('serviceMonitorManager');
  const instance = String(row.instance ?? '');
  if (!path || instance === '') return <>{instance}</>;
  return (
    <button
      type="button"
      className="k-link"
      onClick={() =>
        view.open(
          `${path}?part=metrics&instance=${encodeURIComponent(instance)}&around=${encodeURIComponent(String(row.at))}`,
        )
      }
    >
      {instance}
    </button>
  );
}

function Reason({ of }: { readonly of: unknown }) {
  const text = useText();
  return <>{text(reasonLabel(String(of ?? ''))) || '–'}</>;
}

function Pairs({ value }: { readonly value: unknown }) {
  const pairs = Object.entries((value as Record<string, unknown> | null) ?? {});
  return <>{pairs.map(([key, one]) => `${key}=${String(one)}`).join(' ') || '–'}</>;
}

function Checks({ row }: { readonly row: RowData }) {
  const checks = (row.checks as readonly { name: string; ok: boolean; note?: string }[] | null) ?? [];
  return (
    <>
      {checks
        .map((check) => `${check.ok ? '✓' : '✗'} ${check.name}${check.note ? ` (${check.note})` : ''}`)
        .join(' · ') || '–'}
    </>
  );
}
