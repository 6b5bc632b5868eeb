import { useQuery } from '@tanstack/react-query';
import { Skeleton } from 'antd';
import { call } from '../../../kernel/client/api-client.ts';
import { useLanguageStore, useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { useView } from '../../../kernel/client/view.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import type { CallTrace } from './gate-log.contract.ts';

const time = (at: string) => at.slice(0, 19).replace('T', ' ');

/** Business changes and faults under the trace of a call. */
export function TracePart({ row }: { readonly row: RowData }) {
  const text = useText();
  const view = useView();
  const language = useLanguageStore((state) => state.language);
  const { data, error, refetch } = useQuery({
    queryKey: ['gateLog', 'trace', row.id, language],
    queryFn: ({ signal }) =>
      call<CallTrace>('GET', `/api/admin/gateLog/${row.id}/trace`, { signal, quiet: true }),
  });
  if (error) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton active />;
  const tracing = view.pathOf('serviceZipkinManager');
  const faults = view.pathOf('ssm_systemLog');
  return (
    <>
      {tracing && typeof row.traceId === 'string' && row.traceId !== '' && (
        <button
          type="button"
          className="k-link"
          onClick={() => view.open(`${tracing}?traceId=${String(row.traceId)}`)}
        >
          {text(['查看链路', 'View the trace'])}
        </button>
      )}
      <h4>{text(['业务变更', 'Business changes'])}</h4>
      {data.changes === null ? (
        <p className="k-quiet">{text(['没有查看业务日志的权限', 'You may not read the business log'])}</p>
      ) : data.changes.length === 0 ? (
        <p className="k-quiet">{text(['没有业务变更', 'No business changes'])}</p>
      ) : (
        <ul>
          {data.changes.map((one) => (
            <li key={one.id}>
              <button
                type="button"
                className="k-link"
                onClick={() => view.open(`/sysManager/ssm_businessLog?detail=${one.id}`)}
              >
                {time(one.at)} {one.action} {one.entity}
              </button>
            </li>
          ))}
        </ul>
      )}
      {data.errors !== null && (
        <>
          <h4>{text(['错误', 'Errors'])}</h4>
          {data.errors.length === 0 ? (
            <p className="k-quiet">{text(['没有错误', 'No errors'])}</p>
          ) : (
            <ul>
              {data.errors.map((one) => (
                <li key={one.id}>
                  {time(one.at)}{' '}
                  {text(one.origin === 'server' ? ['服务端', 'Server'] : ['浏览器', 'Browser'])}{' '}
                  {faults ? (
                    <button
                      type="button"
                      className="k-link"
                      onClick={() => view.open(`${faults}?detail=${one.id}`)}
                    >
                      {one.message}
                    </button>
                  ) : (
                    one.message
                  )}
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </>
  );
}
