import { useState } from 'react';
import { Button, Input, Skeleton } from 'antd';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { message } from '../../kernel/client/feedback.ts';
import { call } from '../../kernel/client/api-client.ts';
import { instantFull, timeAgo } from '../../kernel/client/format.rules.ts';
import { useText } from '../../kernel/client/language.ts';
import { AppDrawer } from '../../kernel/client/parts/app-drawer.tsx';
import { AppModal } from '../../kernel/client/parts/app-modal.tsx';
import { ErrorPanel } from '../../kernel/client/parts/error-panel.tsx';
import { useSubmitGuard } from '../../kernel/client/parts/use-guard.ts';
import { keysOf } from '../../kernel/client/wire.ts';

interface Task {
  readonly id: string;
  readonly code: string;
  readonly kindName: string;
  readonly decidable: true;
  readonly title: string;
  readonly summary: readonly { readonly label: string; readonly value: string }[];
  readonly starter: string;
  readonly arrivedAt: string;
}

/** A task the caller is assigned but may not decide: no more is told of it. */
interface BarredTask {
  readonly id: string;
  readonly code: string;
  readonly kindName: string;
  readonly decidable: false;
  readonly note: string;
  readonly arrivedAt: string;
}

const KEY = ['approval', 'mine'] as const;

/** What waits for the caller's decision, oldest first; agreed with one click, refused with a reason. */
export function ApprovalsDrawer({
  onClose,
  onDecided,
}: {
  readonly onClose: () => void;
  readonly onDecided: () => void;
}) {
  const text = useText();
  const client = useQueryClient();
  const guard = useSubmitGuard();
  const [refusing, setRefusing] = useState<Task>();
  const [opinion, setOpinion] = useState('');
  const [busyId, setBusyId] = useState<string>();
  const { data, isPending, isError, error, refetch } = useQuery({
    queryKey: KEY,
    staleTime: 0,
    queryFn: ({ signal }) =>
      call<readonly (Task | BarredTask)[]>('GET', '/api/admin/approval/mine', { signal, quiet: true }),
  });
  const decide = async (task: Task, approved: boolean, words: string) => {
    setBusyId(task.id);
    try {
      await call('POST', `/api/admin/approval/${task.id}/decide`, { body: { approved, opinion: words } });
      void message.success(text(approved ? ['已通过', 'Approved'] : ['已驳回', 'Rejected']), 2);
      setRefusing(undefined);
      setOpinion('');
    } catch {
      // The frame has shown why.
    } finally {
      setBusyId(undefined);
    }
    await client.invalidateQueries({ queryKey: KEY });
    await client.invalidateQueries({ queryKey: keysOf.todos });
    await client.invalidateQueries({ queryKey: ['resource'] });
    onDecided();
  };
  return (
    <AppDrawer open size={720} title={text(['待我审批', 'To approve'])} onClose={onClose}>
      {isPending ? (
        <Skeleton active />
      ) : isError ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : data.length === 0 ? (
        <div className="k-state">
          <strong>{text(['没有等待您审批的事项', 'Nothing waits for your decision'])}</strong>
        </div>
      ) : (
        <ul className="plain-rows">
          {data.map((task) =>
            task.decidable ? (
              <li key={task.id}>
                <span>
                  <strong>{task.title}</strong> <span className="k-quiet k-small">{task.kindName}</span>
                  <br />
                  {task.summary
                    .map((fact) => `${fact.label}${text(['：', ': '])}${fact.value}`)
                    .join(text(['；', '; ']))}
                  <br />
                  <span className="k-quiet k-small">
                    {task.starter} ·{' '}
                    <time title={instantFull(task.arrivedAt)}>{text(timeAgo(task.arrivedAt))}</time>
                  </span>
                </span>
                <Button danger size="small" disabled={busyId !== undefined} onClick={() => setRefusing(task)}>
                  {text(['驳回', 'Reject'])}
                </Button>
                <Button
                  type="primary"
                  size="small"
                  loading={busyId === task.id}
                  disabled={busyId !== undefined}
                  onClick={() => void decide(task, true, '')}
                >
                  {text(['通过', 'Approve'])}
                </Button>
              </li>
            ) : (
              <li key={task.id}>
                <span>
                  <strong>{task.kindName}</strong> <span className="k-quiet k-small">{task.code}</span>
                  <br />
                  {task.note}
                  <br />
                  <time className="k-quiet k-small" title={instantFull(task.arrivedAt)}>
                    {text(timeAgo(task.arrivedAt))}
                  </time>
                </span>
              </li>
            ),
          )}
        </ul>
      )}
      <AppModal
        open={refusing !== undefined}
        title={text(['驳回', 'Reject'])}
        okText={text(['驳回', 'Reject'])}
        okButtonProps={{ danger: true, disabled: Array.from(opinion.trim()).length < 2 || guard.locked }}
        confirmLoading={guard.busy}
        onCancel={() => setRefusing(undefined)}
        onOk={() => refusing && void guard.run(() => decide(refusing, false, opinion.trim()))}
      >
        <p className="k-question">{refusing?.title}</p>
        <Input.TextArea
          aria-label={text(['审批意见', 'Opinion'])}
          placeholder={text(['请填写驳回原因，至少2个字', 'Say why, at least 2 characters'])}
          maxLength={200}
          rows={3}
          value={opinion}
          onChange={(event) => setOpinion(event.target.value)}
        />
      </AppModal>
    </AppDrawer>
  );
}
