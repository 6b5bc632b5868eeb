import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { statement } from './statement.contract.ts';

// Loaded when a bill is opened: the list is what everybody waits for.
const Equation = lazyPart(() => import('./statement-parts.tsx').then((module) => module.Equation));
const RowsPart = lazyPart(() => import('./statement-parts.tsx').then((module) => module.RowsPart));
const DisputesPart = lazyPart(() => import('./statement-parts.tsx').then((module) => module.DisputesPart));
const LinesPick = lazyPart(() => import('./statement-inputs.tsx').then((module) => module.LinesPick));
const HashInput = lazyPart(() => import('./statement-inputs.tsx').then((module) => module.HashInput));
const AmountDue = lazyPart(() => import('./statement-inputs.tsx').then((module) => module.AmountDue));
const PrintBill = lazyPart(() => import('./statement-print.tsx').then((module) => module.PrintBill));

const slots: ScreenSlots = {
  detailAbove: (row) => <Equation row={row} />,
  detailParts: [
    { key: 'rows', label: ['明细', 'Rows'], render: (row) => <RowsPart row={row} /> },
    { key: 'disputes', label: ['异议', 'Disputes'], render: (row) => <DisputesPart row={row} /> },
  ],
  dialogAbove: {
    confirm: (row) => <Equation row={row} />,
    pay: (row) => <AmountDue row={row} />,
  },
  dialogWith: {
    confirm: (row) => ({ rowsHash: row.rowsHash }),
    pay: () => ({ paidOn: businessDayOf(new Date()) }),
  },
  inputs: {
    rowsHash: (props) => <HashInput {...props} />,
    lines: (props) => <LinesPick {...props} />,
  },
  actionScreens: { pdf: (props) => <PrintBill {...props} /> },
};

/** Bills of merchants: the list, and one bill as a page with its rows, sums and disputes. */
function StatementScreen() {
  return <ScreenOf contract={statement} slots={slots} />;
}

/** Module of mm_accountStatement. */
export const screen = { contract: statement, component: StatementScreen };
