import { Descriptions, Table } from 'antd';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDialogHold } from '../../../kernel/client/action/dialog-hold.ts';
import { call } from '../../../kernel/client/api-client.ts';
import { FieldInput } from '../../../kernel/client/form/field-input.tsx';
import { moneyText } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { StatusTag } from '../../../kernel/client/parts/status-tag.tsx';
import type { SlotInputProps } from '../../../kernel/client/slots.ts';
import { rootOf, type RowData } from '../../../kernel/client/wire.ts';
import { businessTimeText } from '../../../kernel/contract/time.rules.ts';
import { Files, REFUND_STATES } from '../decor-order/decor-order-parts.tsx';
import { decorCase, refundCash, VISIT_RESULTS } from './decor-case.contract.ts';
import type { DecorCaseBook, DecorCaseRefund } from './decor-case-wire.ts';

const ROOT = rootOf(decorCase);
const TABLE = { size: 'small', pagination: false, scroll: { x: 'max-content' } } as const;
const VISIT_STATES = {
  ...VISIT_RESULTS,
  planned: { label: ['已安排', 'Planned'], tone: 'processing' },
  cancelled: { label: ['已取消', 'Cancelled'], tone: 'default' },
} as const;

const Money = ({ value }: { readonly value: string }) => <span className="k-number">{moneyText(value)}</span>;

function Shown({
  row,
  children,
}: {
  readonly row: RowData;
  readonly children: (book: DecorCaseBook) => React.ReactNode;
}) {
  const text = useText();
  const book = useQuery({
    queryKey: [decorCase.name, 'book', row.id, row.version],
    queryFn: ({ signal }) => call<DecorCaseBook>('GET', `${ROOT}/${row.id}/book`, { signal, quiet: true }),
  });
  if (book.isError) return <ErrorPanel error={book.error} onRetry={() => void book.refetch()} />;
  if (!book.data) return <p className="k-quiet">{text(['加载中…', 'Loading…'])}</p>;
  return <>{children(book.data)}</>;
}

/** Who came when, and what it came to. */
export function Visits({ row }: { readonly row: RowData }) {
  const text = useText();
  return (
    <Shown row={row}>
      {(book) => (
        <Table
          {...TABLE}
          rowKey="id"
          dataSource={[...book.visits]}
          locale={{ emptyText: text(['还没有安排上门', 'No visit was planned yet']) }}
          columns={[
            {
              title: text(['时间', 'Time']),
              render: (_, one) =>
                `${businessTimeText(one.from).slice(0, 16)} – ${businessTimeText(one.to).slice(11, 16)}`,
            },
            { title: text(['人员', 'Person']), dataIndex: 'person' },
            {
              title: text(['结果', 'Result']),
              render: (_, one) => <StatusTag choice={VISIT_STATES[one.state]} />,
            },
            { title: text(['说明', 'Note']), render: (_, one) => one.note || '–' },
            {
              title: text(['照片与签字', 'Photos, signature']),
              render: (_, one) => <Files files={one.files} />,
            },
          ]}
        />
      )}
    </Shown>
  );
}

const partsText = (parts: DecorCaseRefund['parts']) =>
  parts.map((part) => `${part.receipt} ${moneyText(part.amount)}`).join('；');

/** Refunds of the case with the receipts they give back. */
export function Refunds({ row }: { readonly row: RowData }) {
  const text = useText();
  return (
    <Shown row={row}>
      {(book) => (
        <Table
          {...TABLE}
          rowKey="code"
          dataSource={[...book.refunds]}
          locale={{ emptyText: text(['没有退款', 'There are no refunds']) }}
          columns={[
            { title: text(['退款单', 'Refund']), dataIndex: 'code' },
            {
              title: text(['金额', 'Amount']),
              align: 'right',
              render: (_, one) => <Money value={one.amount} />,
            },
            {
              title: text(['状态', 'State']),
              render: (_, one) => <StatusTag choice={REFUND_STATES[one.state]} />,
            },
            { title: text(['退回收款单', 'Gives back']), render: (_, one) => partsText(one.parts) },
          ]}
        />
      )}
    </Shown>
  );
}

/** What may go back of the order, over which receipts, and what the merchant's settlement loses. */
function Effect({ row, amount }: { readonly row: RowData; readonly amount?: string | undefined }) {
  const text = useText();
  const due = useQuery({
    queryKey: [decorCase.name, 'refundable', row.id, row.version, amount],
    gcTime: 0,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      call<DecorCaseRefund>('GET', `${ROOT}/${row.id}/refundable${amount ? `?amount=${amount}` : ''}`, {
        signal,
        quiet: true,
      }),
  });
  useDialogHold(!due.data);
  if (due.isError) return <ErrorPanel error={due.error} onRetry={() => void due.refetch()} />;
  if (!due.data) return <p className="k-quiet">{text(['正在试算…', 'Reckoning…'])}</p>;
  const { data } = due;
  const items = [
    { key: 'paid', label: text(['已付', 'Paid']), children: <Money value={data.paid} /> },
    { key: 'refunded', label: text(['已退', 'Refunded']), children: <Money value={data.refunded} /> },
    { key: 'open', label: text(['退款中', 'In progress']), children: <Money value={data.inProgress} /> },
    {
      key: 'most',
      label: text(['可退', 'Refundable']),
      children: (
        <strong>
          <Money value={data.refundable} />
        </strong>
      ),
    },
    ...(data.parts.length === 0
      ? []
      : [{ key: 'parts', label: text(['退回收款单', 'Gives back']), children: partsText(data.parts) }]),
    ...(data.settlement === null
      ? []
      : [
          {
            key: 'settlement',
            label: `${text(['商户结算减少', 'Taken from the settlement'])}（${text(['佣金', 'commission'])} ${data.commission} %）`,
            children: <Money value={data.settlement} />,
          },
        ]),
  ];
  return (
    <div className="decor-order-due">
      <Descriptions size="small" bordered column={1} items={items} />
    </div>
  );
}

/** Agreeing to a refund starts it: what it means stands above the button. */
export function AgreePreview({ row }: { readonly row: RowData }) {
  return row.type === 'refund_only' ? <Effect row={row} /> : null;
}

/** The amount of a part refund, with what it means below. */
export function RefundAmount({ rows, value, onChange, ...props }: SlotInputProps) {
  const typed = String(value ?? '').trim();
  const amount = /^\d{1,9}(\.\d{1,2})?$/.test(typed) ? typed : undefined;
  return (
    <div className="decor-order-due">
      <FieldInput
        field={refundCash}
        value={value}
        {...(onChange ? { onChange } : {})}
        {...(props.id ? { id: props.id } : {})}
        disabled={props.disabled}
      />
      {rows[0] && <Effect row={rows[0]} amount={amount} />}
    </div>
  );
}
