import { createPortal } from 'react-dom';
import { QRCode, Skeleton } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import type { ActionScreenProps } from '../../../kernel/client/slots.ts';
import { rootOf } from '../../../kernel/client/wire.ts';
import { fill } from '../../../kernel/contract/label.ts';
import { workPoint, type PointQr } from './work-point.contract.ts';

/** Codes of the chosen points, four on a line, to be printed and hung up. */
export function QrDialog({ rows, close }: ActionScreenProps) {
  const text = useText();
  const ids = rows.map((row) => row.id).join(',');
  const { data } = useQuery({
    queryKey: ['resource', workPoint.name, 'qr', ids],
    queryFn: ({ signal }) =>
      call<readonly PointQr[]>('GET', `${rootOf(workPoint)}/qr`, { query: { ids }, signal }),
  });
  return (
    <AppModal
      open
      width={720}
      title={text(fill(['打印点位二维码 · {n} 个', 'Print {n} QR {n|code|codes}'], { n: rows.length }))}
      okText={text(['打印', 'Print'])}
      okButtonProps={{ disabled: !data }}
      onOk={() => window.print()}
      onCancel={close}
    >
      {data ? <Codes points={data} /> : <Skeleton active paragraph={{ rows: 6 }} />}
      {data &&
        createPortal(
          <div className="wp-print">
            <Codes points={data} />
          </div>,
          document.body,
        )}
    </AppModal>
  );
}

function Codes({ points }: { readonly points: readonly PointQr[] }) {
  const text = useText();
  return (
    <div className="wp-codes">
      {points.map((point) => (
        <figure key={point.id}>
          <QRCode
            size={148}
            bordered={false}
            color="#000"
            bgColor="#fff"
            value={point.code}
            aria-label={text([`${point.name}的二维码`, `QR of ${point.name}`])}
          />
          <figcaption>
            <strong>{point.name}</strong>
            <span>{point.place}</span>
            <span>
              {point.project} · {point.code}
            </span>
          </figcaption>
        </figure>
      ))}
    </div>
  );
}
