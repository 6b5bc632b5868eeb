import { useQuery } from '@tanstack/react-query';
import type { PrintedBill, RowSums } from '../../../domain/statement/bill-paper.tsx';
import { call } from '../../../kernel/client/api-client.ts';
import { keysOf, rootOf, type RowData } from '../../../kernel/client/wire.ts';
import { statement, statementLine, type DisputeWire } from './statement.contract.ts';

/** A bill with its parts, as the detail sends it. */
export type BillRow = RowData & {
  readonly disputes?: readonly DisputeWire[];
  readonly totals?: { readonly all: RowSums; readonly completed: RowSums };
};

/** What a bill is printed with. */
export function usePrintedBill(id: string) {
  return useQuery({
    queryKey: [...keysOf.row(statement.name, id), 'print'],
    queryFn: ({ signal }) =>
      call<PrintedBill>('GET', `${rootOf(statement)}/${encodeURIComponent(id)}/print`, { signal }),
  });
}

/** Rows of a bill for choosing among them. */
export function useBillRows(id: string, page: number) {
  return useQuery({
    queryKey: [...keysOf.all(statementLine.name), 'pick', id, page],
    queryFn: ({ signal }) =>
      call<{ total: number; rows: readonly RowData[] }>('GET', `${rootOf(statementLine)}/page`, {
        query: { statement: id, page, limit: 50, sort: 'rowNo' },
        signal,
      }),
  });
}
