import { Skeleton, Tag } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import type { ActionScreenProps } from '../../../kernel/client/slots.ts';
import { ReceiptDialog, type ReceiptData } from '../charging/receipt.tsx';

const ROOT = '/api/jinmao/web/billPayment';

/** The receipt of a payment once more; each copy is counted. */
export function Reprint({ row, close, done }: ActionScreenProps) {
  const { data } = useQuery({
    queryKey: ['resource', 'billPayment', 'receipt', row!.id],
    queryFn: ({ signal }) =>
      call<ReceiptData & { readonly prints: number }>('GET', `${ROOT}/${row!.id}/receipt`, { signal }),
  });
  if (!data) return null;
  return (
    <ReceiptDialog
      data={{ ...data, copy: data.prints + 1 }}
      close={close}
      onPrint={async () => {
        await call('POST', `${ROOT}/${row!.id}/receipt`, { body: { version: row!.version } });
        done([row!.id]);
      }}
    />
  );
}

interface Row {
  readonly project: string;
  readonly year: number;
  readonly given: number;
  readonly found: number;
  readonly missing: readonly number[];
}

/** Receipt numbers of each project and year: continuous, or which are missing. */
export function Series({ label }: { readonly label: string }) {
  const text = useText();
  const { data, isError, error, refetch } = useQuery({
    queryKey: ['resource', 'billPayment', 'series'],
    queryFn: ({ signal }) => call<readonly Row[]>('GET', `${ROOT}/series`, { signal, quiet: true }),
  });
  if (isError) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton active paragraph={{ rows: 4 }} />;
  if (data.length === 0) return <p className="k-quiet">{text(['还没有收据', 'No receipts yet'])}</p>;
  return (
    <table className="charging-rows" aria-label={label}>
      <thead>
        <tr>
          <th scope="col">{text(['项目', 'Project'])}</th>
          <th scope="col">{text(['年度', 'Year'])}</th>
          <th scope="col">{text(['已用号数', 'Numbers used'])}</th>
          <th scope="col">{text(['检查', 'Check'])}</th>
        </tr>
      </thead>
      <tbody>
        {data.map((row) => (
          <tr key={`${row.project} ${row.year}`}>
            <td>{row.project}</td>
            <td>{row.year}</td>
            <td>{row.given}</td>
            <td>
              {row.missing.length === 0 ? (
                <Tag color="success">{text(['连续', 'Continuous'])}</Tag>
              ) : (
                <Tag color="error">
                  {text(['缺号 ', 'Missing '])}
                  {row.missing.slice(0, 20).join(', ')}
                </Tag>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
