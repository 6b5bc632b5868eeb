import { useEffect } from 'react';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import type { Report } from '../../../kernel/contract/report.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { lastOf } from './business-marks.rules.ts';

/** A report about months, which starts with the present one. */
export function MonthReport({ contract, slots }: { readonly contract: Report; readonly slots: ScreenSlots }) {
  const view = useView();
  const missing = view.query.get('range') === null;
  useEffect(() => {
    if (!missing) return;
    const month = businessDayOf(new Date()).slice(0, 7);
    const query = new URLSearchParams(view.query);
    query.set('range', `${month}-01~${lastOf(month)}`);
    view.setQuery(query);
  }, [missing, view]);
  return missing ? null : <ScreenOf contract={contract} slots={slots} />;
}

/** The number of a contract or client, which opens it. */
export function RowLink({ row }: { readonly row: RowData }) {
  const view = useView();
  const code = String(row.code ?? '');
  const path = (row.drill as { readonly code?: string } | undefined)?.code;
  if (!path || !view.mayOpen(path)) return <>{code}</>;
  return (
    <button type="button" className="k-link" onClick={() => view.open(path)}>
      {code}
    </button>
  );
}
