import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Button, InputNumber } from 'antd';
import { call } from '../../../kernel/client/api-client.ts';
import { ask, message } from '../../../kernel/client/feedback.ts';
import { instantFull } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { ScreenWaits } from '../../../kernel/client/screen-of.tsx';
import type { Label } from '../../../kernel/contract/label.ts';
import { PlainTable } from '../plain-table.tsx';
import { monitorPage, type DiagnosisRow } from './monitor.contract.ts';

const KINDS: Readonly<Record<DiagnosisRow['kind'], Label>> = {
  cpu: ['CPU分析', 'CPU profile'],
  heap: ['堆快照', 'Heap snapshot'],
};
const STATES: Readonly<Record<DiagnosisRow['state'], Label>> = {
  requested: ['等待实例', 'Waiting for the instance'],
  running: ['采集中', 'Under way'],
  ready: ['已完成', 'Done'],
  failed: ['失败', 'Failed'],
};
const MB = 1_048_576;

/** Profiles and snapshots of an instance: asking for one, and the files of those that were asked for. */
export function DiagnosisPart({ instanceId }: { readonly instanceId: string }) {
  const text = useText();
  const held = useHeld(monitorPage);
  const [seconds, setSeconds] = useState(30);
  const [busy, setBusy] = useState(false);
  const root = `/api/admin/monitor/instance/${encodeURIComponent(instanceId)}`;
  const { data, error, refetch } = useQuery({
    queryKey: ['monitor', 'diagnosis', instanceId],
    queryFn: ({ signal }) =>
      call<readonly DiagnosisRow[]>('GET', `${root}/diagnosis`, { signal, quiet: true }),
    refetchInterval: (query) =>
      query.state.data?.some((one) => one.state === 'requested' || one.state === 'running') ? 2_000 : 60_000,
  });
  if (error) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <ScreenWaits />;
  const open = data.some((one) => one.state === 'requested' || one.state === 'running');
  const start = async (path: string, body: object) => {
    setBusy(true);
    try {
      await call('POST', `${root}/${path}`, { body });
      message.success(
        text([
          '已开始采集，完成后可在此处与下载中心取得',
          'Started; the file will be here and in the download centre',
        ]),
        3,
      );
    } catch {
      // The call has said why.
    } finally {
      setBusy(false);
      await refetch();
    }
  };
  return (
    <>
      <div className="mon-tools">
        {held('btn_profile') && (
          <>
            <InputNumber
              value={seconds}
              min={10}
              max={60}
              precision={0}
              onChange={(value) => setSeconds(value ?? 30)}
              aria-label={text(['采集秒数', 'Seconds'])}
              suffix={text(['秒', 's'])}
              style={{ width: 110 }}
            />
            <Button
              type="primary"
              loading={busy}
              disabled={open}
              onClick={() => void start('profile', { seconds })}
            >
              {text(['采集CPU分析', 'Take a CPU profile'])}
            </Button>
          </>
        )}
        {held('btn_heap') && (
          <Button
            disabled={open || busy}
            onClick={() =>
              void ask({
                title: ['采集堆快照', 'Take a heap snapshot'],
                text: [
                  '采集期间该实例会停顿数秒；文件含内存中的业务数据，仅您本人可下载，7天后删除。',
                  'The instance stands still for some seconds. The file holds business data of the memory: only you can fetch it, for seven days.',
                ],
                confirm: ['采集', 'Take it'],
                cancel: ['取消', 'Cancel'],
              }).then((yes) => (yes ? start('heapSnapshot', {}) : undefined))
            }
          >
            {text(['采集堆快照', 'Take a heap snapshot'])}
          </Button>
        )}
        <span className="k-quiet">
          {text([
            '用浏览器开发者工具的「性能」「内存」面板打开',
            'Opens in the Performance and Memory panels of a browser',
          ])}
        </span>
      </div>
      <PlainTable
        label={text(['诊断', 'Diagnosis'])}
        columns={[
          text(['时间', 'Time']),
          text(['类型', 'Kind']),
          text(['状态', 'State']),
          text(['采集人', 'Asked by']),
          text(['大小', 'Size']),
          text(['文件', 'File']),
        ]}
        rows={data.map((row) => [
          instantFull(row.at),
          row.seconds === null
            ? text(KINDS[row.kind])
            : text([`${KINDS[row.kind][0]} ${row.seconds} 秒`, `${KINDS[row.kind][1]}, ${row.seconds} s`]),
          row.reason === '' ? text(STATES[row.state]) : `${text(STATES[row.state])} · ${row.reason}`,
          row.by,
          row.size === null ? '–' : `${(row.size / MB).toFixed(1)} MB`,
          row.url === '' ? (
            '–'
          ) : (
            <a key="file" href={row.url} target="_blank" rel="noreferrer">
              {text(['下载', 'Download'])}
            </a>
          ),
        ])}
      />
    </>
  );
}
