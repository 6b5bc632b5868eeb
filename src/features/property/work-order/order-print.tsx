import { createPortal } from 'react-dom';
import { QRCode, Skeleton } from 'antd';
import { useQueries } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { instantFull, NOTHING } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import type { ActionScreenProps } from '../../../kernel/client/slots.ts';
import { keysOf, rootOf, type RowData } from '../../../kernel/client/wire.ts';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import { fill, type Label } from '../../../kernel/contract/label.ts';
import { workOrder } from './work-order.contract.ts';
import './work-order.css';

/** 派工单: a slip an order with the QR that opens it. Names and phones are masked as everywhere. */
export function PrintDialog({ rows, close }: ActionScreenProps) {
  const text = useText();
  const orders = useQueries({
    queries: rows.map((row) => ({
      queryKey: keysOf.row(workOrder.name, row.id),
      queryFn: () => call<RowData>('GET', `${rootOf(workOrder)}/${row.id}`),
    })),
  });
  const loaded = orders.flatMap((query) => query.data ?? []);
  const ready = loaded.length === rows.length;
  return (
    <AppModal
      open
      width={720}
      title={text(fill(['打印派工单 · {n} 张', 'Print {n} {n|slip|slips}'], { n: rows.length }))}
      okText={text(['打印', 'Print'])}
      okButtonProps={{ disabled: !ready }}
      onOk={() => window.print()}
      onCancel={close}
    >
      {ready ? (
        <div className="wo-slips">
          <Slips orders={loaded} />
        </div>
      ) : (
        <Skeleton active paragraph={{ rows: 8 }} />
      )}
      {ready &&
        createPortal(
          <div className="wo-print">
            <Slips orders={loaded} />
          </div>,
          document.body,
        )}
    </AppModal>
  );
}

const title = (value: unknown) => (value as RefValue | null)?.title ?? NOTHING;

function Slips({ orders }: { readonly orders: readonly RowData[] }) {
  const text = useText();
  return orders.map((order) => {
    const facts: readonly (readonly [Label, string])[] = [
      [['地址', 'Address'], String(order.address)],
      [['联系人', 'Contact'], `${String(order.contactName)} ${String(order.contactPhone)}`],
      [['分类', 'Category'], title(order.category)],
      [['期望时间', 'Expected'], order.expectedAt ? instantFull(order.expectedAt as string) : NOTHING],
      [['处理人', 'Handler'], title(order.handler)],
      [['完成期限', 'Due'], order.slaDue ? instantFull(order.slaDue as string) : NOTHING],
      [['描述', 'Description'], String(order.description)],
    ];
    return (
      <article key={order.id} className="wo-slip">
        <div>
          <header>
            <strong>{String(order.code)}</strong> {String(order.title)}
          </header>
          <dl>
            {facts.map(([label, value]) => (
              <div key={label[0]}>
                <dt>{text(label)}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
          <p>
            {text(['处理结果', 'Result'])} ____________________　{text(['业主签字', 'Signed by the owner'])}{' '}
            ______________
          </p>
        </div>
        <QRCode
          size={112}
          bordered={false}
          value={`${window.location.origin}/companymanager/cs_orderDetail?id=${order.id}`}
          aria-label={text(['工单二维码', 'QR code of the order'])}
        />
      </article>
    );
  });
}
