import { useEffect, useEffectEvent, useState } from 'react';
import { Checkbox, Pagination, Skeleton } from 'antd';
import { useText } from '../../../kernel/client/language.ts';
import { MoneyText } from '../../../kernel/client/parts/money-text.tsx';
import type { SlotInputProps } from '../../../kernel/client/slots.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { ROW_KINDS } from './statement.contract.ts';
import { useBillRows } from './statement-calls.ts';
import './statement.css';

/** The fingerprint of what is confirmed goes along by itself; it is shown so that it can be compared with the printed bill. */
export function HashInput({ id, value, onChange, rows }: SlotInputProps) {
  const hash = String(rows[0]?.rowsHash ?? '');
  // After a conflict the dialog speaks of the bill as it is now.
  const take = useEffectEvent(() => onChange?.(hash));
  useEffect(() => {
    if (value !== hash) take();
  }, [value, hash]);
  return (
    <code id={id} className="st-hash">
      {hash}
    </code>
  );
}

/** What the bank has to show. */
export function AmountDue({ row }: { readonly row: RowData }) {
  const text = useText();
  return (
    <p className="st-due">
      {text(['应付', 'Due'])} <MoneyText value={row.payAmount as string} strong />
      {row.payee ? <span className="k-quiet"> → {String(row.payee)}</span> : null}
    </p>
  );
}

/** The rows of the bill to choose from; what is chosen stays over pages. */
export function LinesPick({ id, value, onChange, rows, disabled }: SlotInputProps) {
  const text = useText();
  const [page, setPage] = useState(1);
  const { data, isPending } = useBillRows(rows[0]!.id, page);
  const chosen = ((value as readonly (string | { id: string })[] | undefined) ?? []).map((one) =>
    typeof one === 'string' ? one : one.id,
  );
  if (isPending) return <Skeleton active paragraph={{ rows: 4 }} title={false} />;
  return (
    <div id={id} className="st-pick" role="group" aria-label={text(['有异议的明细', 'Rows'])}>
      {data?.rows.map((line) => (
        <Checkbox
          key={line.id}
          disabled={disabled}
          checked={chosen.includes(line.id)}
          onChange={(event) =>
            onChange?.(event.target.checked ? [...chosen, line.id] : chosen.filter((one) => one !== line.id))
          }
        >
          <span className="st-pick-row">
            <span className="k-quiet">{String(line.rowNo)}</span>
            <span>{text(ROW_KINDS[line.rowKind as keyof typeof ROW_KINDS].label)}</span>
            <span className="st-pick-title">
              {String(line.orderCode ?? '')} {String(line.title ?? '')}
            </span>
            <MoneyText value={line.net as string} />
          </span>
        </Checkbox>
      ))}
      {(data?.total ?? 0) > 50 && (
        <Pagination
          size="small"
          current={page}
          pageSize={50}
          total={data!.total}
          showSizeChanger={false}
          onChange={setPage}
        />
      )}
      <p className="k-quiet">{text([`已选 ${chosen.length} 行`, `${chosen.length} chosen`])}</p>
    </div>
  );
}
