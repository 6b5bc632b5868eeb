import { useQuery } from '@tanstack/react-query';
import { Button, Segmented, Skeleton } from 'antd';
import { useEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { call } from '../../../kernel/client/api-client.ts';
import { instantFull } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import type { ActionScreenProps } from '../../../kernel/client/slots.ts';
import { keysOf, rootOf } from '../../../kernel/client/wire.ts';
import { activity, type CheckInSheet } from './activity.contract.ts';
import { QR_SIDE, QR_SIZES, qrModules } from './qr.rules.ts';
import './activity.css';

/** Draws the code onto a canvas of exactly so many pixels, whole pixels a module. */
function draw(canvas: HTMLCanvasElement, ticket: string, size: number): void {
  canvas.width = size;
  canvas.height = size;
  const pen = canvas.getContext('2d')!;
  // A QR code is black on white in the dark appearance, too.
  pen.fillStyle = 'white';
  pen.fillRect(0, 0, size, size);
  pen.fillStyle = 'black';
  const scale = Math.floor(size / (QR_SIDE + 8));
  const edge = Math.floor((size - scale * QR_SIDE) / 2);
  qrModules(ticket).forEach((line, y) =>
    line.forEach((dark, x) => {
      if (dark) pen.fillRect(edge + x * scale, edge + y * scale, scale, scale);
    }),
  );
}

function save(ticket: string, size: number, title: string): void {
  const canvas = document.createElement('canvas');
  draw(canvas, ticket, size);
  const link = document.createElement('a');
  link.href = canvas.toDataURL('image/png');
  link.download = `${title}-${size}.png`;
  link.click();
}

function Code({
  ticket,
  size,
  label,
}: {
  readonly ticket: string;
  readonly size: number;
  readonly label: string;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => draw(canvas.current!, ticket, size), [ticket, size]);
  return <canvas ref={canvas} className="ac-code" role="img" aria-label={label} width={size} height={size} />;
}

/** The code residents scan at the entrance: five sizes as PNG, a sheet to print, and the digits for phones without a camera. */
export function CheckInCode({ row, close }: ActionScreenProps) {
  const text = useText();
  const [size, setSize] = useState<number>(QR_SIZES[4]);
  const { data } = useQuery({
    queryKey: [...keysOf.row(activity.name, row!.id), 'checkIn'],
    queryFn: () => call<CheckInSheet>('GET', `${rootOf(activity)}/${row!.id}/checkIn`),
  });
  const label = text(['签到二维码', 'QR code for check-in']);
  const ticket = data?.ticket;
  return (
    <AppModal
      open
      width={620}
      title={text([`${String(row!.title)}：签到码`, `${String(row!.title)}: check-in code`])}
      onCancel={close}
      footer={
        <>
          <Button onClick={() => window.print()} disabled={!data}>
            {text(['打印签到单', 'Print the sheet'])}
          </Button>
          <Button
            type="primary"
            onClick={() => ticket && save(ticket, size, String(row!.title))}
            disabled={!ticket}
          >
            {text(['下载 PNG', 'Download PNG'])}
          </Button>
        </>
      }
    >
      {data ? (
        <div className="ac-sheet">
          <Segmented
            aria-label={text(['尺寸', 'Size'])}
            value={size}
            options={Object.values(QR_SIZES).map((one) => ({ value: one, label: `${one}×${one}` }))}
            onChange={(value) => setSize(Number(value))}
          />
          <Code ticket={data.ticket} size={size} label={label} />
          <div className="ac-digits">{data.code}</div>
          <div>
            {text(['签到时间', 'Check-in'])} {instantFull(data.from)} – {instantFull(data.until)}
          </div>
        </div>
      ) : (
        <Skeleton active paragraph={{ rows: 8 }} />
      )}
      {data &&
        createPortal(
          <div className="ac-print">
            <h1>{String(row!.title)}</h1>
            <p>{text(['活动签到', 'Check-in'])}</p>
            <Code ticket={data.ticket} size={500} label={label} />
            <p className="ac-digits">{data.code}</p>
            <p>
              {instantFull(data.from)} – {instantFull(data.until)}
            </p>
            <p>{String(row!.address)}</p>
          </div>,
          document.body,
        )}
    </AppModal>
  );
}
