import { useEffect, useState } from 'react';
import { Alert, Button, QRCode, Skeleton } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { tellFault } from '../../../kernel/client/feedback.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { StatusTag } from '../../../kernel/client/parts/status-tag.tsx';
import { useSubmitGuard } from '../../../kernel/client/parts/use-guard.ts';
import type { ActionScreenProps } from '../../../kernel/client/slots.ts';
import { rootOf } from '../../../kernel/client/wire.ts';
import { payeeAccount } from './payee-account.contract.ts';
import { payeeTest } from './payee-test.contract.ts';
import { TestSteps } from './payee-parts.tsx';

interface Started {
  readonly testId: string;
  readonly code: string;
  readonly payLink: string;
}

interface Result {
  readonly state: string;
  readonly reason: string;
  readonly steps: unknown;
}

const OPEN = new Set(['waiting', 'paid', 'refunding']);

/** A payment of 0.01: its code to scan, what became of it, and its refund. Nothing is ordered before the button is pressed. */
export function TestDialog({ row, close, done }: ActionScreenProps) {
  const text = useText();
  const guard = useSubmitGuard();
  const [started, setStarted] = useState<Started>();
  const result = useQuery<Result>({
    queryKey: ['payeeTest', started?.testId],
    enabled: started !== undefined,
    refetchInterval: (query) => (OPEN.has(query.state.data?.state ?? 'waiting') ? 1500 : false),
    queryFn: ({ signal }) =>
      call<Result>('GET', `${rootOf(payeeAccount)}/test/${started!.testId}`, { signal, quiet: true }),
  });
  const state = result.data?.state ?? 'waiting';
  const [told, setTold] = useState(false);
  useEffect(() => {
    if (state === 'refunded' || state === 'failed') setTold(true);
  }, [state]);
  const start = () =>
    guard.run(async () => {
      try {
        const answer = await call<{ result: Started }>('POST', `${rootOf(payeeAccount)}/${row!.id}/test`, {
          body: {},
        });
        setStarted(answer.result);
      } catch (error) {
        tellFault(error);
      }
    });
  const pay = () =>
    guard.run(async () => {
      try {
        await call('POST', `${rootOf(payeeAccount)}/test/${started!.testId}/pay`, { body: {} });
        await result.refetch();
      } catch (error) {
        tellFault(error);
      }
    });
  return (
    <AppModal
      open
      width={560}
      title={`${text(['测试', 'Test'])} ${String(row?.name ?? '')}`}
      footer={
        <Button onClick={() => (started ? done([row!.id]) : close())}>{text(['关闭', 'Close'])}</Button>
      }
      onCancel={() => (started ? done([row!.id]) : close())}
    >
      {!started ? (
        <>
          <p>
            {text([
              '将通过该渠道发起一笔 0.01 元的付款，到账后自动退回；每个账户每天最多 5 次。',
              'A payment of 0.01 goes through this channel and comes back by itself; at most 5 a day for an account.',
            ])}
          </p>
          <Button type="primary" loading={guard.busy} disabled={guard.locked} onClick={start}>
            {text(['发起测试', 'Start the test'])}
          </Button>
        </>
      ) : (
        <div className="payee-test">
          <QRCode value={started.payLink} size={160} aria-label={text(['付款码', 'Code to pay'])} />
          <div>
            <p>
              {started.code} <StatusTag choice={payeeTest.states![state]!} />
            </p>
            {result.isPending ? (
              <Skeleton active paragraph={{ rows: 2 }} />
            ) : (
              <TestSteps steps={result.data?.steps} />
            )}
            {state === 'waiting' && (
              <Button loading={guard.busy} disabled={guard.locked} onClick={pay}>
                {text(['沙箱模拟支付', 'Pay in the sandbox'])}
              </Button>
            )}
            <div aria-live="polite">
              {told && state === 'refunded' && (
                <Alert
                  type="success"
                  showIcon
                  title={text(['测试成功，款项已退回', 'It works; the money went back'])}
                />
              )}
              {told && state === 'failed' && (
                <Alert type="error" showIcon title={result.data?.reason ?? ''} />
              )}
            </div>
          </div>
        </div>
      )}
    </AppModal>
  );
}
