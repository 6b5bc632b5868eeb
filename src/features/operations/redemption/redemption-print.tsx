import { createPortal } from 'react-dom';
import { Skeleton } from 'antd';
import { useQueries } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { instantFull, NOTHING } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import type { ActionScreenProps } from '../../../kernel/client/slots.ts';
import { keysOf, rootOf, type RowData } from '../../../kernel/client/wire.ts';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { REDEMPTION_WAYS } from '../../../domain/points-shop/points-shop.rules.ts';
import { redemption } from './redemption.contract.ts';
import './redemption.css';

/** 兑换单: a slip for each redemption, to go into the parcel or to be signed at the counter. Masked as everywhere. */
export function PrintDialog({ rows, close }: ActionScreenProps) {
  const text = useText();
  const asked = useQueries({
    queries: rows.map((row) => ({
      queryKey: keysOf.row(redemption.name, row.id),
      queryFn: () => call<RowData>('GET', `${rootOf(redemption)}/${row.id}`),
    })),
  });
  const loaded = asked.flatMap((query) => query.data ?? []);
  const ready = loaded.length === rows.length;
  return (
    <AppModal
      open
      width={720}
      title={text([`打印兑换单 · ${rows.length} 张`, `Print ${rows.length} slips`])}
      okText={text(['打印', 'Print'])}
      okButtonProps={{ disabled: !ready }}
      onOk={() => window.print()}
      onCancel={close}
    >
      {ready ? (
        <div className="rd-slips">
          <Slips list={loaded} />
        </div>
      ) : (
        <Skeleton active paragraph={{ rows: 8 }} />
      )}
      {ready &&
        createPortal(
          <div className="rd-print">
            <Slips list={loaded} />
          </div>,
          document.body,
        )}
    </AppModal>
  );
}

function Slips({ list }: { readonly list: readonly RowData[] }) {
  const text = useText();
  const said = (value: unknown) => (value === null || value === undefined ? '' : String(value));
  return list.map((row) => {
    const way = REDEMPTION_WAYS[row.way as keyof typeof REDEMPTION_WAYS];
    const facts: readonly (readonly [Label, string])[] = [
      [['商品', 'Product'], `${said(row.productName)} · ${said(row.specName)} × ${said(row.qty)}`],
      [['积分', 'Points'], said(row.points)],
      [['现金（元）', 'Cash (yuan)'], said(row.cash)],
      [['项目', 'Project'], (row.project as RefValue | null)?.title ?? NOTHING],
      [['会员', 'Member'], `${said(row.member)} ${said(row.phone)}`],
      [['方式', 'Way'], text(way.label)],
      [['收件人', 'Receiver'], `${said(row.receiver)} ${said(row.receiverPhone)}`.trim()],
      [['地址', 'Address'], said(row.address) || said(row.place)],
      [['物流', 'Parcel'], `${said(row.company)} ${said(row.trackingNo)}`.trim()],
      [['备注', 'Remark'], said(row.remark)],
    ];
    return (
      <article key={row.id} className="rd-slip">
        <header>
          <strong>{said(row.code)}</strong>
          <span>{instantFull(row.createdAt as string)}</span>
        </header>
        <dl>
          {facts
            .filter(([, value]) => value !== '')
            .map(([label, value]) => (
              <div key={label[1]}>
                <dt>{text(label)}</dt>
                <dd>{value}</dd>
              </div>
            ))}
        </dl>
        <footer>{text(['签收：', 'Received by: '])}</footer>
      </article>
    );
  });
}
