import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Input, Select } from 'antd';
import { call } from '../../../kernel/client/api-client.ts';
import { instantFull } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppDrawer } from '../../../kernel/client/parts/app-drawer.tsx';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { TabList } from '../../../kernel/client/parts/tab-list.tsx';
import { ScreenWaits } from '../../../kernel/client/screen-of.tsx';
import { useView } from '../../../kernel/client/view.ts';
import { RUN_STATES } from '../../system/job/job-run.contract.ts';
import { PlainTable } from '../plain-table.tsx';
import { reasonLabel } from '../../../domain/services/event-reason.rules.ts';
import { instanceEvent } from '../registry/instance-event.contract.ts';
import { serviceInstance } from '../registry/service-instance.contract.ts';
import { DiagnosisPart } from './diagnosis-part.tsx';
import { LogLevelsPart } from './log-levels.tsx';
import { monitorPage, type InstanceDetail } from './monitor.contract.ts';

const FACTS: Readonly<Record<string, readonly [string, string]>> = {
  service: ['服务', 'Service'],
  status: ['状态', 'Status'],
  release: ['版本', 'Release'],
  host: ['主机', 'Host'],
  port: ['端口', 'Port'],
  pid: ['进程号', 'Pid'],
  runtime: ['运行时', 'Runtime'],
  zone: ['区域', 'Zone'],
  weight: ['权重', 'Weight'],
  startedAt: ['启动时间', 'Started'],
  lastHeartbeatAt: ['最近心跳', 'Last heartbeat'],
};

/** What an instance says of itself: facts, last requests, slow statements, log, settings, events. */
export function InstanceDrawer({
  instanceId,
  onClose,
}: {
  readonly instanceId: string;
  readonly onClose: () => void;
}) {
  const text = useText();
  const view = useView();
  const held = useHeld(monitorPage);
  const [tab, setTab] = useState('facts');
  const { data, error, refetch } = useQuery({
    queryKey: ['monitor', 'instance', instanceId],
    queryFn: ({ signal }) =>
      call<InstanceDetail>('GET', `/api/admin/monitor/instance/${encodeURIComponent(instanceId)}`, {
        signal,
        quiet: true,
      }),
    refetchInterval: view.active ? 10_000 : false,
  });
  const statusText = (status: string) => text(serviceInstance.states?.[status]?.label ?? [status, status]);
  const tracing = view.pathOf('serviceZipkinManager');
  const traceLink = (traceId: string) =>
    traceId === '' ? (
      '–'
    ) : tracing ? (
      <button type="button" className="k-link" onClick={() => view.open(`${tracing}?traceId=${traceId}`)}>
        {traceId.slice(0, 8)}
      </button>
    ) : (
      traceId.slice(0, 8)
    );
  return (
    <AppDrawer open size={920} title={data?.facts.service ?? instanceId} onClose={onClose}>
      <TabList
        label={instanceId}
        className="mon-parts"
        active={tab}
        onChange={setTab}
        tabs={[
          { key: 'facts', label: text(['概要', 'Details']) },
          { key: 'requests', label: text(['请求', 'Requests']) },
          { key: 'statements', label: text(['慢SQL', 'Slow SQL']) },
          { key: 'log', label: text(['日志', 'Log']) },
          ...(held('btn_level') ? [{ key: 'level', label: text(['日志级别', 'Log levels']) }] : []),
          ...(held('btn_env') ? [{ key: 'env', label: text(['环境', 'Environment']) }] : []),
          { key: 'jobs', label: text(['任务', 'Jobs']) },
          ...(held('btn_profile') || held('btn_heap')
            ? [{ key: 'diagnosis', label: text(['诊断', 'Diagnosis']) }]
            : []),
          { key: 'events', label: text(['事件', 'Events']) },
        ]}
      />
      {error ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <ScreenWaits />
      ) : tab === 'facts' ? (
        <>
          <dl className="mon-head">
            {Object.entries(data.facts).map(([name, value]) => (
              <div key={name}>
                <dt>{text(FACTS[name] ?? [name, name])}</dt>
                <dd className="mon-fact">
                  {name === 'status'
                    ? statusText(value)
                    : /At$/.test(name)
                      ? instantFull(value)
                      : value || '–'}
                </dd>
              </div>
            ))}
          </dl>
          <div className="mon-tools">
            <button
              type="button"
              className="k-link"
              onClick={() => view.setQuery(new URLSearchParams({ part: 'metrics', instance: instanceId }))}
            >
              {text(['查看指标', 'Metrics'])}
            </button>
          </div>
          <PlainTable
            label={text(['检查', 'Checks'])}
            columns={[text(['检查', 'Check']), text(['结果', 'Result']), text(['说明', 'Note'])]}
            rows={data.checks.map((one) => [one.name, one.ok ? '✓' : '✗', one.note ?? ''])}
          />
        </>
      ) : tab === 'requests' ? (
        <PlainTable
          label={text(['最近100个请求', 'Last 100 requests'])}
          columns={[
            text(['时间', 'Time']),
            text(['路由', 'Route']),
            text(['状态', 'Status']),
            'ms',
            text(['员工', 'Staff']),
            text(['链路', 'Trace']),
          ]}
          rows={data.requests.map((one) => [
            instantFull(one.at),
            one.route,
            one.status,
            one.ms,
            one.staff,
            traceLink(one.traceId),
          ])}
        />
      ) : tab === 'statements' ? (
        <PlainTable
          label={text(['总耗时最多的50条语句', 'The 50 statements that took most time'])}
          columns={[
            'SQL',
            text(['次数', 'Calls']),
            text(['平均毫秒', 'Avg ms']),
            text(['最大毫秒', 'Max ms']),
            text(['行数', 'Rows']),
          ]}
          rows={data.statements.map((one) => [
            <code key="sql" className="mon-sql">
              {one.text}
            </code>,
            one.calls,
            (one.totalMs / Math.max(1, one.calls)).toFixed(1),
            one.maxMs.toFixed(1),
            one.rows,
          ])}
        />
      ) : tab === 'log' ? (
        <LogLines lines={data.lines} traceLink={traceLink} />
      ) : tab === 'level' ? (
        <LogLevelsPart instanceId={instanceId} />
      ) : tab === 'env' ? (
        <Environment />
      ) : tab === 'diagnosis' ? (
        <DiagnosisPart instanceId={instanceId} />
      ) : tab === 'jobs' ? (
        <PlainTable
          label={text(['任务', 'Jobs'])}
          columns={[text(['开始', 'Started']), text(['任务', 'Job']), text(['状态', 'State']), 'ms']}
          rows={data.jobs.map((one) => [
            instantFull(one.startedAt),
            text([one.name, one.nameEn || one.name]),
            text(RUN_STATES[one.state as keyof typeof RUN_STATES]?.label ?? [one.state, one.state]),
            one.ms ?? '–',
          ])}
        />
      ) : (
        <PlainTable
          label={text(['事件', 'Events'])}
          columns={[
            text(['时间', 'Time']),
            text(['类型', 'Type']),
            text(['变化', 'Change']),
            text(['原因', 'Reason']),
          ]}
          rows={data.events.map((one) => [
            instantFull(one.at),
            text(
              instanceEvent.fields.type.choices[one.type as keyof typeof instanceEvent.fields.type.choices]
                ?.label ?? [one.type, one.type],
            ),
            [one.from, one.to].filter(Boolean).map(statusText).join(' → '),
            text(reasonLabel(one.reason)),
          ])}
        />
      )}
    </AppDrawer>
  );
}

function LogLines({
  lines,
  traceLink,
}: {
  readonly lines: InstanceDetail['lines'];
  readonly traceLink: (traceId: string) => React.ReactNode;
}) {
  const text = useText();
  const [level, setLevel] = useState('');
  const [word, setWord] = useState('');
  const shown = lines.filter(
    (one) =>
      (level === '' || one.level === level) &&
      (word === '' || one.text.toLowerCase().includes(word.toLowerCase())),
  );
  return (
    <>
      <div className="mon-tools">
        <Select
          value={level}
          onChange={setLevel}
          style={{ width: 120 }}
          aria-label={text(['级别', 'Level'])}
          options={['', 'error', 'warn', 'info', 'debug'].map((value) => ({
            value,
            label: value === '' ? text(['全部级别', 'All levels']) : value,
          }))}
        />
        <Input
          value={word}
          onChange={(event) => setWord(event.target.value)}
          placeholder={text(['文本', 'Text'])}
          aria-label={text(['文本', 'Text'])}
          style={{ maxWidth: 260 }}
          allowClear
        />
      </div>
      <PlainTable
        label={text(['日志', 'Log'])}
        columns={[
          text(['时间', 'Time']),
          text(['级别', 'Level']),
          text(['内容', 'Line']),
          text(['链路', 'Trace']),
        ]}
        rows={shown.map((one) => [instantFull(one.at), one.level, one.text, traceLink(one.traceId)])}
      />
    </>
  );
}

function Environment() {
  const text = useText();
  const { data, error, refetch } = useQuery({
    queryKey: ['monitor', 'environment'],
    queryFn: ({ signal }) =>
      call<readonly { key: string; value: string; source: string }[]>(
        'GET',
        '/api/admin/monitor/environment',
        {
          signal,
          quiet: true,
        },
      ),
  });
  if (error) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <ScreenWaits />;
  return (
    <PlainTable
      label={text(['环境', 'Environment'])}
      columns={[text(['参数', 'Setting']), text(['值', 'Value']), text(['来源', 'Source'])]}
      rows={data.map((one) => [
        one.key,
        one.value,
        text(one.source === 'set' ? ['已设置', 'Set'] : ['默认', 'Default']),
      ])}
    />
  );
}
