import { useState } from 'react';
import { Empty, Skeleton, Tag } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { RemoteSelect } from '../../../kernel/client/parts/remote-select.tsx';
import { useView } from '../../../kernel/client/view.ts';
import { rootOf } from '../../../kernel/client/wire.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { WORK_STATES, type WorkState } from '../../../domain/work-order/work-order-words.rules.ts';
import { workPlan, type PlannedDay } from './work-plan.contract.ts';
import { WEEKDAYS } from './days-text.ts';

const clock = (instant: string) => new Date(Date.parse(instant) + 8 * 3_600_000).toISOString().slice(11, 16);

/** The next 30 days of running plans, or of one: who goes when, and the order where it is made. */
export function PlanCalendar({ plan }: { readonly plan?: string }) {
  const text = useText();
  const view = useView();
  const [projects, setProjects] = useState<readonly { readonly id: string; readonly title: string }[]>([]);
  const project = projects.map((one) => one.id).join(',');
  const { data, isError, error, refetch } = useQuery({
    queryKey: ['resource', workPlan.name, 'calendar', plan ?? '', project],
    queryFn: ({ signal }) =>
      call<readonly PlannedDay[]>('GET', `${rootOf(workPlan)}/calendar`, {
        query: { ...(plan ? { plan } : {}), ...(project ? { project } : {}) },
        signal,
        quiet: true,
      }),
  });
  if (isError) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton active paragraph={{ rows: 6 }} />;
  const days = Map.groupBy(data, (one) => businessDayOf(new Date(one.start)));
  const label = text(['项目', 'Project']);
  return (
    <>
      {!plan && (
        <div className="wp-filter">
          <RemoteSelect
            multiple
            target="project"
            label={label}
            placeholder={label}
            value={projects.map((one) => one.id)}
            known={Object.fromEntries(projects.map((one) => [one.id, one.title]))}
            onChange={(_ids, entries) => setProjects(entries)}
          />
        </div>
      )}
      {data.length === 0 && (
        <Empty description={text(['未来30天没有计划', 'Nothing is planned for the next 30 days'])} />
      )}
      <ul className={plan ? 'wp-days wp-narrow' : 'wp-days'}>
        {[...days].map(([day, lines]) => (
          <li key={day}>
            <h3>
              {day.slice(5)}{' '}
              <span className="k-quiet">
                {text(WEEKDAYS[(new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7]!)}
              </span>
            </h3>
            <ul>
              {lines.map((one) => (
                <li key={`${one.planId} ${one.start}`}>
                  <span className="k-number">
                    {clock(one.start)}–{clock(one.end)}
                  </span>{' '}
                  {!plan && <span>{one.plan} </span>}
                  {!plan && projects.length === 0 && <span className="k-quiet">{one.project} </span>}
                  {one.person ? (
                    <span className="k-quiet">{one.person}</span>
                  ) : (
                    <span className="k-problem">{text(['无人可派', 'Nobody'])}</span>
                  )}{' '}
                  {one.order && (
                    <button
                      type="button"
                      className="k-link"
                      title={one.order.code}
                      onClick={() => view.setQuery(new URLSearchParams({ detail: one.order!.id }))}
                    >
                      <Tag>{text(WORK_STATES[one.order.state as WorkState].label)}</Tag>
                    </button>
                  )}
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </>
  );
}
