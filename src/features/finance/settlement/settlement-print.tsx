import { createPortal } from 'react-dom';
import { Skeleton } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { instantFull } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { MoneyText } from '../../../kernel/client/parts/money-text.tsx';
import type { ActionScreenProps } from '../../../kernel/client/slots.ts';
import { keysOf, rootOf, type RowData } from '../../../kernel/client/wire.ts';
import { ROW_KINDS } from '../../mall/account-statement/statement.contract.ts';
import { settlement } from './settlement.contract.ts';
import './settlement.css';

interface Printed {
  readonly bill: RowData;
  readonly rows: readonly (Readonly<Record<string, string>> & {
    readonly rowNo: number;
    readonly qty: number;
  })[];
}

const SUMS = [
  'gross',
  'freight',
  'refunds',
  'commission',
  'channelFee',
  'adjustments',
  'carryIn',
  'cover',
  'payable',
  'payAmount',
  'carryOut',
] as const;
const AMOUNTS = ['cash', 'subsidy', 'commission', 'channelFee', 'net'] as const;

/** A statement on paper or as a PDF of the browser: its sums, all rows and the fingerprint; the payee is masked. */
export function PrintSettlement({ row, close }: ActionScreenProps) {
  const text = useText();
  const { data, isError, error, refetch } = useQuery({
    queryKey: [...keysOf.row(settlement.name, row!.id), 'print'],
    queryFn: ({ signal }) =>
      call<Printed>('GET', `${rootOf(settlement)}/${row!.id}/print`, { signal, quiet: true }),
  });
  return (
    <AppModal
      open
      width={980}
      title={text(['打印结算单', 'Print the statement'])}
      okText={text(['打印 / 存为 PDF', 'Print / save as PDF'])}
      okButtonProps={{ disabled: !data }}
      onOk={() => window.print()}
      onCancel={close}
    >
      {isError ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <div className="fs-preview">
          <Paper data={data} />
        </div>
      ) : (
        <Skeleton active paragraph={{ rows: 8 }} />
      )}
      {data &&
        createPortal(
          <div className="fs-print">
            <Paper data={data} />
          </div>,
          document.body,
        )}
    </AppModal>
  );
}

function Paper({ data: { bill, rows } }: { readonly data: Printed }) {
  const text = useText();
  const { fields } = settlement;
  return (
    <article className="fs-paper">
      <h2>
        {text(['结算单', 'Statement'])} {String(bill.code)}
      </h2>
      <p>
        {(bill.merchant as { title: string } | null)?.title} · {text(fields.period.label)}{' '}
        {String(bill.period)} · {text(settlement.states![String(bill.state)]!.label)}
      </p>
      <p>
        {text(fields.payee.label)} {String(bill.payee ?? '')}
      </p>
      <dl>
        {SUMS.map((name) => (
          <div key={name}>
            <dt>{text(fields[name].label)}</dt>
            <dd>
              <MoneyText value={bill[name] as string | null} />
            </dd>
          </div>
        ))}
      </dl>
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
              {AMOUNTS.map((name) => (
                <td key={name}>
                  <MoneyText value={line[name] ?? null} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p className="k-small">
        {text(fields.rowsHash.label)} {String(bill.rowsHash)}
      </p>
    </article>
  );
}
