import { useState } from 'react';
import { Alert, Button, Input, Skeleton } from 'antd';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { message, tellFault } from '../../../kernel/client/feedback.ts';
import { ApiError, call, newIdempotencyKey } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { useLeave } from '../../../kernel/client/parts/use-confirm.ts';
import { useSubmitGuard } from '../../../kernel/client/parts/use-guard.ts';
import { words } from '../../../kernel/client/texts.ts';
import { keysOf } from '../../../kernel/client/wire.ts';
import { GrantPreview } from './grant-preview.tsx';
import { GROUP_KEY, GROUP_ROOT, type GroupHandle, type PreviewAnswer } from './group-wire.ts';
import './permission-group.css';

/** Shows what going back to a version would change and does it with a reason. */
export function RestoreDialog({
  group,
  historyId,
  onClose,
}: {
  readonly group: GroupHandle;
  readonly historyId: string;
  readonly onClose: () => void;
}) {
  const text = useText();
  const client = useQueryClient();
  const guard = useSubmitGuard();
  const [reason, setReason] = useState('');
  const [failure, setFailure] = useState('');
  const { leave, forget } = useLeave(reason !== '', onClose);
  const root = `${GROUP_ROOT}/${group.id}/history/${historyId}/restore`;
  const preview = useQuery({
    queryKey: [...GROUP_KEY, group.id, 'restore', historyId],
    gcTime: 0,
    queryFn: () => call<PreviewAnswer>('POST', `${root}/preview`),
  });
  const restore = () =>
    void guard.run(async () => {
      try {
        await call('POST', root, {
          body: { version: preview.data?.version, reason: reason.trim() },
          idempotencyKey: newIdempotencyKey(),
          quiet: true,
        });
      } catch (error) {
        tellFault(error);
        setFailure(error instanceof ApiError ? error.message : '');
        return;
      }
      void message.success(text(['已恢复', 'Restored']), 2);
      void client.invalidateQueries({ queryKey: GROUP_KEY });
      void client.invalidateQueries({ queryKey: keysOf.all('role') });
      forget();
      onClose();
    });
  return (
    <AppModal
      open
      width={860}
      title={text(['恢复到此版本', 'Restore'])}
      onCancel={leave}
      footer={
        <>
          <Button onClick={leave}>{text(words.cancel)}</Button>
          <Button
            type="primary"
            loading={guard.busy}
            disabled={
              !preview.data ||
              preview.data.missing.length > 0 ||
              reason.trim().length < 2 ||
              (guard.locked && !guard.busy)
            }
            onClick={restore}
          >
            {text(['恢复', 'Restore'])}
          </Button>
        </>
      }
    >
      <div className="pg-body">
        {failure && <Alert type="error" showIcon title={failure} />}
        {preview.isError ? (
          <ErrorPanel error={preview.error} onRetry={() => void preview.refetch()} />
        ) : preview.data ? (
          <GrantPreview preview={preview.data} />
        ) : (
          <Skeleton active />
        )}
        <label className="pg-reason">
          <span>
            {text(['恢复原因', 'Reason'])}
            <i aria-hidden="true">*</i>
          </span>
          <Input.TextArea
            value={reason}
            maxLength={200}
            autoSize={{ minRows: 2, maxRows: 4 }}
            onChange={(event) => setReason(event.target.value)}
          />
        </label>
      </div>
    </AppModal>
  );
}
