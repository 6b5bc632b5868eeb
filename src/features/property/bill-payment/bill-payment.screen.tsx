import { moneyText } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { PageTitle } from '../../../kernel/client/parts/page-title.tsx';
import { TabList } from '../../../kernel/client/parts/tab-list.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { HouseLink } from '../house/house-link.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { useView } from '../../../kernel/client/view.ts';
import { billInvoice } from './bill-invoice.contract.ts';
import { billPayment, cashClose, onlineBillOrder, transferSlip } from './bill-payment.contract.ts';

const CloseRemark = lazyPart(() => import('./close-remark.tsx').then((module) => module.CloseRemark));
const Reprint = lazyPart(() => import('./payment-parts.tsx').then((module) => module.Reprint));
const Series = lazyPart(() => import('./payment-parts.tsx').then((module) => module.Series));

const slots: ScreenSlots = {
  cells: { house: (row) => <HouseLink house={row.house as RefValue | null} /> },
  detailAbove: (row) => <OrderLink id={row.id} />,
  dialogAbove: {
    refund: (row) => <Paid row={row} />,
    invoice: (row) => <Paid row={row} />,
  },
  actionScreens: { receipt: (props) => <Reprint {...props} /> },
};

/** What a refund or an invoice is taken from. */
function Paid({ row }: { readonly row: RowData }) {
  const text = useText();
  const amounts: readonly (readonly [string, unknown])[] = [
    [text(billPayment.fields.amount.label), row.amount],
    [text(billPayment.fields.refunded.label), row.refunded],
    [text(billPayment.fields.invoiced.label), row.invoiced],
  ];
  return (
    <p className="k-quiet">
      {amounts
        .filter(([, amount]) => Number(amount) > 0)
        .map(([label, amount]) => `${label} ${moneyText(String(amount))}`)
        .join(' · ')}
    </p>
  );
}

/** The payment on the page of orders, for who may open it. */
function OrderLink({ id }: { readonly id: string }) {
  const text = useText();
  const view = useView();
  const path = view.pathOf('cs_orderDetail');
  if (!path) return null;
  return (
    <p>
      <button type="button" className="k-link" onClick={() => view.open(`${path}?id=${id}&objType=2`)}>
        {text(['打开订单详情', 'Open as an order'])}
      </button>
    </p>
  );
}

/** Payments, the daily close and whether receipts are continuous, as three tabs. */
function BillPayments() {
  const view = useView();
  const text = useText();
  const part = view.query.get('part');
  if (part === 'slips')
    return <ScreenOf contract={transferSlip} slots={{ cells: slots.cells!, above: <Parts /> }} />;
  if (part === 'online')
    return <ScreenOf contract={onlineBillOrder} slots={{ cells: slots.cells!, above: <Parts /> }} />;
  if (part === 'invoices')
    return <ScreenOf contract={billInvoice} slots={{ cells: slots.cells!, above: <Parts /> }} />;
  if (part === 'close')
    return (
      <ScreenOf
        contract={cashClose}
        slots={{
          above: <Parts />,
          createWith: { day: businessDayOf(new Date()) },
          inputs: { remark: (props) => <CloseRemark {...props} /> },
        }}
      />
    );
  if (part === 'receipts')
    return (
      <div className="k-screen">
        <PageTitle title={billPayment.title} purpose={billPayment.purpose} />
        <Parts />
        <Series label={text(['收据连续性', 'Receipts'])} />
      </div>
    );
  return <ScreenOf contract={billPayment} slots={{ ...slots, above: <Parts /> }} />;
}

/** 物业缴费账单. */
export const screen = { contract: billPayment, component: BillPayments };

function Parts() {
  const text = useText();
  const view = useView();
  const held = useHeld(billPayment);
  const part = view.query.get('part');
  return (
    <TabList
      label={text(billPayment.title)}
      className="charging-tabs"
      tabs={[
        { key: 'payments', label: text(['缴费记录', 'Payments']) },
        { key: 'online', label: text(onlineBillOrder.title) },
        { key: 'slips', label: text(transferSlip.title) },
        ...(held('btn_close') || held('btn_reopenClose')
          ? [{ key: 'close', label: text(cashClose.title) }]
          : []),
        { key: 'receipts', label: text(['收据', 'Receipts']) },
        { key: 'invoices', label: text(billInvoice.title) },
      ]}
      active={part && ['close', 'receipts', 'online', 'slips', 'invoices'].includes(part) ? part : 'payments'}
      onChange={(key) => view.setQuery(new URLSearchParams(key === 'payments' ? {} : { part: key }))}
    />
  );
}
