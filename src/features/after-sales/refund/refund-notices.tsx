import { Alert } from 'antd';
import { instantFull } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { fill } from '../../../kernel/contract/label.ts';
import type { RefundParts } from './refund-parts.ts';

/** What a refund waits for, above its facts. */
export function RefundNotices({ row }: { readonly row: RowData }) {
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
      {offline?.waits && <Alert className="refund-notice" type="warning" showIcon title={text(OFFLINE)} />}
    </>
  );
}

const QUEUED = [
  '排队中，最早 {at} 发送到渠道',
  'Queued: sent to the channel at {at} at the earliest',
] as const;
const OFFLINE = [
  '已登记线下退款，等待另一人确认',
  'Offline refund recorded, waiting for another person',
] as const;
