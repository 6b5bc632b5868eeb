import { Alert, DatePicker, Select, Table, Tag } from 'antd';
import dayjs from 'dayjs';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { RemoteSelect } from '../../../kernel/client/parts/remote-select.tsx';
import { StatusTag } from '../../../kernel/client/parts/status-tag.tsx';
import { useView } from '../../../kernel/client/view.ts';
import { rootOf } from '../../../kernel/client/wire.ts';
import {
  ASSIGNED_BUSINESS,
  BUSINESS_TYPES,
  MATCHED_LEVELS,
  NO_PAYEE,
  NOT_CHOSEN,
  PAYEE_CHANNELS,
} from '../../../domain/payee/payee.rules.ts';
import { payeeAccount } from './payee-account.contract.ts';

interface Candidate {
  readonly accountId: string;
  readonly accountCode: string;
  readonly accountName: string;
  readonly visible: boolean;
  readonly level: keyof typeof MATCHED_LEVELS;
  readonly object: string | null;
  readonly businessType: keyof typeof ASSIGNED_BUSINESS | null;
  readonly assignmentId: string | null;
  readonly reason: keyof typeof NOT_CHOSEN;
}

interface Answer {
  readonly accountId: string | null;
  readonly matchedLevel: keyof typeof MATCHED_LEVELS | null;
  readonly candidates: readonly Candidate[];
}

/** Which account a payment would use, with the ladder of every other candidate and why not. The link holds the question. */
export function WhichAccount() {
  const text = useText();
  const view = useView();
  const ask = (name: string) => view.query.get(name) ?? '';
  const set = (name: string, value: string) => {
    const query = new URLSearchParams(view.query);
    if (value) query.set(name, value);
    else query.delete(name);
    view.setQuery(query);
  };
  const [project, time] = [ask('project'), ask('time')];
  const business = ask('business') in BUSINESS_TYPES ? ask('business') : 'goods';
  const channel = ask('channel') in PAYEE_CHANNELS ? ask('channel') : 'alipay';
  const answer = useQuery({
    queryKey: ['payeeResolve', project, business, channel, time],
    enabled: project !== '',
    queryFn: ({ signal }) =>
      call<Answer>('GET', `${rootOf(payeeAccount)}/resolve`, {
        signal,
        query: { projectId: project, businessType: business, channel, ...(time ? { time } : {}) },
      }),
  });
  const names = useQuery({
    queryKey: ['payeeProjectName', project],
    enabled: project !== '',
    queryFn: ({ signal }) =>
      call<readonly { id: string; title: string }[]>('GET', '/api/jinmao/web/options/project', {
        signal,
        query: { ids: project },
        quiet: true,
      }),
  });
  const chosen = answer.data?.candidates.find((one) => one.reason === 'chosen');
  const list = (choices: Readonly<Record<string, { readonly label: readonly [string, string] }>>) =>
    Object.entries(choices).map(([value, choice]) => ({ value, label: text(choice.label) }));
  return (
    <div className="k-screen payee-pad">
      <div className="payee-inline">
        <label>
          {text(['项目', 'Project'])}
          <RemoteSelect
            target="project"
            label={text(['项目', 'Project'])}
            value={project ? [project] : []}
            known={Object.fromEntries((names.data ?? []).map((one) => [one.id, one.title]))}
            onChange={(ids) => set('project', ids[0] ?? '')}
          />
        </label>
        <label>
          {text(['业务', 'Business'])}
          <Select
            value={business}
            options={list(BUSINESS_TYPES)}
            aria-label={text(['业务', 'Business'])}
            onChange={(value) => set('business', value)}
          />
        </label>
        <label>
          {text(['渠道', 'Channel'])}
          <Select
            value={channel}
            options={list(PAYEE_CHANNELS)}
            aria-label={text(['渠道', 'Channel'])}
            onChange={(value) => set('channel', value)}
          />
        </label>
        <label>
          {text(['时间', 'Time'])}
          <DatePicker
            showTime
            value={time ? dayjs(time) : null}
            placeholder={text(['现在', 'Now'])}
            aria-label={text(['时间', 'Time'])}
            onChange={(value) => set('time', value ? value.format('YYYY-MM-DDTHH:mm:ssZ') : '')}
          />
        </label>
      </div>
      <div className="payee-ladder" aria-live="polite">
        {project === '' ? (
          <p className="k-quiet">{text(['请选择项目', 'Choose a project'])}</p>
        ) : answer.isError ? (
          <ErrorPanel error={answer.error} onRetry={() => void answer.refetch()} />
        ) : (
          <>
            {answer.data &&
              (chosen ? (
                <Alert
                  type="success"
                  showIcon
                  title={`${chosen.accountName}（${chosen.accountCode}）`}
                  description={text([
                    `匹配规则：${MATCHED_LEVELS[chosen.level].label[0]} · ${chosen.object ?? '全部公司'}`,
                    `Rule that matched: ${MATCHED_LEVELS[chosen.level].label[1]} · ${chosen.object ?? 'every company'}`,
                  ])}
                />
              ) : (
                <Alert type="error" showIcon title={text(NO_PAYEE)} />
              ))}
            <Table<Candidate>
              size="small"
              className="payee-ladder"
              rowKey={(one) => `${one.assignmentId ?? one.accountId}`}
              loading={answer.isPending}
              pagination={false}
              dataSource={[...(answer.data?.candidates ?? [])]}
              columns={[
                {
                  title: text(['层级', 'Level']),
                  render: (_, one) => text(MATCHED_LEVELS[one.level].label),
                },
                {
                  title: text(['对象', 'Object']),
                  render: (_, one) => one.object ?? text(['全部公司', 'Every company']),
                },
                {
                  title: text(['业务', 'Business']),
                  render: (_, one) => one.businessType && text(ASSIGNED_BUSINESS[one.businessType].label),
                },
                {
                  title: text(['账户', 'Account']),
                  render: (_, one) =>
                    one.visible ? (
                      <button
                        type="button"
                        className="k-link"
                        onClick={() => view.setQuery(new URLSearchParams({ detail: one.accountId }))}
                      >
                        {one.accountName} <Tag>{one.accountCode}</Tag>
                      </button>
                    ) : (
                      <>
                        {one.accountName} <Tag>{one.accountCode}</Tag>
                      </>
                    ),
                },
                {
                  title: text(['结果', 'Result']),
                  render: (_, one) => <StatusTag choice={NOT_CHOSEN[one.reason]} />,
                },
              ]}
            />
          </>
        )}
      </div>
    </div>
  );
}
