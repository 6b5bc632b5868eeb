import type { ReactNode } from 'react';
import { Form } from 'antd';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
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
 * button. `save` may throw: the frame has then shown why, and the dialog stays as it is.
 */
export function RowDialog(props: {
  readonly title: string;
  readonly okText: string;
  /** The inputs are complete. */
  readonly ready: boolean;
  readonly danger?: boolean;
  readonly width?: number;
  readonly save: () => Promise<unknown>;
  readonly onClose: () => void;
  readonly onDone: () => void;
  readonly inputs: ReactNode;
  readonly children?: ReactNode;
}) {
  const guard = useSubmitGuard();
  const submit = () =>
    void guard.run(async () => {
      const saved = await props.save().then(
        () => true,
        () => false,
      );
      if (saved) props.onDone();
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
      onCancel={props.onClose}
    >
      <Form layout="vertical" component={false}>
        {props.inputs}
      </Form>
      {props.children}
    </AppModal>
  );
}
