import { createPortal } from 'react-dom';
import { Skeleton } from 'antd';
import { useQueries } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { MoneyText } from '../../../kernel/client/parts/money-text.tsx';
import type { ActionScreenProps } from '../../../kernel/client/slots.ts';
import { keysOf, rootOf, type RowData } from '../../../kernel/client/wire.ts';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { bill } from './bill.contract.ts';
import { Fact } from './receipt.tsx';
import './charging.css';

/** What a house is asked to pay, on paper. */
export interface Notice {
  readonly project: string;
  readonly house: string;
  readonly debtor: string;
  readonly lines: readonly {
    readonly code: string;
    readonly item: string;
    readonly from: string;
    readonly to: string;
    readonly due: string;
    readonly owed: string;
  }[];
}

/** 缴费通知单 of chosen bills, a sheet a house. */
export function NoticePrint({ rows, close }: ActionScreenProps) {
  const bills = useQueries({
    queries: rows.map((row) => ({
      queryKey: keysOf.row(bill.name, row.id),
      queryFn: () => call<RowData>('GET', `${rootOf(bill)}/${row.id}`),
    })),
  });
  const loaded = bills.flatMap((query) => query.data ?? []);
  const sheets = new Map<string, Notice>();
  for (const row of loaded) {
    const house = row.house as RefValue;
    const sheet = sheets.get(house.id) ?? {
      project: (row.project as RefValue).title,
      house: house.title,
      debtor: String(row.debtor ?? ''),
      lines: [],
    };
    sheets.set(house.id, {
      ...sheet,
      lines: [
        ...sheet.lines,
        {
          code: String(row.code),
          item: (row.item as RefValue).title,
          from: String(row.periodFrom),
          to: String(row.periodTo),
          due: String(row.dueDate),
          owed: String(row.owed),
        },
      ],
    });
  }
  return (
    <NoticeDialog notices={loaded.length === rows.length ? [...sheets.values()] : undefined} close={close} />
  );
}

/** Notices on the screen, printed by the browser. */
export function NoticeDialog(props: {
  readonly notices: readonly Notice[] | undefined;
  readonly close: () => void;
}) {
  const text = useText();
  const { notices, close } = props;
  const papers = notices?.map((one) => <Paper key={`${one.project} ${one.house}`} notice={one} />);
  return (
    <AppModal
      open
      width={720}
      title={text([
        `缴费通知单 · ${notices?.length ?? 0} 户`,
        `Payment notices · ${notices?.length ?? 0} houses`,
      ])}
      okText={text(['打印', 'Print'])}
      okButtonProps={{ disabled: !notices }}
      onOk={() => window.print()}
      onCancel={close}
    >
      {papers ?? <Skeleton active paragraph={{ rows: 6 }} />}
      {papers && createPortal(<div className="receipt-print">{papers}</div>, document.body)}
    </AppModal>
  );
}

function Paper({ notice }: { readonly notice: Notice }) {
  const text = useText();
  const total = notice.lines.reduce((sum, line) => sum + Math.round(Number(line.owed) * 100), 0) / 100;
  return (
    <article className="receipt">
      <h2>{text(['物业缴费通知单', 'Payment notice'])}</h2>
      <dl>
        <Fact term={text(['房屋', 'House'])}>
          {notice.project} {notice.house}
        </Fact>
        <Fact term={text(['业主', 'Owner'])}>{notice.debtor || '–'}</Fact>
        <Fact term={text(['日期', 'Day'])}>{businessDayOf(new Date())}</Fact>
      </dl>
      <table className="charging-rows">
        <thead>
          <tr>
            <th scope="col">{text(['账单号', 'Bill'])}</th>
            <th scope="col">{text(['收费项目', 'Fee item'])}</th>
            <th scope="col">{text(['账期', 'Period'])}</th>
            <th scope="col">{text(['到期日', 'Due'])}</th>
            <th scope="col" className="charging-number">
              {text(['应缴（含滞纳金）', 'To pay, late fee included'])}
            </th>
          </tr>
        </thead>
        <tbody>
          {notice.lines.map((line) => (
            <tr key={line.code}>
              <td>{line.code}</td>
              <td>{line.item}</td>
              <td>
                {line.from} ~ {line.to}
              </td>
              <td>{line.due}</td>
              <td className="charging-number">
                <MoneyText value={line.owed} />
              </td>
            </tr>
          ))}
          <tr>
            <th scope="row">{text(['合计', 'In all'])}</th>
            <td />
            <td />
            <td />
            <td className="charging-number">
              <MoneyText value={total.toFixed(2)} strong />
            </td>
          </tr>
        </tbody>
      </table>
    </article>
  );
}
