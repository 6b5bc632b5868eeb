import { Skeleton } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { FileLinks } from './refund-vouchers.tsx';
import { keysOf, type RowData } from '../../../kernel/client/wire.ts';
import { refund } from './refund.contract.ts';
import type { RefundParts } from './refund-parts.ts';
import { VOUCHER_ELEMENTS } from './refund-words.rules.ts';

/** Reason of the application and of its end, and the vouchers of an offline refund. */
export function ReasonPart({ row }: { readonly row: RowData }) {
  const text = useText();
  const held = useHeld(refund);
  const { offline, cashReason } = row.parts as RefundParts;
  return (
    <>
      {['btn_reason', 'btn_audit', 'btn_auditFinance'].some(held) ? (
        <ReasonText id={row.id} />
      ) : (
        <p className="k-quiet">{text(['您没有查看原因的权限', 'You may not view the reason'])}</p>
      )}
      {cashReason && (
        <p>
          <span className="k-quiet">{text(['金额调整原因', 'Why the amount was changed'])}：</span>
          {cashReason}
        </p>
      )}
      {offline && VOUCHER_ELEMENTS.some(held) && (
        <section className="k-facts-section">
          <h3>{text(['线下退款凭证', 'Vouchers of the offline refund'])}</h3>
          <FileLinks refundId={row.id} />
        </section>
      )}
    </>
  );
}

/** The reason itself, read when it is opened. */
export function ReasonText({ id }: { readonly id: string }) {
  const { data, isPending, isError, error, refetch } = useQuery({
    queryKey: [...keysOf.row(refund.name, id), 'reason'],
    queryFn: ({ signal }) =>
      call<string>('GET', '/api/jinmao/web/refundAudit/viewReason/', {
        query: { auditId: id },
        signal,
        quiet: true,
      }),
  });
  if (isPending) return <Skeleton active title={false} paragraph={{ rows: 2 }} />;
  if (isError) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  return <p className="k-lines refund-reason">{data}</p>;
}
