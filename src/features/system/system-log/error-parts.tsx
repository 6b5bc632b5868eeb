import './system-log.css';
import { useQuery } from '@tanstack/react-query';
import { Skeleton } from 'antd';
import { businessTimeText } from '../../../kernel/contract/time.rules.ts';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { CopyButton } from '../../../kernel/client/parts/copy-button.tsx';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import type { RowData } from '../../../kernel/client/wire.ts';
import type { ErrorDetail } from './error-report.contract.ts';

/** The stack of the newest occurrence, the occurrences, and what was called right before. */
export function ErrorParts({ row }: { readonly row: RowData }) {
  const text = useText();
  const { data, error, refetch } = useQuery({
    queryKey: ['errorReport', 'occurrences', row.id],
    queryFn: ({ signal }) =>
      call<ErrorDetail>('GET', `/api/admin/errorReport/${row.id}/occurrences`, { signal, quiet: true }),
  });
  const stack = String(row.stack ?? '');
  return (
    <div>
      <h4>
        {text(['堆栈', 'Stack'])} {stack !== '' && <CopyButton value={stack} />}
      </h4>
      {stack === '' ? (
        <p className="k-quiet">{text(['没有堆栈', 'No stack'])}</p>
      ) : (
        // Long stacks are scrolled by keys too.
        <pre className="sl-stack" tabIndex={0} aria-label={text(['堆栈', 'Stack'])}>
          {stack}
        </pre>
      )}
      {error ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton active />
      ) : (
        <>
          <Reports reports={data.reports} />
          {data.calls && <Calls calls={data.calls} />}
        </>
      )}
    </div>
  );
}

function Reports({ reports }: Pick<ErrorDetail, 'reports'>) {
  const text = useText();
  return (
    <>
      <h4>{text(['最近 20 次上报', 'The last 20 reports'])}</h4>
      {reports.length === 0 ? (
        <p className="k-quiet">{text(['上报明细保留 30 天，已清理', 'Reports are kept for 30 days'])}</p>
      ) : (
        <div className="sl-box">
          <table className="sl-table">
            <thead>
              <tr>
                <th scope="col">{text(['时间', 'Time'])}</th>
                <th scope="col">{text(['员工', 'Staff'])}</th>
                <th scope="col">{text(['页面或路径', 'Page or path'])}</th>
                <th scope="col">{text(['版本', 'Release'])}</th>
                <th scope="col">{text(['次数', 'Count'])}</th>
                <th scope="col">{text(['链路号', 'Trace'])}</th>
              </tr>
            </thead>
            <tbody>
              {reports.map((one) => (
                <tr key={one.id}>
                  <td>{businessTimeText(one.at)}</td>
                  <td>{one.staff ?? '—'}</td>
                  <td>{one.page}</td>
                  <td>{one.release}</td>
                  <td>{one.times}</td>
                  <td>{one.traceId}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}

function Calls({ calls }: { readonly calls: NonNullable<ErrorDetail['calls']> }) {
  const text = useText();
  return (
    <>
      <h4>{text(['最近一次之前的调用', 'Calls before the newest one'])}</h4>
      {calls.length === 0 ? (
        <p className="k-quiet">{text(['没有记录', 'None'])}</p>
      ) : (
        <div className="sl-box">
          <table className="sl-table">
            <thead>
              <tr>
                <th scope="col">{text(['时间', 'Time'])}</th>
                <th scope="col">{text(['方法', 'Method'])}</th>
                <th scope="col">{text(['路径', 'Path'])}</th>
                <th scope="col">HTTP</th>
                <th scope="col">{text(['毫秒', 'ms'])}</th>
                <th scope="col">{text(['同链路', 'Same trace'])}</th>
              </tr>
            </thead>
            <tbody>
              {calls.map((one, index) => (
                // Two calls may share the second.
                <tr key={`${index}${one.at}`}>
                  <td>{businessTimeText(one.at)}</td>
                  <td>{one.method}</td>
                  <td>{one.path}</td>
                  <td>{one.http}</td>
                  <td>{one.ms}</td>
                  <td>{one.sameTrace ? text(['是', 'Yes']) : ''}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}
