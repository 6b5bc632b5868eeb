import { useState } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { InputNumber, Tag } from 'antd';
import { call, newIdempotencyKey } from '../../../kernel/client/api-client.ts';
import { tellFault } from '../../../kernel/client/feedback.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { useSubmitGuard } from '../../../kernel/client/parts/use-guard.ts';
import type { ActionScreenProps } from '../../../kernel/client/slots.ts';
import type { AuditCheck } from './business-log.contract.ts';
import './business-log.css';

const KEY = ['auditRecord', 'checks'];
const TONE = { queued: 'default', running: 'processing', ok: 'success', broken: 'error', failed: 'warning' };
const STATE: Readonly<Record<AuditCheck['state'], readonly [string, string]>> = {
  queued: ['排队中', 'Queued'],
  running: ['校验中', 'Running'],
  ok: ['完整', 'Intact'],
  broken: ['已断裂', 'Broken'],
  failed: ['未完成', 'Not finished'],
};

/** Asks for a look over the chain, whole or between two numbers, and shows the last ten with what they found. */
export function VerifyDialog({ close }: ActionScreenProps) {
  const text = useText();
  const client = useQueryClient();
  const guard = useSubmitGuard();
  const [from, setFrom] = useState<number | null>(null);
  const [to, setTo] = useState<number | null>(null);
  const { data } = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) =>
      call<readonly AuditCheck[]>('GET', '/api/admin/auditRecord/checks', { signal, quiet: true }),
    refetchInterval: ({ state }) =>
      state.data?.some((one) => one.state === 'queued' || one.state === 'running') ? 1_500 : false,
    staleTime: 0,
  });
  const wrong = from !== null && to !== null && from > to;
  const start = () =>
    void guard.run(async () => {
      try {
        await call('POST', '/api/admin/auditRecord/action/verify', {
          body: from === null && to === null ? { range: 'whole' } : { range: 'part', from, to },
          idempotencyKey: newIdempotencyKey(),
        });
        await client.invalidateQueries({ queryKey: KEY });
      } catch (error) {
        // The frame has shown why a call failed.
        tellFault(error);
      }
    });
  return (
    <AppModal
      open
      width={760}
      title={text(['校验审计链', 'Verify the audit chain'])}
      okText={text(['开始校验', 'Start'])}
      cancelText={text(['关闭', 'Close'])}
      okButtonProps={{ disabled: wrong || guard.locked }}
      confirmLoading={guard.busy}
      onOk={start}
      onCancel={close}
    >
      <div className="bl-range">
        <label>
          <span>{text(['起始序号', 'From no.'])}</span>
          <InputNumber min={1} precision={0} value={from} onChange={setFrom} />
        </label>
        <label>
          <span>{text(['截止序号', 'To no.'])}</span>
          <InputNumber min={1} precision={0} value={to} status={wrong ? 'error' : ''} onChange={setTo} />
        </label>
        <span className="k-quiet">{text(['留空校验整条链', 'Empty: the whole chain'])}</span>
      </div>
      {wrong && (
        <p role="alert" className="bl-wrong">
          {text(['截止序号不能小于起始序号', 'The last number is below the first'])}
        </p>
      )}
      <ul className="bl-checks" aria-live="polite">
        {(data ?? []).map((one) => (
          <li key={one.id}>
            <Tag color={TONE[one.state]}>{text(STATE[one.state])}</Tag>
            <span>{one.at.slice(0, 19).replace('T', ' ')}</span>
            <span>{one.askedBy}</span>
            <span>
              {one.from === null && one.to === null
                ? text(['整条链', 'Whole chain'])
                : `${one.from ?? 1} – ${one.to ?? text(['最新', 'newest'])}`}
            </span>
            <span>{text([`已校验 ${one.checked} 条`, `${one.checked} checked`])}</span>
            {one.state === 'broken' && (
              <strong>
                {one.firstBroken === null
                  ? one.problems[0]
                  : text([`首个异常记录：${one.firstBroken}`, `First broken record: ${one.firstBroken}`])}
              </strong>
            )}
          </li>
        ))}
        {data?.length === 0 && <li className="k-quiet">{text(['还没有校验过', 'Not verified yet'])}</li>}
      </ul>
    </AppModal>
  );
}
