import { useRef } from 'react';
import { Button, QRCode } from 'antd';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import type { RowData } from '../../../kernel/client/wire.ts';

/** Edge in px of the printed sizes; the number is the width on paper in cm. */
const SIZES = [
  [8, 258],
  [12, 344],
  [15, 430],
  [30, 860],
  [50, 1280],
] as const;

/** The code members scan for the housekeeper's card, to be downloaded in five sizes. */
export function QrPart({ row }: { readonly row: RowData }) {
  const text = useText();
  const host = useRef<HTMLDivElement>(null);
  const save = (size: number) => {
    const canvas = host.current?.querySelector<HTMLCanvasElement>(`[data-size="${size}"] canvas`);
    if (!canvas) return;
    const link = document.createElement('a');
    link.download = `${String(row.name)}-${size}.png`;
    link.href = canvas.toDataURL('image/png');
    link.click();
  };
  return (
    <>
      <QRCode value={`housekeeper:${String(row.qr)}`} size={172} type="svg" color="#000" bgColor="#fff" />
      <p className="k-quiet">
        {text(['会员在 App 内扫码查看管家名片', 'Members scan it in the app to see the card'])}
      </p>
      <p className="part-buttons">
        {SIZES.map(([cm, px]) => (
          <Button key={px} size="small" onClick={() => save(px)}>
            {`${cm} cm`}
          </Button>
        ))}
      </p>
      <div ref={host} hidden>
        {SIZES.map(([, px]) => (
          <div key={px} data-size={px}>
            <QRCode
              value={`housekeeper:${String(row.qr)}`}
              size={px}
              type="canvas"
              bordered={false}
              color="#000"
              bgColor="#fff"
            />
          </div>
        ))}
      </div>
    </>
  );
}

/** The same code over the list. */
export function QrDialog({ row, onClose }: { readonly row: RowData; readonly onClose: () => void }) {
  const text = useText();
  return (
    <AppModal
      open
      width={420}
      title={text([`二维码：${String(row.name)}`, `QR code: ${String(row.name)}`])}
      footer={null}
      onCancel={onClose}
    >
      <QrPart row={row} />
    </AppModal>
  );
}
