import { useText } from '../../../kernel/client/language.ts';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { StatusTag } from '../../../kernel/client/parts/status-tag.tsx';
import type { RowData } from '../../../kernel/client/wire.ts';
import { commentSlots } from '../../../domain/order-comment/comment-slots.tsx';
import { service } from './service.contract.ts';
import './service.css';

interface CalendarTime {
  readonly project: string;
  readonly at: string;
  readonly capacity: number;
  readonly over: number;
  readonly taken: number;
}

const slots: ScreenSlots = {
  cells: { name: (row) => <NameCell row={row} /> },
  parts: { comments: commentSlots },
  dialogWith: { area: (row) => ({ projects: row.projects }) },
  detailParts: [
    { key: 'times', label: ['未来14天时段', 'Times of 14 days'], render: (row) => <TimesPart row={row} /> },
  ],
};

/** Services: the default list, with the places of the coming days in the detail. */
function ServiceScreen() {
  return <ScreenOf contract={service} slots={slots} />;
}

/** Module of mm_reservationSer. */
export const screen = { contract: service, component: ServiceScreen };

function NameCell({ row }: { readonly row: RowData }) {
  return (
    <>
      {String(row.name)}{' '}
      {row.pendingChange === true && (
        <StatusTag choice={{ label: service.fields.pendingChange.label, tone: 'warning' }} />
      )}
    </>
  );
}

/** Places of the coming times, a row for each day and project. */
function TimesPart({ row }: { readonly row: RowData }) {
  const text = useText();
  const times = (row.times14 ?? []) as readonly CalendarTime[];
  if (times.length === 0)
    return <p className="k-quiet">{text(['14天内没有开放时段', 'Nothing is offered in 14 days'])}</p>;
  const days = new Map<string, CalendarTime[]>();
  for (const time of times) {
    const key = `${time.project} ${time.at.slice(0, 10)}`;
    days.set(key, [...(days.get(key) ?? []), time]);
  }
  return (
    <div className="service-times" role="region" tabIndex={0} aria-label={text(['时段', 'Times'])}>
      {[...days].map(([key, list]) => (
        <div key={key} className="service-day">
          <strong>{key}</strong>
          <ul>
            {list.map((time) => (
              <li
                key={time.at}
                className={
                  time.taken > time.capacity
                    ? 'service-over'
                    : time.taken >= time.capacity + time.over
                      ? 'service-full'
                      : ''
                }
              >
                {time.at.slice(11, 16)}{' '}
                <span>
                  {time.taken}/{time.capacity}
                  {time.over > 0 ? `+${time.over}` : ''}
                </span>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </div>
  );
}
