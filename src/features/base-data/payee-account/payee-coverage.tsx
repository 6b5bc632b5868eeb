import { Segmented, Skeleton } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { useView } from '../../../kernel/client/view.ts';
import { rootOf } from '../../../kernel/client/wire.ts';
import { BUSINESS_TYPES, PAYEE_CHANNELS } from '../../../domain/payee/payee.rules.ts';
import { payeeAccount } from './payee-account.contract.ts';

interface Answer {
  readonly channel: string;
  readonly rows: readonly {
    readonly projectId: string;
    readonly projectName: string;
    readonly centreName: string;
    readonly cells: Readonly<Record<string, { readonly code: string; readonly name: string } | null>>;
  }[];
}

/** Projects by business: which account applies today. A cell opens the trial of its question; empty ones are red. */
export function Coverage() {
  const text = useText();
  const view = useView();
  const channel = view.query.get('channel') ?? 'alipay';
  const answer = useQuery({
    queryKey: ['payeeCoverage', channel],
    queryFn: ({ signal }) =>
      call<Answer>('GET', `${rootOf(payeeAccount)}/coverage`, { signal, query: { channel } }),
  });
  const open = (project: string, business: string) =>
    view.setQuery(new URLSearchParams({ part: 'which', project, business, channel }));
  return (
    <div className="k-screen payee-pad">
      <Segmented
        value={channel}
        options={Object.entries(PAYEE_CHANNELS).map(([value, choice]) => ({
          value,
          label: text(choice.label),
        }))}
        onChange={(value) => view.setQuery(new URLSearchParams({ part: 'coverage', channel: value }))}
      />
      <div className="payee-ladder">
        {answer.isError ? (
          <ErrorPanel error={answer.error} onRetry={() => void answer.refetch()} />
        ) : answer.isPending ? (
          <Skeleton active paragraph={{ rows: 6 }} />
        ) : answer.data.rows.length === 0 ? (
          <p className="k-quiet">{text(['没有启用的项目', 'No enabled projects'])}</p>
        ) : (
          <table className="payee-matrix">
            <caption className="k-quiet">
              {text(['今日适用的账户，红色为未配置', 'Accounts that apply today; red cells have none'])}
            </caption>
            <thead>
              <tr>
                <th scope="col">{text(['项目', 'Project'])}</th>
                {Object.entries(BUSINESS_TYPES).map(([key, choice]) => (
                  <th key={key} scope="col">
                    {text(choice.label)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {answer.data.rows.map((row) => (
                <tr key={row.projectId}>
                  <th scope="row">
                    {row.projectName} <span className="k-quiet">{row.centreName}</span>
                  </th>
                  {Object.keys(BUSINESS_TYPES).map((business) => {
                    const cell = row.cells[business];
                    return (
                      <td key={business} className={cell ? '' : 'payee-empty'}>
                        <button
                          type="button"
                          className="k-link"
                          title={cell?.name}
                          onClick={() => open(row.projectId, business)}
                        >
                          {cell?.code ?? text(['未配置', 'None'])}
                        </button>
                      </td>
                    );
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </div>
    </div>
  );
}
