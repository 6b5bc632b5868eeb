import { useState } from 'react';
import { call, newIdempotencyKey } from '../../../kernel/client/api-client.ts';
import { message } from '../../../kernel/client/feedback.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { RemoteSelect } from '../../../kernel/client/parts/remote-select.tsx';
import { useSubmitGuard } from '../../../kernel/client/parts/use-guard.ts';
import { rootOf } from '../../../kernel/client/wire.ts';
import { fill } from '../../../kernel/contract/label.ts';
import { displayOrder } from './display-order.contract.ts';

/** Gives an order to further projects. */
export function CopyDialog(props: {
  readonly id: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const text = useText();
  const guard = useSubmitGuard();
  const [projects, setProjects] = useState<readonly string[]>([]);
  const action = displayOrder.actions!.copyTo!;
  const field = action.input!.projects!;
  const send = () =>
    void guard.run(async () => {
      try {
        await call('POST', `${rootOf(displayOrder)}/${props.id}/copyTo`, {
          body: { projects },
          idempotencyKey: newIdempotencyKey(),
        });
      } catch {
        // The frame has shown why.
        return;
      }
      message.success(text(fill(action.message!, { n: projects.length })), 2);
      props.onDone();
    });
  return (
    <AppModal
      open
      title={text(action.label)}
      okText={text(action.label)}
      confirmLoading={guard.busy}
      okButtonProps={{ disabled: projects.length === 0 || (guard.locked && !guard.busy) }}
      onOk={send}
      onCancel={props.onClose}
    >
      <p className="k-quiet">{text(field.help!)}</p>
      <RemoteSelect
        multiple
        target="project"
        label={text(field.label)}
        placeholder={text(['选择项目', 'Choose projects'])}
        value={projects}
        known={{}}
        onChange={setProjects}
      />
    </AppModal>
  );
}
