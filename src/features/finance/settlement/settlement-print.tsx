import { BillPaper, PrintDialog, type PrintedBill } from '../../../domain/statement/bill-paper.tsx';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { MoneyText } from '../../../kernel/client/parts/money-text.tsx';
import type { ActionScreenProps } from '../../../kernel/client/slots.ts';
import { keysOf, rootOf } from '../../../kernel/client/wire.ts';
import { ROW_KINDS } from '../../mall/account-statement/statement.contract.ts';
import { settlement } from './settlement.contract.ts';
import './settlement.css';

const SUMS = [
  'gross',
  'freight',
  'refunds',
  'commission',
  'channelFee',
  'adjustments',
  'carryIn',
  'cover',
  'payable',
  'payAmount',
  'carryOut',
] as const;

/** A statement on paper or as a PDF of the browser: its sums, all rows and the fingerprint; the payee is masked. */
export function PrintSettlement({ row, close }: ActionScreenProps) {
  const text = useText();
  const bill = useQuery({
    queryKey: [...keysOf.row(settlement.name, row!.id), 'print'],
    queryFn: ({ signal }) =>
      call<PrintedBill>('GET', `${rootOf(settlement)}/${row!.id}/print`, { signal, quiet: true }),
  });
  return (
    <PrintDialog
      title={['打印结算单', 'Print the statement']}
      bill={bill}
      close={close}
      paper={(data) => (
        <BillPaper
          title={['结算单', 'Statement']}
          contract={settlement}
          kinds={ROW_KINDS}
          data={data}
          sums={
            <dl className="fs-sums">
              {SUMS.map((name) => (
                <div key={name}>
                  <dt>{text(settlement.fields[name].label)}</dt>
                  <dd>
                    <MoneyText value={data.bill[name] as string | null} />
                  </dd>
                </div>
              ))}
            </dl>
          }
        />
      )}
    />
  );
}
