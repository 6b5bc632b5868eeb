import { useState } from 'react';
import { useMutation } from '@tanstack/react-query';
import { Form, Input } from 'antd';
import { call } from '../../../kernel/client/api-client.ts';
import { message } from '../../../kernel/client/feedback.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import type { ActionScreenProps } from '../../../kernel/client/slots.ts';
import { rootOf } from '../../../kernel/client/wire.ts';
import { houseRegistration } from './house-registration.contract.ts';

/** Asks the housekeepers of the chosen houses to bring those in that are not registered: one task each. */
export function RemindDialog({ rows, close, done }: ActionScreenProps) {
  const text = useText();
  const [note, setNote] = useState('');
  const send = useMutation({
    mutationFn: () =>
      call<{ tasks: number; houses: number; left: number }>('POST', `${rootOf(houseRegistration)}/remind`, {
        body: { houses: rows.map((row) => row.id), note: note.trim() },
      }),
    onSuccess: ({ tasks, houses, left }) => {
      done();
      message.success(
        text([
          `已为 ${houses} 户生成 ${tasks} 个管家任务${left > 0 ? `，${left} 户已注册或没有管家` : ''}`,
          `${tasks} tasks for ${houses} houses${left > 0 ? `; ${left} are registered or have no housekeeper` : ''}`,
        ]),
        3,
      );
    },
  });
  return (
    <AppModal
      open
      title={text(['提醒管家', 'Ask the housekeeper'])}
      confirmLoading={send.isPending}
      onOk={() => send.mutate()}
      onCancel={close}
    >
      <p>
        {text([
          `为所选 ${rows.length} 户中未注册的房屋，给管家各生成一个 7 天内走访的任务。`,
          `Of the ${rows.length} chosen houses, those not registered become a task of their housekeeper, to visit them within 7 days.`,
        ])}
      </p>
      <Form layout="vertical">
        <Form.Item label={text(['说明', 'Note'])}>
          <Input.TextArea
            value={note}
            maxLength={200}
            showCount
            rows={3}
            aria-label={text(['说明', 'Note'])}
            onChange={(event) => setNote(event.target.value)}
          />
        </Form.Item>
      </Form>
    </AppModal>
  );
}
