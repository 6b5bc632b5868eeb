import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import { instantFull, NOTHING } from '../../../kernel/client/format.rules.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { TimeLeft } from '../../../kernel/client/parts/time-left.tsx';
import type { RowData } from '../../../kernel/client/wire.ts';
import { orderPathOf } from '../order-path.ts';
import { groupBuyItem } from './group-buy.contract.ts';

const StockBar = lazyPart(() => import('./stock-bar.tsx').then((module) => module.StockBar));

/** The number of an order, as a link for whoever may see it. */
function OrderLink({ row }: { readonly row: RowData }) {
  const view = useView();
  const code = String(row.orderCode);
  const to = orderPathOf(view, row, true);
  if (!to) return code;
  return (
    <a
      href={to}
      onClick={(event) => {
        event.preventDefault();
        view.open(to);
      }}
    >
      {code}
    </a>
  );
}

const slots: ScreenSlots = {
  detailAbove: (row) => <StockBar row={row} />,
  parts: {
    teams: {
      cells: {
        deadline: (row) =>
          row.state === 'forming' ? (
            <TimeLeft until={row.deadline as string} />
          ) : row.deadline ? (
            instantFull(row.deadline as string)
          ) : (
            NOTHING
          ),
      },
    },
    seats: {
      cells: {
        orderCode: (row) => <OrderLink row={row} />,
      },
    },
  },
};

function GroupBuyScreen() {
  return <ScreenOf contract={groupBuyItem} slots={slots} />;
}

/** 团购管理: the list of items, and one of them as a page with its teams and orders. */
export const screen = { contract: groupBuyItem, component: GroupBuyScreen };
