import { useEffect, useEffectEvent } from 'react';
import { call } from '../../../kernel/client/api-client.ts';
import type { FileValue } from '../../../kernel/contract/fields.ts';
import { NOTHING } from '../../../kernel/client/format.rules.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import { rootOf, type RowData } from '../../../kernel/client/wire.ts';
import { pointsAccount, pointsAdjustment } from './account.contract.ts';
import { AccountHead } from './account-head.tsx';
import './account.css';

const OverviewPart = lazyPart(() => import('./account-parts.tsx').then((module) => module.OverviewPart));
const ReconcileDialog = lazyPart(() =>
  import('./account-parts.tsx').then((module) => module.ReconcileDialog),
);

/** A number with its sign; what came stands in green, what went in red. */
function Signed({ value }: { readonly value: unknown }) {
  const amount = Number(value ?? 0);
  if (amount === 0) return <span className="k-number">0</span>;
  return (
    <span className={`k-number ${amount > 0 ? 'pa-plus' : 'pa-minus'}`}>
      {amount > 0 ? `+${amount}` : String(amount).replace('-', '−')}
    </span>
  );
}

/** The business number, as a link where its screen may be opened. */
function BusinessNo({ row }: { readonly row: RowData }) {
  const view = useView();
  const number = row.businessNo as string | null;
  if (!number) return <>{NOTHING}</>;
  const menu = number.startsWith('SO')
    ? 'mm_businessOrder_wx'
    : number.startsWith('RF')
      ? 'mm_orderRefund'
      : number.startsWith('PG')
        ? 'pointsSend'
        : undefined;
  const path = menu && view.pathOf(menu);
  if (!path) return <>{number}</>;
  return (
    <button type="button" className="k-link" onClick={() => view.open(`${path}?searchVal=${number}`)}>
      {number}
    </button>
  );
}

/** The file of a correction, fetched through the row that shows it. */
function Attachment({ row }: { readonly row: RowData }) {
  const file = row.attachment as FileValue | null;
  if (!file) return <>{NOTHING}</>;
  const open = async () => {
    const ticket = await call<FileValue>('GET', `${rootOf(pointsAdjustment)}/${row.id}/attachment`).catch(
      () => undefined,
    );
    if (ticket) window.open(ticket.url, '_blank', 'noopener');
  };
  return (
    <button type="button" className="k-link" onClick={() => void open()}>
      {file.name}
    </button>
  );
}

const slots: ScreenSlots = {
  detailParts: [
    { key: 'overview', label: ['概览', 'Overview'], render: (row) => <OverviewPart row={row} /> },
  ],
  parts: {
    statement: {
      cells: {
        amount: (row) => <Signed value={row.amount} />,
        heldChange: (row) => <Signed value={row.heldChange} />,
        owedChange: (row) => <Signed value={row.owedChange} />,
        businessNo: (row) => <BusinessNo row={row} />,
      },
    },
    holds: { cells: { businessNo: (row) => <BusinessNo row={row} /> } },
    adjustments: {
      cells: {
        amount: (row) => <Signed value={row.amount} />,
        attachment: (row) => <Attachment row={row} />,
      },
    },
  },
  actionScreens: { reconcile: (props) => <ReconcileDialog {...props} /> },
};

const listSlots: ScreenSlots = { ...slots, above: <AccountHead /> };

/** Accounts with their cards, and one account as a page; `?member=` of other screens opens that member's page. */
function AccountScreen() {
  const view = useView();
  const member = view.query.get('member');
  const leave = useEffectEvent((id: string) => {
    view.setQuery(new URLSearchParams());
    view.open(`/vipAccount/pointsAccount/${encodeURIComponent(id)}`);
  });
  useEffect(() => {
    if (member) leave(member);
  }, [member]);
  return <ScreenOf contract={pointsAccount} slots={view.params.id ? slots : listSlots} />;
}

/** Module of pointsAccount. */
export const screen = { contract: pointsAccount, component: AccountScreen };
