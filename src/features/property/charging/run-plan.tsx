import { Skeleton } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { MoneyText } from '../../../kernel/client/parts/money-text.tsx';
import type { RowData } from '../../../kernel/client/wire.ts';
import { fill } from '../../../kernel/contract/label.ts';
import { SKIPPED } from './charging-words.rules.ts';

interface Plan {
  readonly bills: readonly {
    readonly house: string;
    readonly item: string;
    readonly from: string;
    readonly to: string;
    readonly due: string;
    readonly amount: string;
  }[];
  readonly skipped: readonly {
    readonly house: string;
    readonly item: string;
    readonly reason: keyof typeof SKIPPED;
  }[];
  readonly counts: { readonly bills: number; readonly skipped: number };
  readonly amount: string;
}

/** What a run would bill now, and what it leaves out with the reason. */
export function RunPlan({ row }: { readonly row: RowData }) {
  const text = useText();
  const { data, isError, error, refetch } = useQuery({
    queryKey: ['resource', 'billingRun', 'plan', row.id, row.version],
    queryFn: ({ signal }) =>
      call<Plan>('GET', `/api/jinmao/web/billingRun/${row.id}/plan`, { signal, quiet: true }),
  });
  if (isError) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton active paragraph={{ rows: 6 }} />;
  return (
    <div className="charging-plan">
      <p>
        {text(
          fill(['将出账 {n} 张，合计 ', '{n} {n|bill|bills} would be made, in all '], {
            n: data.counts.bills,
          }),
        )}
        <MoneyText value={data.amount} strong />
        {text([`，未出账 ${data.counts.skipped} 户项`, `, ${data.counts.skipped} left out`])}
      </p>
      {data.bills.length > 0 && (
        <Rows
          title={text(['将出账', 'To be billed'])}
          head={[
            text(['房屋', 'House']),
            text(['收费项目', 'Fee item']),
            text(['账期', 'Period']),
            text(['到期日', 'Due']),
            text(['金额', 'Amount']),
          ]}
          rows={data.bills.map((one) => [
            one.house,
            one.item,
            `${one.from} ~ ${one.to}`,
            one.due,
            <MoneyText key="amount" value={one.amount} />,
          ])}
        />
      )}
      {data.skipped.length > 0 && (
        <Rows
          title={text(['未出账', 'Left out'])}
          head={[text(['房屋', 'House']), text(['收费项目', 'Fee item']), text(['原因', 'Reason'])]}
          rows={data.skipped.map((one) => [one.house, one.item, text(SKIPPED[one.reason])])}
        />
      )}
    </div>
  );
}

function Rows(props: {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly React.ReactNode[])[];
}) {
  return (
    <table className="charging-rows">
      <caption>{props.title}</caption>
      <thead>
        <tr>
          {props.head.map((one) => (
            <th key={one} scope="col">
              {one}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {props.rows.map((cells, index) => (
          <tr key={index}>
            {cells.map((cell, place) => (
              <td key={place}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
