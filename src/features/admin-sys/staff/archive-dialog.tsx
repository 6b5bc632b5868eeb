import { useState } from 'react';
import { Form, Input } from 'antd';
import { call, newIdempotencyKey } from '../../../kernel/client/api-client.ts';
import { useRow } from '../../../kernel/client/detail/use-row.ts';
import { useText } from '../../../kernel/client/language.ts';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { fill } from '../../../kernel/contract/label.ts';
import { RowDialog, type RowDialogProps } from '../layout/row-dialog.tsx';
import { HandoverPart, useOpenItems } from './staff-handover.tsx';
import { staff } from './staff.contract.ts';

/** A leaver in one place: what the person still holds and who gets it, then the reason and the archive. */
export function ArchiveDialog({ row, onClose, onDone }: RowDialogProps) {
  const text = useText();
  const held = useHeld(staff);
  const [reason, setReason] = useState('');
  const { data: items } = useOpenItems(row.id);
  // Handing over changes the row too.
  const { data: now } = useRow(staff, row.id);
  const isFree = items !== undefined && items.every((item) => item.count === 0);
  const label = text(['原因', 'Reason']);
  return (
    <RowDialog
      width={640}
      title={text([`离职归档：${String(row.name)}`, `Archive as left: ${String(row.name)}`])}
      okText={text(['离职归档', 'Archive as left'])}
      danger
      typed={reason !== ''}
      ready={isFree && reason.trim().length >= 2}
      save={() =>
        call('POST', `/api/admin/staff/${row.id}/archive`, {
          body: { version: (now ?? row).version, reason: reason.trim() },
          idempotencyKey: newIdempotencyKey(),
        })
      }
      onClose={onClose}
      onDone={onDone}
      inputs={
        <>
          <p className="k-question">
            {text(fill(staff.actions!.archive!.confirm!, { name: String(row.name) }))}
          </p>
          {held('btn_handover') ? (
            <HandoverPart staffId={row.id} name={String(row.name)} />
          ) : (
            !isFree && (
              <p className="k-problem">
                {text([
                  '此人名下还有未交接的事项，请有“交接”权限的同事先交接。',
                  'This person still holds things; somebody with the right to hand over must do so first.',
                ])}
              </p>
            )
          )}
          <Form.Item
            label={label}
            required
            {...(isFree ? {} : { extra: text(['请先完成交接', 'Hand over first']) })}
          >
            <Input
              value={reason}
              maxLength={200}
              aria-label={label}
              onChange={(event) => setReason(event.target.value)}
            />
          </Form.Item>
        </>
      }
    />
  );
}
