import { createPortal } from 'react-dom';
import { Skeleton } from 'antd';
import { instantFull } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { MoneyText } from '../../../kernel/client/parts/money-text.tsx';
import type { ActionScreenProps } from '../../../kernel/client/slots.ts';
import { Equation } from './statement-parts.tsx';
import { ROW_KINDS, statement } from './statement.contract.ts';
import { usePrintedBill, type PrintedBill } from './statement-calls.ts';
import './statement.css';

/** The bill on paper or as a PDF of the browser: all rows, the sums and the fingerprint; names and phones stay away. */
export function PrintBill({ row, close }: ActionScreenProps) {
  const text = useText();
  const { data } = usePrintedBill(row!.id);
  return (
    <AppModal
      open
      width={980}
      title={text(['打印账单', 'Print the bill'])}
      okText={text(['打印 / 存为 PDF', 'Print / save as PDF'])}
      okButtonProps={{ disabled: !data }}
      onOk={() => window.print()}
      onCancel={close}
    >
      {data ? (
        <div className="st-preview">
          <Paper data={data} />
        </div>
      ) : (
        <Skeleton active paragraph={{ rows: 8 }} />
      )}
      {data &&
        createPortal(
          <div className="st-print">
            <Paper data={data} />
          </div>,
          document.body,
        )}
    </AppModal>
  );
}

function Paper({ data: { bill, rows } }: { readonly data: PrintedBill }) {
  const text = useText();
  const { fields } = statement;
  return (
    <article className="st-paper">
      <h2>
        {text(statement.title)} {String(bill.code)}
      </h2>
      <p>
        {(bill.merchant as { title: string } | null)?.title} · {text(fields.period.label)}{' '}
        {String(bill.period)} · {text(statement.states![String(bill.state)]!.label)}
      </p>
      <p>
        {text(fields.payee.label)} {String(bill.payee ?? '')}
      </p>
      <Equation row={bill} />
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
              <td>{text(ROW_KINDS[line.rowKind as keyof typeof ROW_KINDS].label)}</td>
              <td>{line.orderCode}</td>
              <td>{line.title}</td>
              <td>{line.qty}</td>
              <td>{line.happenedAt ? instantFull(line.happenedAt) : ''}</td>
              {(['cash', 'subsidy', 'commission', 'channelFee', 'net'] as const).map((name) => (
                <td key={name}>
                  <MoneyText value={line[name]} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th colSpan={6}>{text([`合计 ${rows.length} 行`, `${rows.length} rows`])}</th>
            {(['cash', 'subsidy', 'commission', 'channelFee', 'net'] as const).map((name) => (
              <th key={name}>
                <MoneyText value={bill.totals?.all[name]} />
              </th>
            ))}
          </tr>
        </tfoot>
      </table>
      <p className="st-hash">
        {text(fields.rowsHash.label)} {String(bill.rowsHash)}
      </p>
    </article>
  );
}
