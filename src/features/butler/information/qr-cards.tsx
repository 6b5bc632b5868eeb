import { useEffect, useRef, useState } from 'react';
import { Button, QRCode } from 'antd';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import type { RowData } from '../../../kernel/client/wire.ts';
import { zipOf, type ZipPart } from './zip.ts';

const SIZE = 860;
/** Codes of one archive. */
const PER_FILE = 100;

function offer(name: string, url: string): void {
  const link = document.createElement('a');
  link.download = name;
  link.href = url;
  link.click();
}

const picture = (canvas: HTMLCanvasElement): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    canvas.toBlob((blob) => {
      if (blob) void blob.arrayBuffer().then((buffer) => resolve(new Uint8Array(buffer)));
      else reject(new Error('no picture'));
    }, 'image/png');
  });

/** The code members scan for the card of a butler, as it hangs in the lobby. */
export function QrCard({ row }: { readonly row: RowData }) {
  const text = useText();
  const host = useRef<HTMLDivElement>(null);
  const save = () => {
    const canvas = host.current?.querySelector('canvas');
    if (canvas) offer(`${String(row.name)}.png`, canvas.toDataURL('image/png'));
  };
  return (
    <>
      <QRCode value={`housekeeper:${String(row.qr)}`} size={172} type="svg" color="#000" bgColor="#fff" />
      <p className="k-quiet">{text(['会员扫码查看管家名片', 'Members scan it to see the card'])}</p>
      <Button size="small" onClick={save}>
        {text(['下载', 'Download'])}
      </Button>
      <div ref={host} hidden>
        <QRCode
          value={`housekeeper:${String(row.qr)}`}
          size={SIZE}
          type="canvas"
          bordered={false}
          color="#000"
          bgColor="#fff"
        />
      </div>
    </>
  );
}

/** The same over the list. */
export function QrCardDialog({ row, onClose }: { readonly row: RowData; readonly onClose: () => void }) {
  const text = useText();
  return (
    <AppModal
      open
      width={420}
      title={text([`二维码：${String(row.name)}`, `QR code: ${String(row.name)}`])}
      footer={null}
      onCancel={onClose}
    >
      <QrCard row={row} />
    </AppModal>
  );
}

/** Codes of the chosen butlers: one picture, or archives of a hundred. */
export function QrArchive({
  rows,
  onClose,
}: {
  readonly rows: readonly RowData[];
  readonly onClose: () => void;
}) {
  const text = useText();
  const host = useRef<HTMLDivElement>(null);
  const [ready, setReady] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setReady(true), 300);
    return () => clearTimeout(timer);
  }, []);
  const files = Math.ceil(rows.length / PER_FILE);
  const save = async () => {
    const parts: ZipPart[] = [];
    for (const row of rows) {
      const canvas = host.current?.querySelector<HTMLCanvasElement>(`[data-row="${row.id}"] canvas`);
      if (canvas)
        parts.push({
          name: `${String(row.name)}-${String(row.staffNo ?? row.id) || row.id}.png`,
          bytes: await picture(canvas),
        });
    }
    for (let file = 0; file < files; file += 1) {
      const archive = zipOf(parts.slice(file * PER_FILE, (file + 1) * PER_FILE));
      const url = URL.createObjectURL(
        new Blob([archive as Uint8Array<ArrayBuffer>], { type: 'application/zip' }),
      );
      offer(`${text(['管家二维码', 'butler-qr'])}${files > 1 ? `-${file + 1}` : ''}.zip`, url);
      setTimeout(() => URL.revokeObjectURL(url), 10_000);
    }
    onClose();
  };
  return (
    <AppModal
      open
      width={420}
      title={text(['下载二维码', 'Download QR codes'])}
      okText={text(['下载', 'Download'])}
      okButtonProps={{ disabled: !ready }}
      onOk={() => void save()}
      onCancel={onClose}
    >
      <p>
        {text([
          `${rows.length} 名管家的二维码，共 ${files} 个压缩包，每包最多 ${PER_FILE} 张`,
          `QR codes of ${rows.length} butlers in ${files} archives of at most ${PER_FILE}`,
        ])}
      </p>
      <div ref={host} hidden>
        {rows.map((row) => (
          <div key={row.id} data-row={row.id}>
            <QRCode
              value={`housekeeper:${String(row.qr)}`}
              size={430}
              type="canvas"
              bordered={false}
              color="#000"
              bgColor="#fff"
            />
          </div>
        ))}
      </div>
    </AppModal>
  );
}
