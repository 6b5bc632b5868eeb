import type { ReactNode } from 'react';
import { createPortal } from 'react-dom';
import { instantFull } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { MoneyText } from '../../../kernel/client/parts/money-text.tsx';
import { ALL_CHANNELS } from './charging-words.rules.ts';
import './charging.css';

/** What stands on a receipt. */
export interface ReceiptData {
  readonly receiptNo: string;
  readonly project: string;
  readonly house: string;
  readonly payer: string;
  readonly channel: keyof typeof ALL_CHANNELS;
  readonly amount: string;
  readonly toPrepaid: string;
  readonly valueDate: string;
  readonly lines: readonly {
    readonly item: string;
    readonly from: string;
    readonly to: string;
    readonly amount: string;
  }[];
  /** Number of the copy; the first print is none. */
  readonly copy?: number;
}

/** A receipt on the screen, printed by the browser. `onPrint` runs before the print dialog. */
export function ReceiptDialog(props: {
  readonly data: ReceiptData;
  readonly close: () => void;
  readonly onPrint?: () => Promise<void>;
}) {
  const text = useText();
  const { data, close, onPrint } = props;
  return (
    <AppModal
      open
      width={640}
      title={text(['收据', 'Receipt'])}
      okText={text(['打印', 'Print'])}
      onOk={async () => {
        await onPrint?.();
        window.print();
      }}
      onCancel={close}
    >
      <Paper data={data} />
      {createPortal(
        <div className="receipt-print">
          <Paper data={data} />
        </div>,
        document.body,
      )}
    </AppModal>
  );
}

function Paper({ data }: { readonly data: ReceiptData }) {
  const text = useText();
  return (
    <article className="receipt">
      <h2>
        {text(['物业缴费收据', 'Property fee receipt'])}
        {data.copy ? text(['（补打）', ' (reprint)']) : ''}
      </h2>
      <dl>
        <Fact term={text(['收据号', 'Receipt'])}>{data.receiptNo}</Fact>
        <Fact term={text(['日期', 'Day'])}>{data.valueDate}</Fact>
        <Fact term={text(['房屋', 'House'])}>
          {data.project} {data.house}
        </Fact>
        <Fact term={text(['缴费人', 'Payer'])}>{data.payer || '–'}</Fact>
        <Fact term={text(['方式', 'Channel'])}>{text(ALL_CHANNELS[data.channel])}</Fact>
        <Fact term={text(['打印时间', 'Printed'])}>{instantFull(new Date().toISOString())}</Fact>
      </dl>
      <table className="charging-rows">
        <tbody>
          {data.lines.map((line) => (
            <tr key={`${line.item} ${line.from}`}>
              <td>{line.item}</td>
              <td>
                {line.from} ~ {line.to}
              </td>
              <td className="charging-number">
                <MoneyText value={line.amount} />
              </td>
            </tr>
          ))}
          {Number(data.toPrepaid) > 0 && (
            <tr>
              <td>{text(['预存', 'Paid ahead'])}</td>
              <td />
              <td className="charging-number">
                <MoneyText value={data.toPrepaid} />
              </td>
            </tr>
          )}
          <tr>
            <th scope="row">{text(['合计', 'In all'])}</th>
            <td />
            <td className="charging-number">
              <MoneyText value={data.amount} strong />
            </td>
          </tr>
        </tbody>
      </table>
    </article>
  );
}

/** A term and what it is. */
export function Fact(props: { readonly term: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{props.term}</dt>
      <dd>{props.children}</dd>
    </div>
  );
}
