import { partsOfSaid } from '../../../domain/coupon/said-twice.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { TabList } from '../../../kernel/client/parts/tab-list.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import { depositAccount, depositRecord } from '../deposit/deposit.contract.ts';
import { withdrawal } from '../withdrawal/withdrawal.contract.ts';
import { payout, payoutBatch, settlement } from './settlement.contract.ts';

const facts = () => import('../statement-facts.tsx');
const DisputesPart = lazyPart(() => facts().then((module) => module.DisputesPart));
const BookingsPart = lazyPart(() => facts().then((module) => module.BookingsPart));
const SettlementCards = lazyPart(() =>
  import('./settlement-cards.tsx').then((module) => module.SettlementCards),
);

const PayBatch = lazyPart(() => import('./pay-batch.tsx').then((module) => module.PayBatch));
const PrintSettlement = lazyPart(() =>
  import('./settlement-print.tsx').then((module) => module.PrintSettlement),
);

/** A text in the reader's language. */
function Said({ value }: { readonly value: unknown }) {
  const text = useText();
  return <>{value ? text(partsOfSaid(value)) : '–'}</>;
}

const slots: ScreenSlots = {
  actionScreens: {
    payBatch: (props) => <PayBatch {...props} />,
    pdf: (props) => <PrintSettlement {...props} />,
  },
  parts: { rows: { cells: { why: (row) => <Said value={row.why} /> } } },
  detailParts: [
    { key: 'disputes', label: ['异议', 'Disputes'], render: (row) => <DisputesPart row={row} /> },
    { key: 'bookings', label: ['账簿', 'Ledger'], render: (row) => <BookingsPart row={row} /> },
  ],
};

const TABS = [
  { key: 'settlements', label: ['结算单', 'Statements'], contract: settlement, slots },
  { key: 'batches', label: ['付款批次', 'Batches'], contract: payoutBatch, slots: {} },
  { key: 'payouts', label: ['付款单', 'Payouts'], contract: payout, slots: {} },
  { key: 'withdrawals', label: ['提现', 'Withdrawals'], contract: withdrawal, slots: {} },
  { key: 'deposits', label: ['保证金', 'Deposits'], contract: depositAccount, slots: {} },
  { key: 'depositEntries', label: ['保证金流水', 'Deposit entries'], contract: depositRecord, slots: {} },
] as const;

/** Statements to pay, batches and payouts, each a list of its own; one statement as a page. */
function SettlementScreen() {
  const text = useText();
  const view = useView();
  if (view.menu !== 'fm_financialSettlement') return <ScreenOf contract={settlement} slots={slots} />;
  const shown = TABS.find((tab) => tab.key === view.query.get('as')) ?? TABS[0];
  const strip = (
    <TabList
      label={text(settlement.title)}
      tabs={TABS.map((tab) => ({ key: tab.key, label: text(tab.label) }))}
      active={shown.key}
      onChange={(key) => view.setQuery(new URLSearchParams(key === 'settlements' ? {} : { as: key }))}
    />
  );
  const above =
    shown.key === 'settlements' ? (
      <>
        {strip}
        <SettlementCards />
      </>
    ) : (
      strip
    );
  return <ScreenOf key={shown.key} contract={shown.contract} slots={{ ...shown.slots, above }} />;
}

/** 财务结算. */
export const screen = { contract: settlement, component: SettlementScreen };
