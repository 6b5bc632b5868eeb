import { useEffect, useEffectEvent } from 'react';
import { Button } from 'antd';
import { DownloadOutlined } from '@ant-design/icons';
import { call } from '../../../kernel/client/api-client.ts';
import type { FileValue } from '../../../kernel/contract/fields.ts';
import { NOTHING, thousands } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ResourceTable } from '../../../kernel/client/list/resource-table.tsx';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { useExport } from '../../../kernel/client/parts/use-export.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import { rootOf, type RowData } from '../../../kernel/client/wire.ts';
import { pointsAccount, pointsAdjustment, pointsStatement } from './account.contract.ts';
import { AccountHead } from './account-head.tsx';
import './account.css';

const OverviewPart = lazyPart(() => import('./account-parts.tsx').then((module) => module.OverviewPart));
const IdentityPart = lazyPart(() => import('./account-parts.tsx').then((module) => module.IdentityPart));
const ReconcileDialog = lazyPart(() =>
  import('./account-parts.tsx').then((module) => module.ReconcileDialog),
);

/** A number with its sign; what came stands in green, what went in red. */
function Signed({ value, debt = false }: { readonly value: unknown; readonly debt?: boolean }) {
  const amount = Number(value ?? 0);
  if (amount === 0) return <span className="k-number">0</span>;
  return (
    <span className={`k-number ${amount > 0 !== debt ? 'pa-plus' : 'pa-minus'}`}>
      {amount > 0 ? `+${thousands(amount)}` : thousands(amount).replace('-', '−')}
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
        : number.startsWith('RD')
          ? 'os_integralCash'
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

const statementSlots: ScreenSlots = {
  cells: {
    amount: (row) => <Signed value={row.amount} />,
    heldChange: (row) => <Signed value={row.heldChange} />,
    // Owing more is what stands in red.
    owedChange: (row) => <Signed value={row.owedChange} debt />,
    businessNo: (row) => <BusinessNo row={row} />,
  },
};
const STATEMENT_COLUMNS = pointsStatement.list.columns.filter(
  (name) => !['account', 'member', 'direction'].includes(name),
);

/** The lines of a member with their filters, and their export. */
function StatementPart({ row }: { readonly row: RowData }) {
  const text = useText();
  const held = useHeld(pointsStatement);
  const exporting = useExport(`${rootOf(pointsStatement)}/export`);
  return (
    <>
      {held('btn_export') && (
        <Button
          icon={<DownloadOutlined />}
          loading={exporting.busy}
          disabled={exporting.locked}
          onClick={() => exporting.start({ query: { account: row.id } })}
        >
          {text(['导出流水', 'Export the statement'])}
        </Button>
      )}
      <ResourceTable
        search
        resource={pointsStatement}
        filters={{ account: row.id }}
        columns={STATEMENT_COLUMNS}
        limit={20}
        slots={statementSlots}
      />
    </>
  );
}

const slots: ScreenSlots = {
  detailAbove: (row) => <IdentityPart row={row} />,
  detailParts: [
    { key: 'statement', label: ['流水', 'Statement'], render: (row) => <StatementPart row={row} /> },
    {
      key: 'overview',
      label: ['收支与到期', 'Year and expiry'],
      render: (row) => <OverviewPart row={row} />,
    },
  ],
  parts: {
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
