import { useRef, useState } from 'react';
import { Alert } from 'antd';
import { call, newIdempotencyKey } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { MoneyText } from '../../../kernel/client/parts/money-text.tsx';
import type { ActionScreenProps } from '../../../kernel/client/slots.ts';
import { versionsOf, type BulkAnswer, type RowData } from '../../../kernel/client/wire.ts';
import { fill } from '../../../kernel/contract/label.ts';
import { fenFromYuan, yuanFromFen } from '../../../kernel/contract/money.rules.ts';

/** Passes several refunds: shows their sum first, afterwards what became of each. */
export function BulkPass({ rows, close, done }: ActionScreenProps) {
  const text = useText();
  const key = useRef(newIdempotencyKey());
  const [busy, setBusy] = useState(false);
  const [answer, setAnswer] = useState<BulkAnswer>();
  const open = rows.filter((row) => row.state === 'reviewing');
  const cash = open.reduce((sum, row) => sum + (fenFromYuan(String(row.cost)) ?? 0), 0);
  const points = open.reduce((sum, row) => sum + Number(row.points ?? 0), 0);
  const send = async () => {
    setBusy(true);
    try {
      const body = { ids: open.map((row) => row.id), versions: versionsOf(open), input: {} };
      const result = await call<BulkAnswer>('POST', '/api/jinmao/web/refund/bulk/bulkPass', {
        body,
        idempotencyKey: key.current,
      });
      if (result.failed.length === 0) done(result.done);
      else setAnswer(result);
    } catch {
      // The client has shown why; a changed selection needs a fresh submit.
      key.current = newIdempotencyKey();
    } finally {
      setBusy(false);
    }
  };
  if (answer)
    return (
      <AppModal
        open
        title={text(TITLE)}
        onOk={() => done(answer.done)}
        onCancel={() => done(answer.done)}
        cancelButtonProps={{ hidden: true }}
      >
        <Alert
          type="warning"
          showIcon
          title={text(fill(RESULT, { done: answer.done.length, failed: answer.failed.length }))}
        />
        <ul className="k-results">
          {answer.failed.map(({ id, message }) => (
            <li key={id}>
              {codeOf(rows, id)} <span className="k-problem">{message}</span>
            </li>
          ))}
        </ul>
      </AppModal>
    );
  return (
    <AppModal
      open
      title={text(TITLE)}
      okText={text(TITLE)}
      confirmLoading={busy}
      onOk={() => void send()}
      onCancel={close}
    >
      <p className="k-question">{text(fill(QUESTION, { n: open.length }))}</p>
      <p className="refund-sum">
        <MoneyText value={yuanFromFen(cash)} strong /> {text(['元', 'yuan'])}
        {points > 0 && (
          <span className="k-quiet">
            {' '}
            + {points} {text(['积分', 'points'])}
          </span>
        )}
      </p>
      {open.length < rows.length && (
        <Alert type="info" showIcon title={text(fill(SKIPPED, { n: rows.length - open.length }))} />
      )}
    </AppModal>
  );
}

const TITLE = ['批量通过', 'Pass selected'] as const;
const QUESTION = ['通过选中的 {n} 笔退款，合计退现金：', 'Pass {n} {n|refund|refunds}, in all:'] as const;
const RESULT = ['{done} 笔已通过，{failed} 笔未通过', '{done} passed, {failed} not'] as const;
const SKIPPED = [
  '{n} 笔不在审核中，已跳过',
  '{n} {n|is|are} not under review and {n|is|are} left out',
] as const;

function codeOf(rows: readonly RowData[], id: string): string {
  return String(rows.find((row) => row.id === id)?.code ?? id);
}
