import './house.css';
import { useText } from '../../../kernel/client/language.ts';
import { MoneyText } from '../../../kernel/client/parts/money-text.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { houseCard } from './house.contract.ts';

/** Where the rows of a tab are worked on: opens the row in its own screen for those who hold it. */
function Elsewhere({
  row,
  path,
  name,
}: {
  readonly row: RowData;
  readonly path: string;
  readonly name: string;
}) {
  const view = useView();
  const target = `/companymanager/${path}?detail=${row.id}`;
  if (!view.mayOpen(target)) return <>{String(row[name] ?? '')}</>;
  return (
    <button
      type="button"
      className="k-link"
      onClick={(event) => {
        event.stopPropagation();
        view.open(target);
      }}
    >
      {String(row[name] ?? '')}
    </button>
  );
}

const byCode = (path: string): ScreenSlots => ({
  cells: { code: (row) => <Elsewhere row={row} path={path} name="code" /> },
});

/** What the tabs of a house's card and the questions about it show besides the contract. */
export const houseSlots: ScreenSlots = {
  detailAbove: (row) => <HouseFigures row={row} />,
  dialogAbove: {
    transfer: (row) => <HouseFigures row={row} />,
  },
  dialogWith: { transfer: () => ({ date: businessDayOf(new Date()) }) },
  parts: {
    bills: byCode('cs_propertyChargingBill'),
    orders: byCode('cs_workOrder'),
    decoration: byCode('cs_decoreteApply'),
    custody: byCode('cs_escrow'),
    visits: {
      cells: { visitor: (row) => <Elsewhere row={row} path="cs_visitRegistration" name="visitor" /> },
    },
  },
};

/** What a house owes, has paid ahead and waits for. */
function HouseFigures({ row }: { readonly row: RowData }) {
  const text = useText();
  const view = useView();
  const room = `/companymanager/cs_propertyChargingBill?part=room&house=${row.id}`;
  const owes = Number(row.arrears) > 0;
  return (
    <dl className="house-figures">
      <div className={owes ? 'is-owing' : undefined}>
        <dt>{text(houseCard.fields.arrears.label)}</dt>
        <dd>
          <MoneyText value={String(row.arrears ?? '0')} />
          {owes && view.mayOpen(room) && (
            <button type="button" className="k-link k-small" onClick={() => view.open(room)}>
              {text(['去收款', 'Collect'])}
            </button>
          )}
        </dd>
      </div>
      <div>
        <dt>{text(houseCard.fields.prepaid.label)}</dt>
        <dd>
          <MoneyText value={String(row.prepaid ?? '0')} />
        </dd>
      </div>
      <div>
        <dt>{text(houseCard.fields.openOrders.label)}</dt>
        <dd>{String(row.openOrders ?? 0)}</dd>
      </div>
    </dl>
  );
}
