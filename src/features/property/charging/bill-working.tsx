import { Skeleton } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { keysOf, type RowData } from '../../../kernel/client/wire.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { FORMULAS, type FormulaKind } from '../../../domain/charging/principal.rules.ts';

/** How the principal of a bill came about, as it was billed; empty for a bill written by hand. */
interface Working {
  readonly formula?: FormulaKind;
  readonly lines: readonly Label[];
}

/** 计算过程 of a bill. */
export function BillWorking({ row }: { readonly row: RowData }) {
  const text = useText();
  const { data, isError, error, refetch } = useQuery({
    queryKey: [...keysOf.all('bill'), 'working', row.id, row.version],
    queryFn: ({ signal }) =>
      call<Working>('GET', `/api/jinmao/web/bill/${row.id}/working`, { signal, quiet: true }),
  });
  if (isError) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton active paragraph={{ rows: 3 }} />;
  if (!data.formula && data.lines.length === 0)
    return <p className="k-quiet">{text(['金额由人工或导入填写', 'Written by hand or imported'])}</p>;
  return (
    <div className="charging-plan">
      {data.formula && <p>{text(FORMULAS[data.formula].label)}</p>}
      <ul>
        {data.lines.map((line) => (
          <li key={line[1]}>{text(line)}</li>
        ))}
      </ul>
    </div>
  );
}
