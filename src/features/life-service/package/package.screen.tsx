import { Alert, Table } from 'antd';
import { partsOfSaid } from '../../../domain/coupon/said-twice.rules.ts';
import { instalments, listTotal } from '../../../domain/life-service/package.rules.ts';
import { fenFromYuan, yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { FieldInput } from '../../../kernel/client/form/field-input.tsx';
import { thousands } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots, SlotInputProps } from '../../../kernel/client/slots.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { servicePackage } from './package.contract.ts';

interface Item {
  readonly times?: unknown;
  readonly unlimited?: unknown;
  readonly listPrice?: unknown;
}
interface Plan {
  readonly parts: number;
  readonly firstPercent: number | null;
  readonly intervalMonths: string;
}

/** A text kept in both languages, in the reader's. */
function Said({ value }: { readonly value: unknown }) {
  const text = useText();
  return <>{text(partsOfSaid(value)) || '—'}</>;
}

/** What is saved against buying the uses one by one; a dearer package stands out. */
function Saving({ row }: { readonly row: RowData }) {
  if (row.saving === null || row.saving === undefined) return <span className="k-quiet">—</span>;
  const percent = String(row.saving);
  return <span className={`k-number ${percent.startsWith('-') ? 'k-problem' : ''}`}>{percent}%</span>;
}

/** The sum of the uses in fen as a form holds them; none while nothing is counted. */
function totalOf(items: unknown): number | null {
  return listTotal(
    (Array.isArray(items) ? (items as readonly Item[]) : []).map((item) => ({
      name: '',
      times: item.unlimited === true || !item.times ? null : Number(item.times),
      listPrice: fenFromYuan(String(item.listPrice ?? '')) ?? 0,
    })),
  );
}

/** The price, and what it is against the uses one by one: dearer is said, not refused. */
function PriceInput({ id, value, onChange, values, disabled }: SlotInputProps) {
  const text = useText();
  const total = totalOf(values.items);
  const price = fenFromYuan(String(value ?? ''));
  const above = total !== null && price !== undefined && price > total;
  return (
    <>
      <FieldInput
        {...(id ? { id } : {})}
        field={servicePackage.fields.price}
        value={value}
        {...(onChange ? { onChange } : {})}
        disabled={disabled}
      />
      {total !== null && (
        <div className={above ? 'k-problem' : 'k-quiet'} role="status">
          {text(['单次合计', 'List total'])} ¥{thousands(yuanFromFen(total))}
          {above && ` · ${text(['套餐价高于单次合计', 'The price is above the list total'])}`}
        </div>
      )}
    </>
  );
}

/** What each way to pay asks for, part by part. */
function PlansPart({ row }: { readonly row: RowData }) {
  const text = useText();
  const price = fenFromYuan(String(row.price)) ?? 0;
  const plans: readonly (Plan & { key: string })[] = [
    ...(row.payOnce === true ? [{ key: 'once', parts: 1, firstPercent: null, intervalMonths: '' }] : []),
    ...((row.plans ?? []) as readonly Plan[]).map((plan, index) => ({ ...plan, key: String(index) })),
  ];
  const interval = ({ intervalMonths }: Plan) =>
    intervalMonths === ''
      ? '—'
      : text([
          `每 ${intervalMonths} 个月`,
          intervalMonths === '1' ? 'Monthly' : `Every ${intervalMonths} months`,
        ]);
  return (
    <Table
      size="small"
      rowKey="key"
      pagination={false}
      dataSource={[...plans]}
      scroll={{ x: 'max-content' }}
      columns={[
        {
          title: text(['付款方式', 'Plan']),
          render: (_, plan) =>
            plan.parts === 1
              ? text(['一次付清', 'Paid at once'])
              : text([`${plan.parts} 期`, `${plan.parts} parts`]),
        },
        { title: text(['间隔', 'Interval']), render: (_, plan) => interval(plan) },
        {
          title: text(['各期金额', 'Amounts']),
          render: (_, plan) => (
            <span className="k-number">
              {instalments(price, plan.parts, plan.firstPercent)
                .map((fen) => thousands(yuanFromFen(fen)))
                .join(' + ')}
            </span>
          ),
        },
      ]}
    />
  );
}

function AboveList() {
  const text = useText();
  return (
    <Alert
      type="warning"
      showIcon
      title={text(['套餐价高于单次合计', 'The price is above the list total'])}
    />
  );
}

const slots: ScreenSlots = {
  cells: {
    term: (row) => <Said value={row.term} />,
    saving: (row) => <Saving row={row} />,
  },
  parts: { versions: { cells: { difference: (row) => <Said value={row.difference} /> } } },
  inputs: { price: (props) => <PriceInput {...props} /> },
  detailAbove: (row) => (String(row.saving ?? '').startsWith('-') ? <AboveList /> : null),
  detailParts: [
    { key: 'amounts', label: ['付款示例', 'What is paid'], render: (row) => <PlansPart row={row} /> },
  ],
};

/** Service packages: the default list, with the price held against the uses and the parts of each plan. */
function PackageScreen() {
  return <ScreenOf contract={servicePackage} slots={slots} />;
}

/** Module of pack. */
export const screen = { contract: servicePackage, component: PackageScreen };
