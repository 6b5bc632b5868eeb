import { Alert } from 'antd';
import { instantFull } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { StatusTag } from '../../../kernel/client/parts/status-tag.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { fill } from '../../../kernel/contract/label.ts';
import { BulkPass } from './bulk-pass.tsx';
import { ChannelPart, LinesPart, MoneyPart, SuggestionPart } from './refund-detail-parts.tsx';
import { ReasonLink, ReasonPart } from './refund-reason.tsx';
import { refund } from './refund.contract.ts';
import type { RefundParts } from './refund-parts.ts';
import './refund.css';

const slots: ScreenSlots = {
  cells: {
    state: (row) => <StateCell row={row} />,
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

function Notices({ row }: { readonly row: RowData }) {
  const text = useText();
  const { channel, offline } = row.parts as RefundParts;
  return (
    <>
      {channel.waitsUntil && (
        <Alert
          className="refund-notice"
          type="info"
          showIcon
          title={text(fill(QUEUED, { at: instantFull(channel.waitsUntil) }))}
        />
      )}
      {offline?.waits && (
        <Alert
          className="refund-notice"
          type="warning"
          showIcon
          title={text(fill(OFFLINE, { payee: offline.payee }))}
        />
      )}
    </>
  );
}

const DAYS = ['{d}天{h}小时', '{d} d {h} h'] as const;
const HOURS = ['{h}小时{m}分', '{h} h {m} min'] as const;
const MINUTES = ['{m}分钟', '{m} min'] as const;
const QUEUED = [
  '排队中，最早 {at} 发送到渠道',
  'Queued: sent to the channel at {at} at the earliest',
] as const;
const OFFLINE = [
  '已登记线下退款（{payee}），等待另一人确认',
  'Offline refund recorded ({payee}), waiting for another person',
] as const;
