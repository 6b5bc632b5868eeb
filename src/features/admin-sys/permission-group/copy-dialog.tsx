import { useQueryClient } from '@tanstack/react-query';
import { message } from '../../../kernel/client/feedback.ts';
import { call } from '../../../kernel/client/api-client.ts';
import { useInputForm } from '../../../kernel/client/action/use-input-form.ts';
import { DraftOffer } from '../../../kernel/client/form/draft-offer.tsx';
import { FieldForm } from '../../../kernel/client/form/field-form.tsx';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { words } from '../../../kernel/client/texts.ts';
import { keysOf } from '../../../kernel/client/wire.ts';
import { GROUP_KEY, GROUP_ROOT, type GroupHandle, type GroupNode } from './group-wire.ts';
import { groupFields } from './permission-group.contract.ts';

const fields = { name: groupFields.name, code: groupFields.code };
const EMPTY = {};

/** Asks name and code of a copy; grants come along, members do not. */
export function CopyDialog({
  group,
  onClose,
  onCopied,
}: {
  readonly group: GroupHandle;
  readonly onClose: () => void;
  readonly onCopied: (copy: GroupNode) => void;
}) {
  const text = useText();
  const client = useQueryClient();
  const input = useInputForm(fields, 'pg-copy', `permissionGroup:${group.id}:copy`);
  const submit = () =>
    void input.submit(
      (body, idempotencyKey) =>
        call<GroupNode>('POST', `${GROUP_ROOT}/${group.id}/copy`, { body, idempotencyKey }),
      (copy) => {
        void message.success(text(words.saved), 2);
        void client.invalidateQueries({ queryKey: GROUP_KEY });
        void client.invalidateQueries({ queryKey: keysOf.all('role') });
        onCopied(copy);
      },
    );
  return (
    <AppModal
      open
      title={`${text(['复制角色', 'Copy'])}${text(['：', ': '])}${group.name}`}
      okText={text(['复制', 'Copy'])}
      confirmLoading={input.busy}
      okButtonProps={{ disabled: input.locked && !input.busy }}
      onOk={submit}
      onCancel={() => void input.leave(onClose)}
    >
      <p className="k-question k-quiet">
        {text(['复制全部权限，不复制成员。', 'All grants are copied, members are not.'])}
      </p>
      {input.draft && (
        <DraftOffer draft={input.draft} onRestore={input.restoreDraft} onDrop={input.discardDraft} />
      )}
      <FieldForm
        form={input.form}
        name="pg-copy"
        fields={fields}
        sections={[{ fields: ['name', 'code'] }]}
        initial={EMPTY}
        onChange={input.changed}
        onSubmit={submit}
      />
    </AppModal>
  );
}
