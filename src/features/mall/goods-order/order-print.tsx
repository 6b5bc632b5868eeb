import { createPortal } from 'react-dom';
import { Skeleton } from 'antd';
import { useQueries } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { instantFull } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import type { ActionScreenProps } from '../../../kernel/client/slots.ts';
import { keysOf } from '../../../kernel/client/wire.ts';
import { useOrderContract, type OrderRow } from './order-calls.ts';
import './goods-order.css';

/**
 * 拣货单: several orders on a page, without prices. Shown as it will be printed; printing hides everything else of the
 * page. Names and phones are masked as everywhere.
 */
export function PrintDialog({ rows, close }: ActionScreenProps) {
  const text = useText();
  const { contract, root } = useOrderContract();
  const orders = useQueries({
    queries: rows.map((row) => ({
      queryKey: keysOf.row(contract.name, row.id),
      queryFn: () => call<OrderRow>('GET', `${root}/${row.id}`),
    })),
  });
  const loaded = orders.flatMap((query) => query.data ?? []);
  const ready = loaded.length === rows.length;
  return (
    <AppModal
      open
      width={760}
      title={text([`打印拣货单 · ${rows.length} 单`, `Print ${rows.length} packing slips`])}
      okText={text(['打印', 'Print'])}
      okButtonProps={{ disabled: !ready }}
      onOk={() => window.print()}
      onCancel={close}
    >
      {ready ? (
        <div className="go-scroll go-tall">
          <Slips orders={loaded} />
        </div>
      ) : (
        <Skeleton active paragraph={{ rows: 8 }} />
      )}
      {ready &&
        createPortal(
          <div className="go-print">
            <Slips orders={loaded} />
          </div>,
          document.body,
        )}
    </AppModal>
  );
}

function Slips({ orders }: { readonly orders: readonly OrderRow[] }) {
  const text = useText();
  return orders.map((order) => (
    <article key={order.id} className="go-slip">
      <header>
        <strong>{order.code as string}</strong>
        <span>{instantFull(order.times.paidAt ?? order.times.createdAt)}</span>
      </header>
      <p>
        {order.contactName as string} {order.contactPhone as string}
        <br />
        {order.address as string}
      </p>
      <table>
        <thead>
          <tr>
            <th>{text(['商品', 'Goods'])}</th>
            <th>{text(['规格', 'Spec'])}</th>
            <th>{text(['编码', 'Code'])}</th>
            <th>{text(['待发', 'To ship'])}</th>
            <th>{text(['总数', 'All'])}</th>
          </tr>
        </thead>
        <tbody>
          {order.lines.map((line) => (
            <tr key={line.id}>
              <td>{line.productName}</td>
              <td>{line.specName}</td>
              <td>{line.specCode}</td>
              <td>{line.unshipped - line.held}</td>
              <td>{line.qty}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {(order.remark as string) && (
        <p>
          {text(['买家备注', 'Remark'])}：{order.remark as string}
        </p>
      )}
    </article>
  ));
}
