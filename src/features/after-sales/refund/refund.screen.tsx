import { useText } from '../../../kernel/client/language.ts';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { StatusTag } from '../../../kernel/client/parts/status-tag.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { fill } from '../../../kernel/contract/label.ts';
import { ReasonLink } from './refund-reason-link.tsx';
import { refund } from './refund.contract.ts';
import { APPLICANT_TYPES } from './refund-words.rules.ts';
import './refund.css';

// Loaded when a refund is opened: the list is what everybody waits for.
const BulkPass = lazyPart(() => import('./bulk-pass.tsx').then((module) => module.BulkPass));
const PassFacts = lazyPart(() => import('./pass-facts.tsx').then((module) => module.PassFacts));
const Notices = lazyPart(() => import('./refund-notices.tsx').then((module) => module.RefundNotices));
const MoneyPart = lazyPart(() => import('./refund-detail-parts.tsx').then((module) => module.MoneyPart));
const LinesPart = lazyPart(() => import('./refund-detail-parts.tsx').then((module) => module.LinesPart));
const SuggestionPart = lazyPart(() =>
  import('./refund-detail-parts.tsx').then((module) => module.SuggestionPart),
);
const ChannelPart = lazyPart(() => import('./refund-detail-parts.tsx').then((module) => module.ChannelPart));
const ReasonPart = lazyPart(() => import('./refund-reason.tsx').then((module) => module.ReasonPart));

const slots: ScreenSlots = {
  cells: {
    state: (row) => <StateCell row={row} />,
    applicant: (row) => <ApplicantCell row={row} />,
    waitingMinutes: (row) => <WaitingCell minutes={row.waitingMinutes as number | null} />,
  },
  detailAbove: (row) => <Notices row={row} />,
  detailParts: [
    { key: 'money', label: ['订单与金额', 'Order and money'], render: (row) => <MoneyPart row={row} /> },
    { key: 'lines', label: ['商品与分摊', 'Lines and shares'], render: (row) => <LinesPart row={row} /> },
    { key: 'suggestion', label: ['退款计算', 'Calculation'], render: (row) => <SuggestionPart row={row} /> },
    { key: 'channel', label: ['渠道记录', 'Channel'], render: (row) => <ChannelPart row={row} /> },
    { key: 'reason', label: ['原因', 'Reason'], render: (row) => <ReasonPart row={row} /> },
  ],
  dialogAbove: Object.fromEntries(
    ['approve', 'approveFinance', 'passAgain', 'restart', 'offline', 'confirmOffline'].map((action) => [
      action,
      (row: RowData) => <PassFacts row={row} />,
    ]),
  ),
  actionScreens: { bulkPass: (props) => <BulkPass {...props} /> },
};

/** Refund audit: the default list and drawer with money, lines, calculation and channel of a refund. */
export function RefundScreen() {
  return <ScreenOf contract={refund} slots={slots} />;
}

/** Module of mm_orderRefund, mounted by groups 7 and 8. */
export const screen = { contract: refund, component: RefundScreen };

function StateCell({ row }: { readonly row: RowData }) {
  const held = useHeld(refund);
  const state = refund.states![String(row.state)];
  return (
    <span className="refund-state">
      {state && <StatusTag choice={state} />}
      {(row.state === 'failed' || row.state === 'cancelled') && held('btn_reason') && (
        <ReasonLink id={row.id} />
      )}
    </span>
  );
}

/** A buyer stands in the column of the customer; here the kind is enough. */
function ApplicantCell({ row }: { readonly row: RowData }) {
  const text = useText();
  if (row.applicant) return <>{String(row.applicant)}</>;
  return <>{text(APPLICANT_TYPES.buyer.label)}</>;
}

function WaitingCell({ minutes }: { readonly minutes: number | null }) {
  const text = useText();
  if (minutes === null || minutes === undefined) return <span className="k-nothing">–</span>;
  const days = Math.floor(minutes / 1440);
  const hours = Math.floor((minutes % 1440) / 60);
  const label = days > 0 ? DAYS : hours > 0 ? HOURS : MINUTES;
  return (
    <span className={minutes >= 1440 ? 'k-number k-problem' : 'k-number'}>
      {text(fill(label, { d: days, h: hours, m: minutes % 60 }))}
    </span>
  );
}

const DAYS = ['{d}天{h}小时', '{d} d {h} h'] as const;
const HOURS = ['{h}小时{m}分', '{h} h {m} min'] as const;
const MINUTES = ['{m}分钟', '{m} min'] as const;
