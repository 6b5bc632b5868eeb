import './decor-order.css';
import '../decor-package/decor-package.css';
import { Alert, Checkbox, Descriptions, InputNumber, Table } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { CHECK_KINDS, INSTALMENT_STATES, NODE_STATES } from '../../../domain/furnishing/decor-order.rules.ts';
import { WARRANTY } from '../../../domain/furnishing/decor-version.rules.ts';
import { CANCEL_STAGES, DUE_EVENTS } from '../../../domain/furnishing/price.rules.ts';
import { useDialogHold } from '../../../kernel/client/action/dialog-hold.ts';
import { call } from '../../../kernel/client/api-client.ts';
import { moneyText } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { StatusTag } from '../../../kernel/client/parts/status-tag.tsx';
import type { SlotInputProps } from '../../../kernel/client/slots.ts';
import { rootOf, type RowData } from '../../../kernel/client/wire.ts';
import type { FileValue, RefValue } from '../../../kernel/contract/fields.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { businessTimeText } from '../../../kernel/contract/time.rules.ts';
import { DECOR_CASE_TYPES, decorCase } from '../decor-case/decor-case.contract.ts';
import { decorOrder } from './decor-order.contract.ts';
import type { DecorBook, DecorCancelText, DecorPreview, DecorTerms } from './decor-order-wire.ts';

const ROOT = rootOf(decorOrder);

const Money = ({ value }: { readonly value: string }) => <span className="k-number">{moneyText(value)}</span>;

const idOf = (value: unknown): string =>
  typeof value === 'string' ? value : String((value as RefValue | null | undefined)?.id ?? '');

interface Chosen {
  readonly code: string;
  readonly pieces?: number | null;
}

/** Options of the chosen package for the chosen house, with the price and the instalments they make. */
export function OptionsInput({ value, onChange, values, disabled }: SlotInputProps) {
  const text = useText();
  const packageId = idOf(values.package);
  const houseId = idOf(values.house);
  const ready = packageId !== '' && houseId !== '';
  const chosen = (value ?? []) as readonly Chosen[];
  const terms = useQuery({
    queryKey: [decorOrder.name, 'terms', packageId, houseId],
    enabled: ready,
    retry: false,
    queryFn: ({ signal }) =>
      call<DecorTerms>('GET', `${ROOT}/terms?package=${packageId}&house=${houseId}`, { signal, quiet: true }),
  });
  const options = terms.data?.options ?? [];
  const known = chosen.filter((one) => options.some((option) => option.code === one.code));
  const typed = String(values.discount ?? '').trim();
  const discount = /^\d{1,9}(\.\d{1,2})?$/.test(typed) ? typed : '0';
  const body = {
    package: packageId,
    house: houseId,
    options: known.map((one) => ({ code: one.code, ...(one.pieces ? { pieces: Number(one.pieces) } : {}) })),
    discount,
  };
  const preview = useQuery({
    queryKey: [decorOrder.name, 'preview', body],
    enabled: terms.data !== undefined,
    queryFn: ({ signal }) => call<DecorPreview>('POST', `${ROOT}/preview`, { body, signal, quiet: true }),
  });
  if (!ready)
    return <p className="k-quiet">{text(['先选择房屋与套餐', 'Choose the house and the package first'])}</p>;
  if (terms.isError) return <ErrorPanel error={terms.error} onRetry={() => void terms.refetch()} />;
  if (!terms.data) return <p className="k-quiet">{text(['正在读取价格…', 'Reading the prices…'])}</p>;
  return (
    <div className="decor-preview">
      <p className="k-quiet">
        V{terms.data.versionNo} · {terms.data.houseType} · {terms.data.built} m² · {text(['基础价', 'Base'])}{' '}
        <Money value={terms.data.base} />
      </p>
      {options.map((option) => {
        const at = known.find((one) => one.code === option.code);
        return (
          <div className="decor-tools" key={option.code}>
            <Checkbox
              checked={at !== undefined}
              disabled={disabled}
              onChange={(event) =>
                onChange?.(
                  event.target.checked
                    ? [...known, { code: option.code, pieces: 1 }]
                    : known.filter((one) => one.code !== option.code),
                )
              }
            >
              {option.name} <Money value={option.amount} />
            </Checkbox>
            {at && option.mode === 'per_piece' && (
              <InputNumber
                size="small"
                min={1}
                max={999}
                precision={0}
                value={at.pieces ?? 1}
                disabled={disabled}
                aria-label={`${option.name} ${text(['件数', 'Pieces'])}`}
                onChange={(pieces) =>
                  onChange?.(
                    known.map((one) => (one.code === option.code ? { ...one, pieces: pieces ?? 1 } : one)),
                  )
                }
              />
            )}
          </div>
        );
      })}
      {preview.data?.problem && <Alert type="warning" showIcon title={text(preview.data.problem as Label)} />}
      {preview.data && (
        <table className="decor-lines">
          <tbody>
            {preview.data.lines.map((line, index) => (
              <tr key={index}>
                <td>{line.name}</td>
                <td className="k-number">
                  <Money value={line.amount} />
                </td>
              </tr>
            ))}
            <tr className="decor-total">
              <td>{text(['优惠后总价', 'Price after the discount'])}</td>
              <td className="k-number">
                <Money value={preview.data.price} />
              </td>
            </tr>
            {preview.data.instalments.map((part, index) => (
              <tr key={`p${index}`}>
                <td className="k-quiet">{part.name}</td>
                <td className="k-number">
                  <Money value={part.amount} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}

function useBook(row: RowData) {
  return useQuery({
    queryKey: [decorOrder.name, 'book', row.id, row.version],
    queryFn: ({ signal }) => call<DecorBook>('GET', `${ROOT}/${row.id}/book`, { signal, quiet: true }),
  });
}

function Shown({
  row,
  children,
}: {
  readonly row: RowData;
  readonly children: (book: DecorBook) => React.ReactNode;
}) {
  const text = useText();
  const book = useBook(row);
  if (book.isError) return <ErrorPanel error={book.error} onRetry={() => void book.refetch()} />;
  if (!book.data) return <p className="k-quiet">{text(['加载中…', 'Loading…'])}</p>;
  return <>{children(book.data)}</>;
}

const TABLE = { size: 'small', pagination: false, scroll: { x: 'max-content' } } as const;

/** What the price is made of. */
export function Prices({ row }: { readonly row: RowData }) {
  const text = useText();
  const kinds: Readonly<Record<string, Label>> = {
    base: ['基础价', 'Base'],
    option: ['选项', 'Option'],
    change: ['变更', 'Change'],
    discount: ['优惠', 'Discount'],
  };
  return (
    <Shown row={row}>
      {(book) => (
        <Table
          {...TABLE}
          rowKey={(line) => `${line.kind}${line.source}${line.name}`}
          dataSource={[...book.lines]}
          columns={[
            { title: text(['类型', 'Kind']), render: (_, line) => text(kinds[line.kind]!) },
            { title: text(['名称', 'Name']), dataIndex: 'name' },
            {
              title: text(['单价 × 数量', 'Price × quantity']),
              align: 'right',
              render: (_, line) => (
                <span className="k-number">
                  {line.unitPrice} × {line.quantity}
                </span>
              ),
            },
            {
              title: text(['金额', 'Amount']),
              align: 'right',
              render: (_, line) => <Money value={line.amount} />,
            },
          ]}
        />
      )}
    </Shown>
  );
}

/** The plan with what became due and came in. */
export function Instalments({ row }: { readonly row: RowData }) {
  const text = useText();
  return (
    <Shown row={row}>
      {(book) => (
        <Table
          {...TABLE}
          rowKey="seq"
          dataSource={[...book.instalments]}
          columns={[
            {
              title: text(['期款', 'Instalment']),
              render: (_, part) =>
                part.dueEvent === 'settlement'
                  ? text(['结算补收', 'Settlement'])
                  : `${part.seq} ${part.name}`,
            },
            {
              title: text(['比例', 'Share']),
              align: 'right',
              render: (_, part) => (part.dueEvent === 'settlement' ? '–' : `${part.share} %`),
            },
            {
              title: text(['金额', 'Amount']),
              align: 'right',
              render: (_, part) => <Money value={part.amount} />,
            },
            {
              title: text(['付款节点', 'Due with']),
              render: (_, part) =>
                part.dueEvent === 'settlement'
                  ? text(['取消结算', 'Cancellation'])
                  : `${text(DUE_EVENTS[part.dueEvent]!.label)}${part.dueDays > 0 ? ` + ${part.dueDays} ${text(['天', 'days'])}` : ''}`,
            },
            { title: text(['到期日', 'Due']), render: (_, part) => part.dueOn ?? '–' },
            {
              title: text(['已收', 'Received']),
              align: 'right',
              render: (_, part) => <Money value={part.received} />,
            },
            {
              title: text(['状态', 'State']),
              render: (_, part) =>
                part.overdue ? (
                  <StatusTag choice={{ label: ['已逾期', 'Overdue'], tone: 'error' }} />
                ) : (
                  <StatusTag choice={INSTALMENT_STATES[part.state]} />
                ),
            },
            { title: text(['收款单', 'Receipts']), render: (_, part) => part.receipts.join('、') || '–' },
          ]}
        />
      )}
    </Shown>
  );
}

const DAY = 86_400_000;

/** Nodes with their planned days against the real ones. */
export function Nodes({ row }: { readonly row: RowData }) {
  const text = useText();
  return (
    <Shown row={row}>
      {(book) => {
        const from = Date.parse(book.nodes[0]?.from ?? '2026-01-01');
        const ends = book.nodes.flatMap((one) => [Date.parse(one.to), Date.parse(one.finishedOn ?? one.to)]);
        const span = Math.max(1, (Math.max(from, ...ends) - from) / DAY + 1);
        const place = (start: string, end: string) => ({
          insetInlineStart: `${(((Date.parse(start) - from) / DAY) * 100) / span}%`,
          inlineSize: `${(((Date.parse(end) - Date.parse(start)) / DAY + 1) * 100) / span}%`,
        });
        return (
          <Table
            {...TABLE}
            rowKey="seq"
            dataSource={[...book.nodes]}
            locale={{ emptyText: text(['开工后按权重排期', 'They get their days when the works start']) }}
            columns={[
              { title: text(['节点', 'Node']), render: (_, one) => `${one.seq} ${one.name}` },
              { title: text(['权重', 'Weight']), align: 'right', render: (_, one) => `${one.weight} %` },
              {
                title: text(['状态', 'State']),
                render: (_, one) => <StatusTag choice={NODE_STATES[one.state]} />,
              },
              { title: text(['计划', 'Planned']), render: (_, one) => `${one.from} – ${one.to}` },
              {
                title: text(['通过日期', 'Passed']),
                render: (_, one) => (
                  <>
                    {one.finishedOn ?? '–'}
                    {one.late && <> {text(['（延误）', '(late)'])}</>}
                  </>
                ),
              },
              { title: text(['整改', 'Reworks']), align: 'right', dataIndex: 'reworks' },
              { title: text(['完工人', 'Done by']), render: (_, one) => one.doneBy ?? '–' },
              { title: text(['验收人', 'Checked by']), render: (_, one) => one.checkedBy ?? '–' },
              {
                title: text(['进度图', 'Gantt']),
                render: (_, one) => (
                  <div className="decor-order-gantt" aria-hidden="true">
                    <i
                      className={one.late ? 'late' : one.state === 'passed' ? 'done' : ''}
                      style={place(
                        one.from,
                        one.finishedOn && one.finishedOn >= one.from ? one.finishedOn : one.to,
                      )}
                    />
                  </div>
                ),
              },
            ]}
          />
        );
      }}
    </Shown>
  );
}

/** Pictures and documents as links. */
export function Files({ files }: { readonly files: readonly FileValue[] }) {
  return (
    <span className="decor-order-files">
      {files.map((file) => (
        <a key={file.id} href={file.url} target="_blank" rel="noreferrer" title={file.name}>
          {file.type.startsWith('image/') ? <img src={file.url} alt={file.name} /> : file.name}
        </a>
      ))}
    </span>
  );
}

/** What was measured, drawn, signed, built and found. */
export function Records({ row }: { readonly row: RowData }) {
  const text = useText();
  return (
    <Shown row={row}>
      {(book) => (
        <Table
          {...TABLE}
          rowKey="id"
          dataSource={[...book.checks]}
          locale={{ emptyText: text(['还没有记录', 'Nothing yet']) }}
          columns={[
            { title: text(['时间', 'Time']), render: (_, one) => businessTimeText(one.at) },
            {
              title: text(['事项', 'What']),
              render: (_, one) => `${text(CHECK_KINDS[one.kind].label)}${one.node ? ` · ${one.node}` : ''}`,
            },
            { title: text(['轮次', 'Round']), align: 'right', dataIndex: 'round' },
            {
              title: text(['结果', 'Result']),
              render: (_, one) =>
                one.result === null ? (
                  '–'
                ) : (
                  <StatusTag
                    choice={
                      one.result === 'passed'
                        ? { label: ['通过', 'Passed'], tone: 'success' }
                        : { label: ['不通过', 'Failed'], tone: 'error' }
                    }
                  />
                ),
            },
            {
              title: text(['说明', 'Note']),
              render: (_, one) =>
                [one.note, ...one.defects.map((defect) => `${defect.room}：${defect.text}`)]
                  .filter(Boolean)
                  .join('；') || '–',
            },
            {
              title: text(['附件', 'Files']),
              render: (_, one) => <Files files={[...one.files, ...(one.signature ? [one.signature] : [])]} />,
            },
            { title: text(['经办', 'By']), dataIndex: 'by' },
          ]}
        />
      )}
    </Shown>
  );
}

/** What is guaranteed until when. */
export function Warranty({ row }: { readonly row: RowData }) {
  const text = useText();
  return (
    <Shown row={row}>
      {(book) => (
        <Table
          {...TABLE}
          rowKey="category"
          dataSource={[...book.warranty]}
          locale={{ emptyText: text(['竣工验收后开始', 'It begins with the acceptance']) }}
          columns={[
            { title: text(['类别', 'Category']), render: (_, one) => text(WARRANTY[one.category].label) },
            { title: text(['月数', 'Months']), align: 'right', dataIndex: 'months' },
            { title: text(['开始', 'From']), dataIndex: 'from' },
            { title: text(['结束', 'Until']), dataIndex: 'to' },
          ]}
        />
      )}
    </Shown>
  );
}

/** States of a refund as people read them. */
export const REFUND_STATES = {
  reviewing: { label: ['退款审核中', 'In the refund audit'], tone: 'warning' },
  refunding: { label: ['退款中', 'Refunding'], tone: 'processing' },
  succeeded: { label: ['退款成功', 'Refunded'], tone: 'success' },
  failed: { label: ['退款失败', 'Failed'], tone: 'error' },
  cancelled: { label: ['退款取消', 'Cancelled'], tone: 'default' },
} as const;

/** Refunds with the receipts they give back. */
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
            {
              title: text(['退回收款单', 'Gives back']),
              render: (_, one) => one.parts.map((part) => `${part.receipt} ${part.amount}`).join('；'),
            },
            { title: text(['原因', 'Reason']), dataIndex: 'reason' },
            { title: text(['申请时间', 'Asked']), render: (_, one) => businessTimeText(one.at) },
          ]}
        />
      )}
    </Shown>
  );
}

/** After-sales cases of the order. */
export function Cases({ row }: { readonly row: RowData }) {
  const text = useText();
  return (
    <Shown row={row}>
      {(book) => (
        <Table
          {...TABLE}
          rowKey="code"
          dataSource={[...book.cases]}
          locale={{ emptyText: text(['没有售后', 'There are no after-sales']) }}
          columns={[
            { title: text(['售后单', 'Case']), dataIndex: 'code' },
            {
              title: text(['类型', 'Type']),
              render: (_, one) => text(DECOR_CASE_TYPES[one.type].label),
            },
            {
              title: text(['类别', 'Category']),
              render: (_, one) => `${text(WARRANTY[one.category].label)} · ${one.room}`,
            },
            {
              title: text(['状态', 'State']),
              render: (_, one) => <StatusTag choice={decorCase.states![one.state]!} />,
            },
            { title: text(['申请时间', 'Applied']), render: (_, one) => businessTimeText(one.at) },
          ]}
        />
      )}
    </Shown>
  );
}

/** What cancelling means, before anybody decides. */
export function CancelPreview({ row }: { readonly row: RowData }) {
  const text = useText();
  const due = useQuery({
    queryKey: [decorOrder.name, 'cancellation', row.id, row.version],
    gcTime: 0,
    queryFn: ({ signal }) =>
      call<DecorCancelText>('GET', `${ROOT}/${row.id}/cancellation`, { signal, quiet: true }),
  });
  useDialogHold(!due.data);
  if (due.isError) return <ErrorPanel error={due.error} onRetry={() => void due.refetch()} />;
  if (!due.data) return <p className="k-quiet">{text(['正在试算…', 'Reckoning…'])}</p>;
  const { data } = due;
  if (data.stage === null) return null;
  const items = [
    { key: 'stage', label: text(['阶段', 'Stage']), children: text(CANCEL_STAGES[data.stage].label) },
    { key: 'paid', label: text(['已付', 'Paid']), children: <Money value={data.paid} /> },
    {
      key: 'works',
      label: `${text(['已通过节点', 'Nodes passed'])} ${data.passed} %`,
      children: <Money value={data.works} />,
    },
    { key: 'fee', label: text(['按政策扣除', 'Fee by the policy']), children: <Money value={data.fee} /> },
    { key: 'kept', label: text(['保留', 'Kept']), children: <Money value={data.kept} /> },
    {
      key: 'refund',
      label: text(['退款', 'Refund']),
      children: (
        <strong>
          <Money value={data.refund} />
        </strong>
      ),
    },
    { key: 'rest', label: text(['结算补收', 'Still to be paid']), children: <Money value={data.rest} /> },
  ];
  return (
    <div className="decor-order-due">
      <Descriptions size="small" bordered column={1} items={items} />
      <p className="k-quiet">
        {text([
          '未收的应收将作废；退款进入退款审核，从最近的收款开始退回',
          'Open receivables are void; the refund goes to the refund audit, the latest receipt first',
        ])}
      </p>
    </div>
  );
}
