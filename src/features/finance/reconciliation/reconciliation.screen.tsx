import { lazy, Suspense } from 'react';
import { useText } from '../../../kernel/client/language.ts';
import { TabList } from '../../../kernel/client/parts/tab-list.tsx';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { ScreenOf, ScreenWaits } from '../../../kernel/client/screen-of.tsx';
import { useView } from '../../../kernel/client/view.ts';
import { channelBill, merchantConfirmation, reconciliation } from './reconciliation.contract.ts';

const DetailPage = lazy(() =>
  import('../../../kernel/client/detail/detail-page.tsx').then((module) => ({ default: module.DetailPage })),
);

const BillCalendar = lazyPart(() => import('./bill-calendar.tsx').then((module) => module.BillCalendar));
const facts = () => import('../statement-facts.tsx');
const DisputesPart = lazyPart(() => facts().then((module) => module.DisputesPart));
const StatementRowsPart = lazyPart(() => facts().then((module) => module.StatementRowsPart));

/** Hours of a working day: less than that is marked. */
const WORKDAY_HOURS = 7.5;
const NO_SLOTS: ScreenSlots = {};
const confirmationSlots: ScreenSlots = {
  cells: {
    windowLeft: (row) =>
      row.windowLeft === null || row.windowLeft === undefined ? (
        '–'
      ) : (
        <span className={Number(row.windowLeft) < WORKDAY_HOURS ? 'k-bad k-number' : 'k-number'}>
          {String(row.windowLeft)}
        </span>
      ),
  },
  detailParts: [
    { key: 'disputes', label: ['异议', 'Disputes'], render: (row) => <DisputesPart row={row} /> },
    { key: 'lines', label: ['明细', 'Rows'], render: (row) => <StatementRowsPart row={row} /> },
  ],
};

const TABS = [
  { key: 'bills', label: ['渠道对账', 'Channel bills'], contract: channelBill, slots: NO_SLOTS },
  {
    key: 'confirmations',
    label: ['商户对账', 'Merchant confirmations'],
    contract: merchantConfirmation,
    slots: confirmationSlots,
  },
  {
    key: 'rows',
    label: ['差异与挂账', 'Differences and suspense'],
    contract: reconciliation,
    slots: NO_SLOTS,
  },
] as const;

/** Bills of channels, statements that wait for merchants, and what differs, each a list of its own; a bill as a page. */
function ReconciliationScreen() {
  const text = useText();
  const view = useView();
  const [bill, statement] = [view.query.get('billId') ?? view.query.get('id'), view.query.get('statementId')];
  if (view.menu === 'fm_financialReconciliationDetails')
    return bill || statement ? (
      <Suspense fallback={<ScreenWaits />}>
        {bill ? (
          <DetailPage key={bill} resource={channelBill} slots={{}} id={bill} />
        ) : (
          <DetailPage
            key={statement}
            resource={merchantConfirmation}
            slots={confirmationSlots}
            id={statement!}
          />
        )}
      </Suspense>
    ) : (
      <ScreenOf contract={channelBill} />
    );
  const shown = TABS.find((tab) => tab.key === view.query.get('as')) ?? TABS[0];
  const strip = (
    <TabList
      label={text(channelBill.title)}
      tabs={TABS.map((tab) => ({ key: tab.key, label: text(tab.label) }))}
      active={shown.key}
      onChange={(key) => view.setQuery(new URLSearchParams(key === 'bills' ? {} : { as: key }))}
    />
  );
  const above =
    shown.key === 'bills' ? (
      <>
        {strip}
        <BillCalendar />
      </>
    ) : (
      strip
    );
  return <ScreenOf key={shown.key} contract={shown.contract} slots={{ ...shown.slots, above }} />;
}

/** 财务对账. */
export const screen = { contract: channelBill, component: ReconciliationScreen };
