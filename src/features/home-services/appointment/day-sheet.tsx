import { useState } from 'react';
import { createPortal } from 'react-dom';
import { Skeleton } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { rootOf } from '../../../kernel/client/wire.ts';
import { VISIT_STATES, type VisitState } from '../../../domain/home-service/appointment/visit-words.rules.ts';
import { dayAndTime } from '../service-order/visit-calls.ts';
import { appointment, type CalendarAnswer } from './appointment.contract.ts';
import { DayInput } from './day-input.tsx';
import './appointment.css';

/** 日程单: the visits of a day, one sheet per person. Names are masked as everywhere. */
export function DaySheet({ first, close }: { readonly first: string; readonly close: () => void }) {
  const text = useText();
  const [day, setDay] = useState(first);
  const { data } = useQuery({
    queryKey: [appointment.name, 'calendar', 'sheet', day],
    queryFn: ({ signal }) =>
      call<CalendarAnswer>('GET', `${rootOf(appointment)}/calendar`, {
        query: { from: day, to: day },
        signal,
      }),
  });
  const sheets = data && <Sheets day={day} data={data} />;
  return (
    <AppModal
      open
      width={760}
      title={text(['打印日程单', 'Print the day sheet'])}
      okText={text(['打印', 'Print'])}
      okButtonProps={{ disabled: !data || data.visits.length === 0 }}
      onOk={() => window.print()}
      onCancel={close}
    >
      <DayInput day={day} onChange={setDay} />
      <div className="ap-sheets">{sheets ?? <Skeleton active />}</div>
      {sheets && createPortal(<div className="ap-print">{sheets}</div>, document.body)}
    </AppModal>
  );
}

function Sheets({ day, data }: { readonly day: string; readonly data: CalendarAnswer }) {
  const text = useText();
  const live = data.visits.filter((visit) =>
    ['to_accept', 'assigned', 'serving', 'done'].includes(visit.state),
  );
  const people = [...data.people, { id: null, name: text(['未派单', 'Unassigned']) }];
  const named = people.filter((one) => live.some((visit) => visit.personId === one.id));
  if (named.length === 0) return <p className="k-quiet">{text(['当天没有预约', 'No visits on this day'])}</p>;
  return named.map((one) => (
    <section key={one.id ?? 'none'} className="ap-sheet">
      <h3>
        {one.name} · {day}
      </h3>
      <table>
        <thead>
          <tr>
            <th>{text(['时间', 'Time'])}</th>
            <th>{text(['服务', 'Service'])}</th>
            <th>{text(['联系人', 'Contact'])}</th>
            <th>{text(['地址', 'Address'])}</th>
            <th>{text(['状态', 'Status'])}</th>
          </tr>
        </thead>
        <tbody>
          {live
            .filter((visit) => visit.personId === one.id)
            .map((visit) => (
              <tr key={visit.id}>
                <td>
                  {dayAndTime(visit.startsAt).time}–{dayAndTime(visit.endsAt).time}
                </td>
                <td>
                  {visit.service} {visit.code}
                </td>
                <td>{visit.contact}</td>
                <td>
                  {visit.project} {visit.address}
                </td>
                <td>{text(VISIT_STATES[visit.state as VisitState].label)}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </section>
  ));
}
