import { BillPaper, PrintDialog } from '../../../domain/statement/bill-paper.tsx';
import type { ActionScreenProps } from '../../../kernel/client/slots.ts';
import { Equation } from './statement-parts.tsx';
import { ROW_KINDS, statement } from './statement.contract.ts';
import { usePrintedBill } from './statement-calls.ts';

/** The bill on paper or as a PDF of the browser: all rows, the sums and the fingerprint; names and phones stay away. */
export function PrintBill({ row, close }: ActionScreenProps) {
  return (
    <PrintDialog
      title={['打印账单', 'Print the bill']}
      bill={usePrintedBill(row!.id)}
      close={close}
      paper={(data) => (
        <BillPaper
          title={statement.title}
          contract={statement}
          kinds={ROW_KINDS}
          data={data}
          sums={<Equation row={data.bill} />}
        />
      )}
    />
  );
}
