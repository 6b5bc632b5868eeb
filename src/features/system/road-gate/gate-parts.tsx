import './gate-parts.css';
import { useState } from 'react';
import { Button, QRCode, Segmented, Skeleton } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { keysOf, rootOf, type RowData } from '../../../kernel/client/wire.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { roadGate, type RoadGate, type StateSpanWire } from './road-gate.contract.ts';

/** Edges of the printed code in px, by size. */
const SIZES = [80, 160, 240, 360, 500] as const;

const BEFORE: Label = ['未登记', 'Not there yet'];

/** The states of the last seven days as a line, with words for those who do not see it. */
export function StateLine({ row }: { readonly row: RowData }) {
  const text = useText();
  const line = useQuery({
    queryKey: [...keysOf.row(roadGate.name, row.id), 'stateLine'],
    queryFn: ({ signal }) =>
      call<{ spans: readonly StateSpanWire[] }>('GET', `${rootOf(roadGate)}/${row.id}/stateLine`, {
        signal,
        quiet: true,
      }),
  });
  if (line.isError) return <ErrorPanel error={line.error} onRetry={() => void line.refetch()} />;
  if (!line.data) return <Skeleton.Input active block size="small" />;
  const { spans } = line.data;
  const milliseconds = (span: StateSpanWire) => Date.parse(span.to) - Date.parse(span.from);
  const total = spans.reduce((sum, span) => sum + milliseconds(span), 0);
  const known = spans
    .filter((span) => span.state !== 'none')
    .reduce((sum, span) => sum + milliseconds(span), 0);
  const online = spans
    .filter((span) => span.state === 'online')
    .reduce((sum, span) => sum + milliseconds(span), 0);
  const words = (state: StateSpanWire['state']) =>
    text(state === 'none' ? BEFORE : roadGate.states![state]!.label);
  const told = (span: StateSpanWire) => `${words(span.state)} ${clock(span.from)} – ${clock(span.to)}`;
  return (
    <section className="rg-line" aria-label={text(['近 7 天状态', 'States of the last 7 days'])}>
      <p>
        {text(['近 7 天在线', 'Online in the last 7 days'])}{' '}
        <strong className="k-number">{known === 0 ? '—' : `${((100 * online) / known).toFixed(2)}%`}</strong>
      </p>
      <ol className="rg-spans">
        {spans.map((span) => (
          <li
            key={span.from}
            className={`rg-span rg-${span.state}`}
            style={{ flexGrow: total === 0 ? 1 : milliseconds(span) / total }}
            title={told(span)}
          >
            <span className="rg-told">{told(span)}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function clock(instant: string): string {
  return new Date(Date.parse(instant) + 8 * 3_600_000).toISOString().slice(5, 16).replace('T', ' ');
}

/** The code of a gate in five sizes, to be printed and put up at the entrance. */
export function GateCode({ row }: { readonly row: RowData }) {
  const text = useText();
  const gate = row as unknown as RoadGate;
  const [size, setSize] = useState(2);
  const print = () => {
    document.body.classList.add('rg-printing');
    window.print();
    document.body.classList.remove('rg-printing');
  };
  return (
    <div className="rg-code">
      <Segmented
        aria-label={text(['尺寸', 'Size'])}
        value={size}
        onChange={setSize}
        options={SIZES.map((edge, index) => ({ value: index + 1, label: `${index + 1} · ${edge}px` }))}
      />
      <Button type="primary" onClick={print}>
        {text(['打印', 'Print'])}
      </Button>
      <div className="rg-print">
        <QRCode
          value={`gate:${gate.qr}`}
          size={SIZES[size - 1]!}
          bordered={false}
          color="#000"
          bgColor="#fff"
          type="svg"
          aria-label={text([`${gate.name}的二维码`, `QR code of ${gate.name}`])}
        />
        <p>{gate.name}</p>
      </div>
    </div>
  );
}
