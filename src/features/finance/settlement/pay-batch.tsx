import { useState } from 'react';
import { Alert, Form, Input } from 'antd';
import { ApiError, call, newIdempotencyKey } from '../../../kernel/client/api-client.ts';
import { message, tellFault } from '../../../kernel/client/feedback.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { MoneyText } from '../../../kernel/client/parts/money-text.tsx';
import { useSubmitGuard } from '../../../kernel/client/parts/use-guard.ts';
import type { ActionScreenProps } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import { rootOf } from '../../../kernel/client/wire.ts';
import { fenFromYuan, yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { payoutBatch } from './settlement.contract.ts';

/** A batch of the chosen statements; those that cannot be paid are left out and named in the timeline of the batch. */
export function PayBatch({ rows, close, done }: ActionScreenProps) {
  const text = useText();
  const view = useView();
  const guard = useSubmitGuard();
  const [note, setNote] = useState('');
  const [refused, setRefused] = useState('');
  const total = rows.reduce((sum, row) => sum + (fenFromYuan(String(row.payAmount ?? '')) ?? 0), 0);
  const save = () =>
    void guard.run(async () => {
      try {
        const batch = await call<{ id: string; code: string; payouts: number }>('POST', rootOf(payoutBatch), {
          body: { settlements: rows.map((row) => row.id), note: note.trim() || null },
          idempotencyKey: newIdempotencyKey(),
          quiet: true,
        });
        const left = rows.length - batch.payouts;
        message.success(
          text(
            left > 0
              ? [
                  `已新建批次 ${batch.code}；${left} 张未纳入，原因见批次的时间线`,
                  `Batch ${batch.code} was made; ${left} were left out, the timeline of the batch says why`,
                ]
              : [
                  `已新建批次 ${batch.code}，待授权`,
                  `Batch ${batch.code} was made and waits for its authorisation`,
                ],
          ),
          4,
        );
        done(rows.map((row) => row.id));
        view.setQuery(new URLSearchParams({ as: 'batches', detail: batch.id }));
      } catch (error) {
        if (error instanceof ApiError) setRefused(error.message);
        else tellFault(error);
      }
    });
  return (
    <AppModal
      open
      width={520}
      title={text([`付款批次：${rows.length} 张结算单`, `A batch of ${rows.length} statements`])}
      okText={text(['新建付款批次', 'Make the batch'])}
      okButtonProps={{ disabled: guard.locked && !guard.busy }}
      confirmLoading={guard.busy}
      onOk={save}
      onCancel={close}
    >
      <p>
        {text(['合计', 'Together'])} <MoneyText strong value={yuanFromFen(total)} />
      </p>
      <p className="k-quiet">
        {text([
          '批次须由另一人授权后才付款；收款账户未验证、在冷静期或结算冻结的不纳入',
          'Somebody else has to authorise it; what has no verified payee, or is frozen, is left out',
        ])}
      </p>
      <Form layout="vertical" component={false}>
        <Form.Item label={text(payoutBatch.fields.note.label)} htmlFor="fs-batch-note">
          <Input
            id="fs-batch-note"
            value={note}
            maxLength={200}
            onChange={(event) => setNote(event.target.value)}
          />
        </Form.Item>
      </Form>
      {refused && <Alert type="error" showIcon title={refused} />}
    </AppModal>
  );
}
