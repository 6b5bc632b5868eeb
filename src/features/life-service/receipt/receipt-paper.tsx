import '../receivable/statement.css';
import { createPortal } from 'react-dom';
import { METHODS } from '../../../domain/receivable/receivable.rules.ts';
import { useRow } from '../../../kernel/client/detail/use-row.ts';
import { moneyText } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import type { ActionScreenProps } from '../../../kernel/client/slots.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { receipt } from './receipt.contract.ts';

/** 收据: what came in and what it paid, printed by the browser. */
export function ReceiptPaper({ row, close }: ActionScreenProps) {
  const text = useText();
  const found = useRow(receipt, row!.id);
  return (
    <AppModal
      open
      width={640}
      title={text(['收据', 'Receipt'])}
      okText={text(['打印', 'Print'])}
      okButtonProps={{ disabled: !found.data }}
      onOk={() => window.print()}
      onCancel={close}
    >
      {found.isError && <ErrorPanel error={found.error} onRetry={() => void found.refetch()} />}
      {found.data && (
        <>
          <Paper row={found.data} />
          {createPortal(
            <div className="statement-print">
              <Paper row={found.data} />
            </div>,
            document.body,
          )}
        </>
      )}
    </AppModal>
  );
}

interface Part {
  readonly receivable: { readonly title: string };
  readonly amount: string;
}

function Paper({ row }: { readonly row: RowData }) {
  const text = useText();
  const named = (value: unknown) => String((value as { title?: string } | null)?.title ?? '');
  const facts = [
    [text(receipt.fields.payer.label), String(row.payer ?? '')],
    [text(receipt.fields.project.label), named(row.project)],
    [text(receipt.fields.receivedOn.label), String(row.receivedOn)],
    [text(receipt.fields.method.label), text(METHODS[row.method as keyof typeof METHODS].label)],
    [text(receipt.fields.slipNo.label), String(row.slipNo ?? '')],
    [text(receipt.fields.recorder.label), named(row.recorder)],
    [text(receipt.fields.confirmer.label), named(row.confirmer)],
  ].filter(([, value]) => value);
  return (
    <article className="statement">
      <h2>
        {text(['收据', 'Receipt'])} {String(row.code)}
      </h2>
      {facts.map(([label, value]) => (
        <p key={label}>
          {label}：{value}
        </p>
      ))}
      <table>
        <thead>
          <tr>
            <th scope="col">{text(['应收', 'Receivable'])}</th>
            <th scope="col">{text(['金额', 'Amount'])}</th>
          </tr>
        </thead>
        <tbody>
          {((row.allocations ?? []) as readonly Part[]).map((part) => (
            <tr key={part.receivable.title}>
              <td>{part.receivable.title}</td>
              <td className="k-number">{moneyText(part.amount)}</td>
            </tr>
          ))}
          {Number(row.toPrepaid) > 0 && (
            <tr>
              <td>{text(receipt.fields.toPrepaid.label)}</td>
              <td className="k-number">{moneyText(String(row.toPrepaid))}</td>
            </tr>
          )}
          <tr>
            <td>
              <strong>{text(['合计', 'Total'])}</strong>
            </td>
            <td className="k-number">
              <strong>{moneyText(String(row.amount))}</strong>
            </td>
          </tr>
        </tbody>
      </table>
    </article>
  );
}
