import { instantShort, NOTHING } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import { rootOf, type RowData } from '../../../kernel/client/wire.ts';
import { OPEN_STATES } from '../../../domain/work-order/work-order-words.rules.ts';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import { HouseLink } from '../house/house-link.tsx';
import { DueText } from './due-text.tsx';
import { workOrder } from './work-order.contract.ts';
import './work-order.css';

// Loaded when they are opened: the list is what everybody waits for.
const Print = lazyPart(() => import('./order-print.tsx').then((module) => module.PrintDialog));
const Person = lazyPart(() => import('./order-inputs.tsx').then((module) => module.PersonInput));
const Place = lazyPart(() => import('./order-inputs.tsx').then((module) => module.PlaceInput));
const Clocks = lazyPart(() => import('./order-parts.tsx').then((module) => module.ClocksPart));
const Fees = lazyPart(() => import('./order-parts.tsx').then((module) => module.FeesPart));
const Materials = lazyPart(() => import('./order-parts.tsx').then((module) => module.MaterialsPart));

/** Time left of what is open; when it stopped, its state says how it went. */
function due(row: RowData) {
  const open = (OPEN_STATES as readonly string[]).includes(String(row.state));
  if (!row.slaDue) return NOTHING;
  if (!open || row.slaState === 'paused')
    return <span className="k-number">{instantShort(row.slaDue as string)}</span>;
  return <DueText until={row.slaDue as string} />;
}

/** The order on a page of its own, with everything that happened. */
function OpenPage({ id }: { readonly id: string }) {
  const text = useText();
  const view = useView();
  const path = view.pathOf('cs_orderDetail');
  if (!path) return null;
  return (
    <p className="wo-open">
      <button type="button" className="k-link" onClick={() => view.open(`${path}?id=${id}`)}>
        {text(['在页面中打开', 'Open as a page'])}
      </button>
    </p>
  );
}

/** Custom interactions of work orders that live at `root`, the same on the list, the page and the desk. */
export const orderSlotsAt = (root: string): ScreenSlots => ({
  cells: { slaDue: due, house: (row) => <HouseLink house={row.house as RefValue | null} /> },
  detailAbove: (row) => <OpenPage id={row.id} />,
  inputs: {
    handler: (props) => <Person {...props} root={root} />,
    to: (props) => <Person {...props} root={root} />,
    house: (props) => <Place {...props} target="workHouse" />,
    building: (props) => <Place {...props} target="workBuilding" />,
  },
  actionScreens: { print: (props) => <Print {...props} /> },
  detailParts: [
    { key: 'clocks', label: ['时效', 'Clocks'], render: (row) => <Clocks row={row} /> },
    { key: 'materials', label: ['材料', 'Materials'], render: (row) => <Materials row={row} /> },
    { key: 'fees', label: ['收费', 'Fees'], render: (row) => <Fees row={row} /> },
  ],
});

/** Those of the list. */
export const orderSlots = orderSlotsAt(rootOf(workOrder));
