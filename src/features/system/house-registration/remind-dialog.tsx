import { useState } from 'react';
import { useMutation } from '@tanstack/react-query';
import { Form, Input } from 'antd';
import { fill, type Label } from '../../../kernel/contract/label.ts';
import { call } from '../../../kernel/client/api-client.ts';
import { message } from '../../../kernel/client/feedback.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import type { ActionScreenProps } from '../../../kernel/client/slots.ts';
import { rootOf } from '../../../kernel/client/wire.ts';
import { houseRegistration } from './house-registration.contract.ts';

const TOLD: Label = [
  '已为 {houses} 户生成 {tasks} 个管家任务',
  '{tasks} {tasks|task|tasks} for {houses} {houses|house|houses}',
];
const LEFT: Label = [
  '，{left} 户已注册或没有管家',
  '; {left} {left|is|are} registered or {left|has|have} no housekeeper',
];

/** Asks the housekeepers of the chosen houses to bring those in that are not registered: one task each. */
export function RemindDialog({ rows, close }: ActionScreenProps) {
  const text = useText();
  const [note, setNote] = useState('');
  const send = useMutation({
    mutationFn: () =>
      call<{ tasks: number; houses: number; left: number }>('POST', `${rootOf(houseRegistration)}/remind`, {
        body: { houses: rows.map((row) => row.id), note: note.trim() },
      }),
    onSuccess: ({ tasks, houses, left }) => {
      // No house has changed: its own words say all of what was done.
      close();
      const told: Label = left > 0 ? [TOLD[0] + LEFT[0], TOLD[1] + LEFT[1]] : TOLD;
      message.success(text(fill(told, { tasks, houses, left })), 3);
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
