import { useState, type ReactNode } from 'react';
import { Alert, Form } from 'antd';
import { ApiError } from '../../../kernel/client/api-client.ts';
import { tellFault } from '../../../kernel/client/feedback.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { useLeave } from '../../../kernel/client/parts/use-confirm.ts';
import { useSubmitGuard } from '../../../kernel/client/parts/use-guard.ts';
import type { RowData } from '../../../kernel/client/wire.ts';

/** What a dialog of its own for a row action is given. */
export interface RowDialogProps {
  readonly row: RowData;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/**
 * The dialog of a row action that needs more than the default form: inputs, below them what the change does, and one
 * button. `save` may throw: the dialog then stays as it is and says why. What was entered is asked for before it closes.
 */
export function RowDialog(props: {
  readonly title: string;
  readonly okText: string;
  /** The inputs are complete. */
  readonly ready: boolean;
  /** Something was entered. */
  readonly typed: boolean;
  readonly danger?: boolean;
  readonly width?: number;
  readonly save: () => Promise<unknown>;
  readonly onClose: () => void;
  readonly onDone: () => void;
  readonly inputs: ReactNode;
  readonly children?: ReactNode;
}) {
  const guard = useSubmitGuard();
  const [failure, setFailure] = useState('');
  const { leave, forget } = useLeave(props.typed, props.onClose);
  const submit = () =>
    void guard.run(async () => {
      setFailure('');
      try {
        await props.save();
      } catch (error) {
        tellFault(error);
        setFailure(error instanceof ApiError ? error.message : '');
        return;
      }
      forget();
      props.onDone();
    });
  return (
    <AppModal
      open
      {...(props.width === undefined ? {} : { width: props.width })}
      title={props.title}
      okText={props.okText}
      okButtonProps={{
        danger: props.danger ?? false,
        disabled: !props.ready || (guard.locked && !guard.busy),
      }}
      confirmLoading={guard.busy}
      onOk={submit}
      onCancel={leave}
    >
      {failure && <Alert className="k-dialog-error" type="error" showIcon title={failure} />}
      <Form layout="vertical" component={false}>
        {props.inputs}
      </Form>
      {props.children}
    </AppModal>
  );
}
