import { useQuery } from '@tanstack/react-query';
import { Alert, Button, Skeleton } from 'antd';
import { call } from '../../../kernel/client/api-client.ts';
import { useLanguageStore, useText } from '../../../kernel/client/language.ts';
import { CopyButton } from '../../../kernel/client/parts/copy-button.tsx';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { useView } from '../../../kernel/client/view.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import type { RecordDetail } from './business-log.contract.ts';
import './business-log.css';

/** The fields of a record before and after, and where it stands in the hash chain. */
export function DifferencePart({ row }: { readonly row: RowData }) {
  const text = useText();
  const view = useView();
  const language = useLanguageStore((state) => state.language);
  const { data, error, refetch } = useQuery({
    queryKey: ['auditRecord', 'difference', row.id, language],
    queryFn: ({ signal }) =>
      call<RecordDetail>('GET', `/api/admin/auditRecord/${row.id}/difference`, { signal, quiet: true }),
  });
  if (error) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton active />;
  const { chain, differences, route } = data;
  return (
    <div className="bl-part">
      {differences.length === 0 ? (
        <p className="k-quiet">{text(['此记录没有字段变化', 'This record changed no fields'])}</p>
      ) : (
        <table className="bl-table">
          <thead>
            <tr>
              <th scope="col">{text(['字段', 'Field'])}</th>
              <th scope="col">{text(['之前', 'Before'])}</th>
              <th scope="col">{text(['之后', 'After'])}</th>
            </tr>
          </thead>
          <tbody>
            {differences.map((one, index) => (
              // Two columns of a table may bear the same name.
              <tr key={`${index}${one.field}`}>
                <th scope="row">{one.field}</th>
                <td>{one.before}</td>
                <td>{one.after}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {route && (
        <p>
          <Button onClick={() => view.open(route)}>{text(['查看数据', 'Open the record'])}</Button>
        </p>
      )}
      <h4>{text(['哈希链', 'Hash chain'])}</h4>
      {!chain ? (
        <p className="k-quiet">
          {text(['尚未封存，一分钟内完成', 'Not sealed yet; this takes a minute at most'])}
        </p>
      ) : (
        <>
          {!chain.intact && (
            <Alert
              type="error"
              showIcon
              title={text(['记录与封存的哈希不符', 'The record does not fit the sealed hash'])}
            />
          )}
          <dl className="bl-chain">
            <dt>{text(['链上位置', 'Position'])}</dt>
            <dd>{chain.no}</dd>
            <dt>{text(['上一哈希', 'Hash before'])}</dt>
            <dd>
              <code>{chain.before}</code> <CopyButton value={chain.before} />
            </dd>
            <dt>{text(['本条哈希', 'Own hash'])}</dt>
            <dd>
              <code>{chain.hash}</code> <CopyButton value={chain.hash} />
            </dd>
            <dt>{text(['封存时间', 'Sealed'])}</dt>
            <dd>{chain.sealedAt.slice(0, 19).replace('T', ' ')}</dd>
          </dl>
        </>
      )}
    </div>
  );
}
