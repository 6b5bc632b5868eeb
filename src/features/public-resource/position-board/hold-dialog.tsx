import { useState } from 'react';
import { Alert, Form } from 'antd';
import { FieldInput } from '../../../kernel/client/form/field-input.tsx';
import { message } from '../../../kernel/client/feedback.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { RemoteSelect } from '../../../kernel/client/parts/remote-select.tsx';
import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { boardPosition } from '../position/position.contract.ts';
import type { BoardRow, Range } from './board.rules.ts';
import { useHold } from './use-hold.ts';

const input = boardPosition.actions!.hold.input!;

/** Why, for whom and until when the chosen days are held; all of them or none. */
export function HoldDialog({
  chosen,
  close,
  done,
}: {
  readonly chosen: readonly { readonly row: BoardRow; readonly range: Range }[];
  readonly close: () => void;
  readonly done: () => void;
}) {
  const text = useText();
  const submit = useHold();
  const [reason, setReason] = useState('');
  const [until, setUntil] = useState(() => addDays(businessDayOf(new Date()), 3));
  const [client, setClient] = useState<{ readonly id: string; readonly title: string }>();
  const body = {
    ranges: chosen.map(({ row, range }) => ({ position: row.id, ...range })),
    reason: reason.trim(),
    until,
    ...(client ? { client: client.id } : {}),
  };
  return (
    <AppModal
      open
      title={text([`预留 ${chosen.length} 个点位`, `Hold ${chosen.length} positions`])}
      okText={text(boardPosition.actions!.hold.label)}
      okButtonProps={{ disabled: submit.locked || reason.trim().length < 2 || !until }}
      confirmLoading={submit.busy}
      onOk={() =>
        submit.send(body, () => {
          message.success(text(boardPosition.actions!.hold.message!), 2);
          done();
        })
      }
      onCancel={close}
    >
      <Form layout="vertical">
        <Form.Item label={text(input.reason!.label)} htmlFor="pb-reason" required>
          <FieldInput
            id="pb-reason"
            field={input.reason!}
            value={reason}
            onChange={(next) => setReason(String(next ?? ''))}
          />
        </Form.Item>
        <Form.Item
          label={text(input.until!.label)}
          htmlFor="pb-until"
          required
          extra={text(input.until!.help!)}
        >
          <FieldInput
            id="pb-until"
            field={input.until!}
            value={until}
            onChange={(next) => setUntil(String(next ?? ''))}
          />
        </Form.Item>
        <Form.Item label={text(input.client!.label)} htmlFor="pb-client">
          <RemoteSelect
            id="pb-client"
            target={input.client!.target!}
            label={text(input.client!.label)}
            placeholder={text(input.client!.label)}
            value={client ? [client.id] : []}
            known={client ? { [client.id]: client.title } : {}}
            onChange={(_ids, entries) => setClient(entries[0])}
          />
        </Form.Item>
      </Form>
      {submit.error && <Alert type="error" showIcon title={submit.error} />}
    </AppModal>
  );
}
