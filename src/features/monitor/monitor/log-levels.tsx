import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Button, InputNumber, Select } from 'antd';
import { call } from '../../../kernel/client/api-client.ts';
import { message } from '../../../kernel/client/feedback.ts';
import { instantFull } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { ScreenWaits } from '../../../kernel/client/screen-of.tsx';
import type { Label } from '../../../kernel/contract/label.ts';
import { PlainTable } from '../plain-table.tsx';
import type { LoggerLevel } from './monitor.contract.ts';

const SCOPES: Readonly<Record<string, Label>> = {
  instance: ['本实例', 'This instance'],
  service: ['本服务的全部实例', 'Every instance of the service'],
  all: ['全部实例', 'Every instance'],
};
const LEVELS = ['error', 'warn', 'info', 'debug'];

/** Levels of loggers: what is set for how long, and a row to set one for a while. */
export function LogLevelsPart({ instanceId }: { readonly instanceId: string }) {
  const text = useText();
  const path = `/api/admin/monitor/instance/${encodeURIComponent(instanceId)}/level`;
  const [wanted, setWanted] = useState({ logger: 'db', level: 'debug', scope: 'instance', minutes: 30 });
  const [busy, setBusy] = useState(false);
  const { data, error, refetch } = useQuery({
    queryKey: ['monitor', 'level', instanceId],
    queryFn: ({ signal }) => call<readonly LoggerLevel[]>('GET', path, { signal, quiet: true }),
    refetchInterval: 10_000,
  });
  if (error) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <ScreenWaits />;
  const change = async (work: () => Promise<unknown>, done: Label) => {
    setBusy(true);
    try {
      await work();
      message.success(text(done), 2);
      await refetch();
    } catch {
      // The call has said why.
    } finally {
      setBusy(false);
    }
  };
  const select = (
    name: 'logger' | 'level' | 'scope',
    label: Label,
    options: { value: string; label: string }[],
  ) => (
    <Select
      value={wanted[name]}
      onChange={(value: string) => setWanted({ ...wanted, [name]: value })}
      aria-label={text(label)}
      options={options}
      popupMatchSelectWidth={false}
      style={{ minWidth: name === 'level' ? 100 : 150 }}
    />
  );
  return (
    <>
      <div className="mon-tools">
        {select(
          'logger',
          ['日志器', 'Logger'],
          data.map((one) => ({ value: one.logger, label: text(one.label) })),
        )}
        {select(
          'level',
          ['级别', 'Level'],
          LEVELS.map((value) => ({ value, label: value })),
        )}
        {select(
          'scope',
          ['范围', 'Scope'],
          Object.entries(SCOPES).map(([value, label]) => ({ value, label: text(label) })),
        )}
        <InputNumber
          value={wanted.minutes}
          min={1}
          max={1_440}
          precision={0}
          onChange={(value) => setWanted({ ...wanted, minutes: value ?? 30 })}
          aria-label={text(['分钟', 'Minutes'])}
          suffix={text(['分钟', 'min'])}
          style={{ width: 130 }}
        />
        <Button
          type="primary"
          loading={busy}
          onClick={() =>
            void change(
              () => call('POST', path, { body: wanted }),
              ['已设置，到期自动恢复', 'Set; it returns by itself'],
            )
          }
        >
          {text(['设置', 'Set'])}
        </Button>
      </div>
      <PlainTable
        label={text(['日志级别', 'Log levels'])}
        columns={[
          text(['日志器', 'Logger']),
          text(['级别', 'Level']),
          text(['范围', 'Scope']),
          text(['到期', 'Until']),
          text(['设置人', 'Set by']),
          '',
        ]}
        rows={data.flatMap((one) =>
          one.changes.length === 0
            ? [[text(one.label), text(['默认', 'Default']), '–', '–', '–', '']]
            : one.changes.map((row) => [
                text(one.label),
                row.level,
                text(SCOPES[row.scope]!),
                instantFull(row.until),
                row.by || '–',
                <button
                  key="end"
                  type="button"
                  className="k-link"
                  disabled={busy}
                  onClick={() =>
                    void change(
                      () => call('DELETE', `/api/admin/monitor/level/${row.id}`),
                      ['已恢复', 'Set back'],
                    )
                  }
                >
                  {text(['恢复', 'Set back'])}
                </button>,
              ]),
        )}
      />
    </>
  );
}
