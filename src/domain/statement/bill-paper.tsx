import type { ReactNode } from 'react';
import { createPortal } from 'react-dom';
import { Skeleton } from 'antd';
import type { UseQueryResult } from '@tanstack/react-query';
import { instantFull } from '../../kernel/client/format.rules.ts';
import { useText } from '../../kernel/client/language.ts';
import { AppModal } from '../../kernel/client/parts/app-modal.tsx';
import { ErrorPanel } from '../../kernel/client/parts/error-panel.tsx';
import { MoneyText } from '../../kernel/client/parts/money-text.tsx';
import type { Label } from '../../kernel/contract/label.ts';
import type { RowData } from '../../kernel/client/wire.ts';
import './bill-paper.css';

/** Sums of rows as the detail sends them. */
export interface RowSums {
  readonly rows: number;
  readonly qty: number;
  readonly cash: string;
  readonly subsidy: string;
  readonly commission: string;
  readonly channelFee: string;
  readonly net: string;
}

/** A bill and all of its rows as they are printed. */
export interface PrintedBill {
  readonly bill: RowData & { readonly totals?: { readonly all: RowSums } };
  readonly rows: readonly (Record<string, string> & { readonly rowNo: number; readonly qty: number })[];
}

const AMOUNTS = ['cash', 'subsidy', 'commission', 'channelFee', 'net'] as const;

/** A dialog that shows a bill as it is printed and hands it to the browser; `paper` draws it. */
export function PrintDialog({
  title,
  bill,
  paper,
  close,
}: {
  readonly title: Label;
  readonly bill: UseQueryResult<PrintedBill>;
  readonly paper: (data: PrintedBill) => ReactNode;
  readonly close: () => void;
}) {
  const text = useText();
  const { data, isError, error, refetch } = bill;
  return (
    <AppModal
      open
      width={980}
      title={text(title)}
      okText={text(['打印 / 存为 PDF', 'Print / save as PDF'])}
      okButtonProps={{ disabled: !data }}
      onOk={() => window.print()}
      onCancel={close}
    >
      {isError ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <div className="bill-preview">{paper(data)}</div>
      ) : (
        <Skeleton active paragraph={{ rows: 8 }} />
      )}
      {data && createPortal(<div className="bill-print">{paper(data)}</div>, document.body)}
    </AppModal>
  );
}

interface Labelled {
  readonly label: Label;
}

/** The paper: whose bill it is, its sums (`sums`), all rows, with their total where the bill has it, and the fingerprint. */
export function BillPaper({
  title,
  contract: { fields, states },
  kinds,
  data: { bill, rows },
  sums,
}: {
  readonly title: Label;
  /** Whose labels and states the paper has. */
  readonly contract: {
    readonly fields: Readonly<Record<'period' | 'payee' | 'rowsHash', Labelled>>;
    readonly states?: Readonly<Record<string, Labelled>> | undefined;
  };
  /** Kinds of rows. */
  readonly kinds: Readonly<Record<string, Labelled>>;
  readonly data: PrintedBill;
  readonly sums: ReactNode;
}) {
  const text = useText();
  const totals = bill.totals?.all;
  return (
    <article className="bill-paper">
      <h2>
        {text(title)} {String(bill.code)}
      </h2>
      <p>
        {(bill.merchant as { title: string } | null)?.title} · {text(fields.period.label)}{' '}
        {String(bill.period)} · {text(states![String(bill.state)]!.label)}
      </p>
      <p>
        {text(fields.payee.label)} {String(bill.payee ?? '')}
      </p>
      {sums}
      <table>
        <thead>
          <tr>
            <th>#</th>
            <th>{text(['类别', 'Kind'])}</th>
            <th>{text(['订单号', 'Order no.'])}</th>
            <th>{text(['标题', 'Title'])}</th>
            <th>{text(['数量', 'Qty'])}</th>
            <th>{text(['完成时间', 'Completed'])}</th>
            <th>{text(['金额', 'Cash'])}</th>
            <th>{text(['补贴', 'Subsidy'])}</th>
            <th>{text(['佣金', 'Commission'])}</th>
            <th>{text(['通道费', 'Fee'])}</th>
            <th>{text(['应结', 'Net'])}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((line) => (
            <tr key={line.rowNo}>
              <td>{line.rowNo}</td>
              <td>{text(kinds[line.rowKind!]!.label)}</td>
              <td>{line.orderCode}</td>
              <td>{line.title}</td>
              <td>{line.qty}</td>
              <td>{line.happenedAt ? instantFull(line.happenedAt) : ''}</td>
              {AMOUNTS.map((name) => (
                <td key={name}>
                  <MoneyText value={line[name]} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
        {totals && (
          <tfoot>
            <tr>
              <th colSpan={6}>{text([`合计 ${rows.length} 行`, `${rows.length} rows`])}</th>
              {AMOUNTS.map((name) => (
                <th key={name}>
                  <MoneyText value={totals[name]} />
                </th>
              ))}
            </tr>
          </tfoot>
        )}
      </table>
      <p className="bill-hash">
        {text(fields.rowsHash.label)} {String(bill.rowsHash)}
      </p>
    </article>
  );
}
