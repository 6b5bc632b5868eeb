import './package-order.css';
import { Alert, Descriptions, Progress, Select, Table } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { schedule } from '../../../domain/life-service/package-order.rules.ts';
import { REFUND_METHODS, START_RULES, validityText } from '../../../domain/life-service/package.rules.ts';
import { useDialogHold } from '../../../kernel/client/action/dialog-hold.ts';
import { call } from '../../../kernel/client/api-client.ts';
import { moneyText } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import type { SlotInputProps } from '../../../kernel/client/slots.ts';
import { rootOf, type RowData } from '../../../kernel/client/wire.ts';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import { fenFromYuan, yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { packageOrder } from './package-order.contract.ts';
import type { CancellationText, OrderItem, SaleTerms } from './package-order-wire.ts';
import { planText } from './plan-text.rules.ts';

const ROOT = rootOf(packageOrder);

/** Fen of a typed amount; 0 while it is no amount. */
function fenOf(value: unknown): number {
  const text = String(value ?? '').trim();
  return /^\d+(\.\d{1,2})?$/.test(text) ? (fenFromYuan(text) ?? 0) : 0;
}

/** Ways to pay the chosen package, with what each part will be and when. */
export function PlanInput({ id, value, onChange, values, rows, disabled }: SlotInputProps) {
  const text = useText();
  const row = rows[0];
  const chosen = values.package as RefValue | null | undefined;
  const terms = useQuery({
    queryKey: [packageOrder.name, 'terms', chosen?.id],
    enabled: Boolean(chosen?.id),
    queryFn: ({ signal }) =>
      call<SaleTerms>('GET', `${ROOT}/terms/${String(chosen!.id)}`, { signal, quiet: true }),
  });
  // An order keeps the version it was made under.
  const kept = row !== undefined && String((row.package as RefValue | null)?.id) === String(chosen?.id);
  const price = kept && row.state === 'draft' ? String(row.price) : terms.data?.price;
  const credit = kept ? fenOf(row.credit) : 0;
  const discount = 'discount' in values ? fenOf(values.discount) : 0;
  const total = price === undefined ? undefined : fenOf(price) - discount - credit;
  const parts =
    typeof value === 'string' && value !== '' && total !== undefined && total > 0
      ? schedule(total, value, businessDayOf(new Date()))
      : [];
  const plans = terms.data?.plans ?? (typeof value === 'string' && value !== '' ? [value] : []);
  return (
    <>
      <Select
        {...(id ? { id } : {})}
        aria-label={text(packageOrder.fields.plan.label)}
        value={typeof value === 'string' && value !== '' ? value : undefined}
        onChange={(key: string) => onChange?.(key)}
        disabled={disabled || !chosen?.id}
        loading={terms.isFetching}
        placeholder={text(chosen?.id ? ['请选择', 'Choose'] : ['先选择套餐', 'Choose the package first'])}
        options={plans.map((key) => ({ value: key, label: text(planText(key)) }))}
      />
      {terms.data && (
        <p className="k-quiet package-order-panel">
          {text(['版本', 'Version'])} {kept ? String(row.versionNo) : terms.data.versionNo} ·{' '}
          {text(['套餐价', 'Price'])} {moneyText(price)}
          {discount > 0 && ` − ${moneyText(yuanFromFen(discount))}`}
          {credit > 0 && ` − ${moneyText(yuanFromFen(credit))}`}
          {total !== undefined && total > 0 && (
            <>
              {' = '}
              <strong>{moneyText(yuanFromFen(total))}</strong>
            </>
          )}{' '}
          · {text(START_RULES[terms.data.startRule].label)} ·{' '}
          {text(validityText(terms.data.validity, terms.data.validityUnit))}
        </p>
      )}
      {parts.length > 1 && (
        <ol className="package-order-schedule">
          {parts.map((part) => (
            <li key={part.dueOn}>
              {part.dueOn} <span className="k-number">{moneyText(yuanFromFen(part.amount))}</span>
            </li>
          ))}
        </ol>
      )}
    </>
  );
}

function useItems(row: RowData | undefined) {
  return useQuery({
    queryKey: [packageOrder.name, 'items', row?.id, row?.version],
    enabled: row !== undefined,
    queryFn: ({ signal }) =>
      call<readonly OrderItem[]>('GET', `${ROOT}/${row!.id}/items`, { signal, quiet: true }),
  });
}

/** Items of the order that still have uses. */
export function ItemInput({ id, value, onChange, rows, disabled }: SlotInputProps) {
  const text = useText();
  const items = useItems(rows[0]);
  const left = (item: OrderItem) =>
    item.times === null
      ? text(['不限次', 'unlimited'])
      : text([
          `剩 ${item.times - item.used} / ${item.times}`,
          `${item.times - item.used} of ${item.times} left`,
        ]);
  return (
    <Select
      {...(id ? { id } : {})}
      aria-label={text(['服务内容', 'Item'])}
      value={typeof value === 'string' && value !== '' ? value : undefined}
      onChange={(key: string) => onChange?.(key)}
      disabled={disabled}
      loading={items.isFetching}
      options={(items.data ?? []).map((item) => ({
        value: item.id,
        label: `${item.name}（${left(item)}）`,
        disabled: item.times !== null && item.used >= item.times,
      }))}
    />
  );
}

/** What was used of each item. */
export function Items({ row }: { readonly row: RowData }) {
  const text = useText();
  const items = useItems(row);
  if (items.isError) return <ErrorPanel error={items.error} onRetry={() => void items.refetch()} />;
  return (
    <Table
      size="small"
      rowKey="id"
      pagination={false}
      loading={items.isPending}
      dataSource={[...(items.data ?? [])]}
      scroll={{ x: 'max-content' }}
      columns={[
        { title: text(['服务内容', 'Item']), dataIndex: 'name' },
        {
          title: text(['已用', 'Used']),
          width: 240,
          render: (_, item) =>
            item.times === null ? (
              text([`${item.used} 次（不限次）`, `${item.used} (unlimited)`])
            ) : (
              <Progress
                percent={Math.round((100 * item.used) / item.times)}
                size="small"
                aria-label={item.name}
                format={() => `${item.used} / ${item.times}`}
              />
            ),
        },
        {
          title: text(['单次价', 'Per use']),
          align: 'right',
          render: (_, item) => <span className="k-number">{moneyText(item.listPrice)}</span>,
        },
      ]}
    />
  );
}

/** What leaving the order means, before anybody decides. */
export function Calculation({ row, kind }: { readonly row: RowData; readonly kind: 'cancel' | 'change' }) {
  const text = useText();
  const due = useQuery({
    queryKey: [packageOrder.name, 'cancellation', row.id, row.version],
    gcTime: 0,
    queryFn: ({ signal }) =>
      call<CancellationText>('GET', `${ROOT}/${row.id}/cancellation`, { signal, quiet: true }),
  });
  useDialogHold(!due.data);
  if (due.isError) return <ErrorPanel error={due.error} onRetry={() => void due.refetch()} />;
  if (!due.data) return <p className="k-quiet">{text(['正在试算…', 'Reckoning…'])}</p>;
  const { data } = due;
  const money = (value: string) => <span className="k-number">{moneyText(value)}</span>;
  const back = fenFromYuan(data.dueBack) ?? 0;
  const facts = [
    { key: 'paid', label: text(['已付（含抵扣）', 'Paid, with credit']), children: money(data.paid) },
    {
      key: 'used',
      label: `${text(['已用', 'Used'])}（${text(REFUND_METHODS[data.method].label)}）`,
      children: money(data.used),
    },
    ...(kind === 'cancel'
      ? [
          {
            key: 'fee',
            label: `${text(['退订费', 'Cancel fee'])} ${data.feePercent}%`,
            children: money(data.fee),
          },
          {
            key: 'due',
            label: text(back < 0 ? ['结算补收', 'Still to be paid'] : ['应退', 'To pay back']),
            children: <strong>{money(data.dueBack.replace('-', ''))}</strong>,
          },
        ]
      : [
          {
            key: 'credit',
            label: text(['抵扣新套餐', 'Credit for the new one']),
            children: <strong>{money(data.credit)}</strong>,
          },
        ]),
  ];
  return (
    <div className="package-order-due">
      <Descriptions size="small" bordered column={1} items={facts} />
      {kind === 'cancel' && data.needsApproval && (
        <Alert
          type="warning"
          showIcon
          title={text([
            '退款超过审批标准：提交后待审批，期间订单冻结',
            'Above the limit: it waits for approval, the order is frozen meanwhile',
          ])}
        />
      )}
      {kind === 'cancel' && (
        <p className="k-quiet">
          {text([
            '未收的应收将作废；退款按原收款渠道先进先出',
            'Open receivables are void; refunds go the way the money came, first in first out',
          ])}
        </p>
      )}
    </div>
  );
}
