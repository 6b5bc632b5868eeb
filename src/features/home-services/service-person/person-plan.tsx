import { Skeleton } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { instantShort, weekdayText } from '../../../kernel/client/format.rules.ts';
import { useLanguageStore, useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { StatusTag } from '../../../kernel/client/parts/status-tag.tsx';
import { useView } from '../../../kernel/client/view.ts';
import { keysOf, rootOf } from '../../../kernel/client/wire.ts';
import { VISIT_STATES } from '../../../domain/home-service/appointment/visit-words.rules.ts';
import { appointment } from '../appointment/appointment.contract.ts';
import { servicePerson, type PersonPlan, type PersonVisit } from './service-person.contract.ts';
import './service-person.css';

function usePlan(id: string) {
  return useQuery({
    queryKey: [...keysOf.row(servicePerson.name, id), 'plan'],
    queryFn: ({ signal }) => call<PersonPlan>('GET', `${rootOf(servicePerson)}/${id}/plan`, { signal }),
  });
}

/** A visit; it opens in the list of appointments for those who hold it. */
function VisitCode({ visit }: { readonly visit: PersonVisit }) {
  const view = useView();
  const path = view.pathOf(appointment.menu);
  return path ? (
    <button type="button" className="k-link" onClick={() => view.open(`${path}?detail=${visit.id}`)}>
      {visit.code}
    </button>
  ) : (
    <>{visit.code}</>
  );
}

/** Two weeks of a person: hours, leave, and what is planned. */
export function RosterCalendar({ id }: { readonly id: string }) {
  const text = useText();
  const language = useLanguageStore((state) => state.language);
  const plan = usePlan(id);
  if (plan.isError) return <ErrorPanel error={plan.error} onRetry={() => void plan.refetch()} />;
  if (!plan.data) return <Skeleton active />;
  return (
    <ul className="person-days">
      {plan.data.days.map((day) => (
        <li key={day.day} className={day.hours.length === 0 ? 'person-off' : ''}>
          <strong>
            {day.day.slice(5)} {weekdayText(new Date(`${day.day}T00:00:00Z`).getUTCDay(), language)}
          </strong>
          <span className="k-quiet k-small">{day.hours.join(' ') || text(['休息', 'Off'])}</span>
          {day.leave.map((leave) => (
            <span key={leave} className="k-small k-bad">
              {text(['请假', 'Leave'])} {leave}
            </span>
          ))}
          {day.visits.map((visit) => (
            <span key={visit.id} className="k-small">
              {visit.startsAt.slice(11, 16)}–{visit.endsAt.slice(11, 16)} {visit.service} · {visit.project}{' '}
              <VisitCode visit={visit} />
              {visit.overbooked && <span className="k-bad"> {text(['超额', 'Overbooked'])}</span>}
            </span>
          ))}
        </li>
      ))}
    </ul>
  );
}

/** What a person did of late, and how it was rated. */
export function LatestVisits({ id }: { readonly id: string }) {
  const text = useText();
  const plan = usePlan(id);
  if (plan.isError) return <ErrorPanel error={plan.error} onRetry={() => void plan.refetch()} />;
  if (!plan.data) return <Skeleton active />;
  const { latest, comments, score } = plan.data;
  return (
    <>
      <p>
        {text([
          `近180天 ${comments} 条评价${score === null ? '，满5条显示评分' : `，评分 ${score}`}`,
          `${comments} comments in 180 days${score === null ? ', a score is shown from five on' : `, score ${score}`}`,
        ])}
      </p>
      {latest.length === 0 ? (
        <p className="k-quiet">{text(['还没有预约', 'No appointments yet'])}</p>
      ) : (
        <ul className="person-visits">
          {latest.map((visit) => (
            <li key={visit.id}>
              <VisitCode visit={visit} />
              <span>{instantShort(visit.startsAt)}</span>
              <span>
                {visit.service} · {visit.project}
              </span>
              <StatusTag choice={VISIT_STATES[visit.state]} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
