import {
  lazy,
  Suspense,
  useRef,
  useState,
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
} from 'react';
import { Alert, Button, Input, Segmented, Skeleton } from 'antd';
import { LeftOutlined, RightOutlined } from '@ant-design/icons';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useAction } from '../../../kernel/client/action/use-action.tsx';
import { useAfterAction } from '../../../kernel/client/action/use-after-action.ts';
import { call } from '../../../kernel/client/api-client.ts';
import { NOTHING, weekdayText } from '../../../kernel/client/format.rules.ts';
import { currentLanguage, useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { RemoteSelect } from '../../../kernel/client/parts/remote-select.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import { keysOf, rootOf } from '../../../kernel/client/wire.ts';
import { fill, type Label } from '../../../kernel/contract/label.ts';
import {
  addDays,
  businessDayOf,
  isoInstant,
  startOfBusinessDay,
} from '../../../kernel/contract/time.rules.ts';
import { VISIT_STATES, type VisitState } from '../../../domain/home-service/appointment/visit-words.rules.ts';
import { dayAndTime, refusalText, useVisitSubmit } from '../service-order/visit-calls.ts';
import { VISIT_LISTS } from '../service-order/visits-together.ts';
import { appointment, type CalendarAnswer, type CalendarVisit } from './appointment.contract.ts';
import { DayInput } from './day-input.tsx';
import './appointment.css';

const DetailDrawer = lazy(() =>
  import('../../../kernel/client/detail/detail-drawer.tsx').then((module) => ({
    default: module.DetailDrawer,
  })),
);

const DaySheet = lazy(() => import('./day-sheet.tsx').then((module) => ({ default: module.DaySheet })));

const ROOT = rootOf(appointment);
/** Minutes a drag snaps to, and pixels of an hour. */
const STEP = 30;
const HOUR_PX = 52;
/** How often the calendar asks what other desks did. */
const LIVE_MS = 4_000;
const MOVABLE = ['to_accept', 'assigned'];
/** What the calendar shows and counts: everything but what was released unpaid. */
const SHOWN = Object.keys(VISIT_STATES)
  .filter((state) => state !== 'released')
  .join(',');

/** A column: a person, a service, a day, or the lane of visits nobody has. */
interface Column {
  readonly key: string;
  readonly title: string;
  readonly note: string;
  readonly day: string;
  /** undefined: the column says nothing about the person. */
  readonly personId: string | null | undefined;
  readonly holds: (visit: CalendarVisit) => boolean;
}

/** A visit on its way to another place of the calendar. */
interface Move {
  readonly visit: CalendarVisit;
  readonly column: number;
  readonly minute: number;
}

const minuteOf = (iso: string) => {
  const { time } = dayAndTime(iso);
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
};
const clockText = (minute: number) =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;

/** Week or day of visits; blocks are dragged, or moved with the arrow keys, after the server was asked whether they may. */
export function Calendar({
  slots,
  toggle,
  onList,
}: {
  readonly slots: ScreenSlots;
  readonly toggle: ReactNode;
  readonly onList: (query: Readonly<Record<string, string>>) => void;
}) {
  const text = useText();
  const view = useView();
  const client = useQueryClient();
  const held = useHeld(appointment);
  const action = useAction(appointment, { slots });
  const [day, setDay] = useState(() => businessDayOf(new Date()));
  const [range, setRange] = useState<'day' | 'week'>('day');
  const [by, setBy] = useState<'person' | 'service'>('person');
  const [filters, setFilters] = useState<
    Readonly<Record<'project' | 'service' | 'person', readonly string[]>>
  >({
    project: [],
    service: [],
    person: [],
  });
  const [open, setOpen] = useState<string>();
  const [sheet, setSheet] = useState(false);
  const [move, setMove] = useState<Move>();
  const [drop, setDrop] = useState<Move>();
  const grid = useRef<HTMLDivElement>(null);
  const weekday = (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;
  const from = range === 'day' ? day : addDays(day, -weekday);
  const to = range === 'day' ? day : addDays(from, 6);
  const query = {
    from,
    to,
    ...Object.fromEntries(
      Object.entries(filters).flatMap(([name, ids]) => (ids.length > 0 ? [[name, ids.join(',')]] : [])),
    ),
  };
  const { data, isError, error, refetch } = useQuery({
    queryKey: [appointment.name, 'calendar', query],
    placeholderData: keepPreviousData,
    staleTime: 0,
    refetchInterval: view.active ? LIVE_MS : false,
    queryFn: ({ signal }) => call<CalendarAnswer>('GET', `${ROOT}/calendar`, { query, signal, quiet: true }),
  });
  const visits = data?.visits ?? [];
  const columns = columnsOf(text, range, by, from, data);
  const minutes = visits.flatMap((visit) => [minuteOf(visit.startsAt), minuteOf(visit.endsAt)]);
  const first = Math.floor(Math.min(8 * 60, ...minutes) / 60);
  const last = Math.ceil(Math.max(20 * 60, ...minutes) / 60);
  const y = (minute: number) => ((minute - first * 60) / 60) * HOUR_PX;
  const fresh = () => {
    void client.invalidateQueries({ queryKey: [appointment.name] });
    void client.invalidateQueries({ queryKey: ['visit'] });
    // The calendar has no list of its own from which the others would hear of it.
    for (const name of VISIT_LISTS) void client.invalidateQueries({ queryKey: keysOf.all(name) });
  };

  const mayMove = (visit: CalendarVisit) =>
    MOVABLE.includes(visit.state) && (held('btn_reschedule') || held('btn_assign') || held('btn_reassign'));
  const isChanged = (one: Move) =>
    startOf(one, columns) !== visitStart(one.visit) || personOf(one, columns) !== one.visit.personId;
  const finish = (one: Move | undefined) => {
    setMove(undefined);
    if (one && isChanged(one)) setDrop(one);
  };
  const grab = (event: PointerEvent<HTMLButtonElement>, visit: CalendarVisit, column: number) => {
    if (event.button !== 0 || !mayMove(visit)) return;
    const element = event.currentTarget;
    const startX = event.clientX;
    const startY = event.clientY;
    const minute = minuteOf(visit.startsAt);
    const lane = grid.current!.getBoundingClientRect().width / columns.length;
    let now: Move | undefined;
    const moving = (moved: globalThis.PointerEvent) => {
      const dx = moved.clientX - startX;
      const dy = moved.clientY - startY;
      if (!now && Math.abs(dx) + Math.abs(dy) < 6) return;
      now = {
        visit,
        column: Math.max(0, Math.min(columns.length - 1, column + Math.round(dx / lane))),
        minute: Math.max(0, Math.round((minute + (dy / HOUR_PX) * 60) / STEP) * STEP),
      };
      setMove(now);
    };
    const end = (ended?: Event) => {
      element.removeEventListener('pointermove', moving);
      element.removeEventListener('pointerup', up);
      element.removeEventListener('pointercancel', cancel);
      if (ended?.type === 'pointerup' && now) finish(now);
      else setMove(undefined);
    };
    const up = (ended: Event) => {
      // A drag is no click on the block.
      if (now) element.dataset.dragged = 'yes';
      end(ended);
    };
    const cancel = () => end();
    element.setPointerCapture(event.pointerId);
    element.addEventListener('pointermove', moving);
    element.addEventListener('pointerup', up);
    element.addEventListener('pointercancel', cancel);
  };
  const key = (event: KeyboardEvent, visit: CalendarVisit, column: number) => {
    if (event.key === 'Escape' && move) {
      event.stopPropagation();
      return setMove(undefined);
    }
    if (event.key === 'Enter' && move) {
      event.preventDefault();
      return finish(move);
    }
    const step = { ArrowUp: [0, -STEP], ArrowDown: [0, STEP], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }[
      event.key
    ];
    if (!step || !mayMove(visit)) return;
    event.preventDefault();
    const base = move?.visit.id === visit.id ? move : { visit, column, minute: minuteOf(visit.startsAt) };
    setMove({
      visit,
      column: Math.max(0, Math.min(columns.length - 1, base.column + step[0]!)),
      minute: Math.max(0, Math.min(24 * 60 - STEP, base.minute + step[1]!)),
    });
  };

  return (
    <div className="k-screen ap-screen">
      <header className="k-title">
        <h1>{text(appointment.title)}</h1>
        <div className="k-title-actions">
          {toggle}
          {held('btn_print') && (
            <Button onClick={() => setSheet(true)}>{text(appointment.elements!.btn_print!)}</Button>
          )}
          {held('btn_stop') && (
            <Button onClick={() => action.run('stop')}>{text(appointment.actions!.stop.label)}</Button>
          )}
          {held('btn_add') && (
            <Button type="primary" onClick={() => action.run('create')}>
              {text(appointment.actions!.create.label)}
            </Button>
          )}
        </div>
      </header>
      <Cards data={data} />
      <div className="ap-tools">
        <Button
          icon={<LeftOutlined />}
          aria-label={text(['往前', 'Back'])}
          onClick={() => setDay(addDays(day, range === 'day' ? -1 : -7))}
        />
        <DayInput day={day} onChange={setDay} />
        <Button
          icon={<RightOutlined />}
          aria-label={text(['往后', 'On'])}
          onClick={() => setDay(addDays(day, range === 'day' ? 1 : 7))}
        />
        <Button onClick={() => setDay(businessDayOf(new Date()))}>{text(['今天', 'Today'])}</Button>
        <Segmented
          value={range}
          onChange={(next) => setRange(next as 'day' | 'week')}
          options={[
            { value: 'day', label: text(['日', 'Day']) },
            { value: 'week', label: text(['周', 'Week']) },
          ]}
        />
        {range === 'day' && (
          <Segmented
            value={by}
            onChange={(next) => setBy(next as 'person' | 'service')}
            options={[
              { value: 'person', label: text(['按人员', 'People']) },
              { value: 'service', label: text(['按服务', 'Services']) },
            ]}
          />
        )}
        {(['project', 'service', 'person'] as const).map((name) => (
          <span key={name} className="ap-filter">
            <RemoteSelect
              multiple
              target={name === 'project' ? 'project' : name === 'service' ? 'visitService' : 'visitPerson'}
              label={text(appointment.fields[name].label)}
              placeholder={text(appointment.fields[name].label)}
              value={filters[name]}
              known={{}}
              onChange={(ids) => setFilters({ ...filters, [name]: ids })}
            />
          </span>
        ))}
      </div>
      {isError && !data ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton active />
      ) : (
        <div className="ap-scroll">
          <div className="ap-grid" style={{ '--ap-columns': columns.length } as React.CSSProperties}>
            <div className="ap-corner" />
            <div className="ap-head">
              {columns.map((column) => (
                <div key={column.key}>
                  <b>{column.title}</b>
                  <small className="k-quiet">{column.note}</small>
                </div>
              ))}
            </div>
            <div className="ap-hours">
              {Array.from({ length: last - first }, (_, index) => (
                <span key={index} style={{ height: HOUR_PX }}>
                  {clockText((first + index) * 60)}
                </span>
              ))}
            </div>
            <div ref={grid} className="ap-lanes" style={{ height: (last - first) * HOUR_PX }}>
              {columns.map((column, index) => (
                <div key={column.key} className="ap-lane">
                  {sideBySide(visits.filter(column.holds)).map(({ visit, at, of }) => (
                    <Block
                      key={visit.id}
                      visit={visit}
                      top={y(minuteOf(visit.startsAt))}
                      height={y(minuteOf(visit.endsAt)) - y(minuteOf(visit.startsAt))}
                      before={y(minuteOf(visit.startsAt)) - y(minuteOf(visit.busyFrom))}
                      after={y(minuteOf(visit.busyTo)) - y(minuteOf(visit.endsAt))}
                      left={at / of}
                      width={1 / of}
                      person={data.people.find((one) => one.id === visit.personId)?.name}
                      moving={move?.visit.id === visit.id}
                      movable={mayMove(visit)}
                      onPointerDown={(event) => grab(event, visit, index)}
                      onKeyDown={(event) => key(event, visit, index)}
                      onOpen={() => setOpen(visit.id)}
                    />
                  ))}
                </div>
              ))}
              {move && (
                <Ghost
                  move={move}
                  columns={columns}
                  top={y(move.minute)}
                  height={y(minuteOf(move.visit.endsAt)) - y(minuteOf(move.visit.startsAt))}
                />
              )}
            </div>
          </div>
          {visits.length === 0 && (
            <p className="k-quiet ap-empty">{text(['这段时间没有预约', 'No visits in this time'])}</p>
          )}
        </div>
      )}
      {data && data.heat.length > 0 && range === 'week' && (
        <Heat
          data={data}
          from={from}
          onList={(cell) => {
            const { from: _from, to: _to, ...chosen } = query;
            onList({ ...chosen, ...cell, tab: 'all', state: SHOWN });
          }}
        />
      )}
      {drop && (
        <DropDialog
          move={drop}
          columns={columns}
          close={() => setDrop(undefined)}
          done={() => {
            setDrop(undefined);
            fresh();
          }}
        />
      )}
      <Suspense fallback={null}>
        {sheet && <DaySheet first={day} close={() => setSheet(false)} />}
        {open !== undefined && (
          <DetailDrawer
            resource={appointment}
            slots={slots}
            id={open}
            siblings={visits.map((visit) => visit.id)}
            action={action}
            onMove={setOpen}
            onClose={() => setOpen(undefined)}
          />
        )}
      </Suspense>
      {action.element}
    </div>
  );
}

function Cards({ data }: { readonly data: CalendarAnswer | undefined }) {
  const text = useText();
  const cards = data?.cards;
  const percent = (value: string | null | undefined) => (value == null ? NOTHING : `${value}%`);
  const shown: readonly (readonly [Label, string, Label])[] = [
    [
      ['预约数', 'Visits'],
      String(cards?.visits ?? NOTHING),
      ['未释放的预约', 'Appointments that were not released'],
    ],
    [
      ['占用率', 'Occupancy'],
      percent(cards?.occupancy),
      ['已开始时段：已约 / 容量', 'Started times: taken / capacity'],
    ],
    [['爽约率', 'Missed'], percent(cards?.noShow), ['爽约 / (完成 + 爽约)', 'Missed / (done + missed)']],
    [
      ['超额数', 'Overbooked'],
      String(cards?.overbooked ?? NOTHING),
      ['超出容量的预约', 'Above the capacity'],
    ],
    [
      ['平均受理', 'To accept'],
      cards?.acceptMinutes == null
        ? NOTHING
        : text([`${cards.acceptMinutes}分钟`, `${cards.acceptMinutes} min`]),
      ['支付到派单的工作时间', 'Business time from payment to person'],
    ],
    [['准时率', 'Punctual'], percent(cards?.punctual), ['计划开始15分钟内到达', 'Started within 15 minutes']],
  ];
  return (
    <ul className="ap-cards">
      {shown.map(([label, value, hint]) => (
        <li key={label[0]} title={text(hint)}>
          <small>{text(label)}</small>
          <b
            className={label[0] === '超额数' && (cards?.overbooked ?? 0) > 0 ? 'k-number k-bad' : 'k-number'}
          >
            {value}
          </b>
        </li>
      ))}
    </ul>
  );
}

function Block(props: {
  readonly visit: CalendarVisit;
  readonly top: number;
  readonly height: number;
  readonly before: number;
  readonly after: number;
  readonly left: number;
  readonly width: number;
  readonly person: string | undefined;
  readonly moving: boolean;
  readonly movable: boolean;
  readonly onPointerDown: (event: PointerEvent<HTMLButtonElement>) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly onOpen: () => void;
}) {
  const text = useText();
  const { visit, top, height, before, after } = props;
  const state = VISIT_STATES[visit.state as VisitState];
  const marks = [
    `ap-${state.tone}`,
    visit.conflict || visit.overbooked ? 'ap-red' : '',
    props.moving ? 'ap-moving' : '',
    props.movable ? 'ap-movable' : '',
  ].join(' ');
  const place = { left: `${props.left * 100}%`, width: `calc(${props.width * 100}% - 4px)` };
  const times = `${dayAndTime(visit.startsAt).time}–${dayAndTime(visit.endsAt).time}`;
  return (
    <>
      {before > 0 && <i className="ap-buffer" style={{ ...place, top: top - before, height: before }} />}
      <button
        type="button"
        className={`ap-block ${marks}`}
        style={{ ...place, top, height }}
        title={`${visit.code} ${times} ${visit.service} ${visit.contact} ${visit.address}`}
        onPointerDown={props.onPointerDown}
        onKeyDown={props.onKeyDown}
        onClick={(event) => {
          if (event.currentTarget.dataset.dragged) delete event.currentTarget.dataset.dragged;
          else if (!props.moving) props.onOpen();
        }}
      >
        <b>
          {times} {visit.service}
        </b>
        <span>
          {visit.contact} {props.person && `· ${props.person}`}
        </span>
        <span>
          {text(state.label)}
          {visit.overbooked && ` · ${text(['超额', 'Overbooked'])}`}
          {visit.conflict && ` · ${text(['冲突', 'Conflict'])}`}
        </span>
      </button>
      {after > 0 && <i className="ap-buffer" style={{ ...place, top: top + height, height: after }} />}
    </>
  );
}

/** Where a visit would land, green when it may and red with the reason when not. */
function Ghost({
  move,
  columns,
  top,
  height,
}: {
  readonly move: Move;
  readonly columns: readonly Column[];
  readonly top: number;
  readonly height: number;
}) {
  const text = useText();
  const verdict = useVerdict(move, columns);
  return (
    <div
      className={`ap-ghost ${verdict === undefined ? '' : verdict === true ? 'ap-good' : 'ap-bad'}`}
      role="status"
      style={{
        top,
        height,
        left: `${(move.column / columns.length) * 100}%`,
        width: `${100 / columns.length}%`,
      }}
    >
      <b>
        {clockText(move.minute)} {columns[move.column]?.title}
      </b>
      <span>
        {verdict === undefined ? '…' : verdict === true ? text(['可以移到这里', 'May go here']) : verdict}
      </span>
    </div>
  );
}

/** Asks the server about a place: undefined while it is asked, true, or why not. */
function useVerdict(move: Move, columns: readonly Column[]): true | string | undefined {
  const text = useText();
  const at = startOf(move, columns);
  const person = personOf(move, columns);
  const { data: people } = useQuery({
    queryKey: ['visit', ROOT, move.visit.id, 'candidates', at],
    queryFn: ({ signal }) =>
      call<readonly { id: string; refusal: string | null }[]>('GET', `${ROOT}/${move.visit.id}/candidates`, {
        query: { startsAt: at },
        signal,
        quiet: true,
      }),
  });
  const { data: times } = useQuery({
    queryKey: ['visit', ROOT, move.visit.id, 'times'],
    queryFn: ({ signal }) =>
      call<{ times: readonly { at: string; left: number }[] }>('GET', `${ROOT}/${move.visit.id}/times`, {
        signal,
        quiet: true,
      }),
  });
  if (!people || !times) return undefined;
  if (at !== visitStart(move.visit)) {
    const found = times.times.find((one) => Date.parse(one.at) === Date.parse(at));
    if (!found) return text(['该时段不可预约', 'This time is not offered']);
    if (found.left === 0) return text(['该时段已约满', 'This time is full']);
  }
  if (person === null)
    return move.visit.personId === null ? true : text(['不能移回未派单', 'A visit keeps its person']);
  const found = people.find((one) => one.id === person);
  return found
    ? (found.refusal ?? true)
    : text(['人员不属于该商户', 'The person works for another merchant']);
}

/** Says what the drop does, asks why where a time or a person changes, and sends it; a refused one snaps back. */
function DropDialog({
  move,
  columns,
  close,
  done,
}: {
  readonly move: Move;
  readonly columns: readonly Column[];
  readonly close: () => void;
  readonly done: () => void;
}) {
  const text = useText();
  const submit = useVisitSubmit(ROOT);
  const after = useAfterAction(appointment);
  const [reason, setReason] = useState('');
  const verdict = useVerdict(move, columns);
  const { visit } = move;
  const at = startOf(move, columns);
  const person = personOf(move, columns);
  const sameTime = at === visitStart(visit);
  const name = sameTime ? (visit.state === 'assigned' ? 'reassign' : 'assign') : 'reschedule';
  const needsReason = name !== 'assign';
  const body = {
    version: visit.version,
    ...(name === 'reschedule' ? { startsAt: at } : {}),
    ...(person !== null && person !== visit.personId ? { person } : {}),
    ...(needsReason ? { reason: reason.trim() } : {}),
  };
  return (
    <AppModal
      open
      title={`${text(appointment.actions![name].label)} · ${visit.code}`}
      okText={text(appointment.actions![name].label)}
      okButtonProps={{
        disabled: verdict !== true || submit.locked || (needsReason && reason.trim().length < 2),
      }}
      confirmLoading={submit.busy}
      onOk={() =>
        submit.send(`/${visit.id}/${name}`, body, () => {
          after(name, appointment.actions![name], [visit.id]);
          done();
        })
      }
      onCancel={close}
    >
      <p>
        {visit.service} · {dayAndTime(visit.startsAt).day} {dayAndTime(visit.startsAt).time} →{' '}
        <b>
          {dayAndTime(at).day} {dayAndTime(at).time}{' '}
          {person !== null && columns[move.column]?.personId ? columns[move.column]!.title : ''}
        </b>
      </p>
      {needsReason && (
        <Input
          autoFocus
          aria-label={text(['原因', 'Reason'])}
          placeholder={text(['请填写原因', 'Please give a reason'])}
          maxLength={100}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
      )}
      {typeof verdict === 'string' && <Alert type="error" showIcon title={verdict} />}
      {submit.error && <Alert type="error" showIcon title={refusalText(submit.error)} />}
    </AppModal>
  );
}

/** Visits by hour and weekday of the shown week; a click opens exactly those in the list. */
function Heat({
  data,
  from,
  onList,
}: {
  readonly data: CalendarAnswer;
  readonly from: string;
  readonly onList: (query: Readonly<Record<string, string>>) => void;
}) {
  const text = useText();
  const most = Math.max(...data.heat.map((cell) => cell.visits));
  const hours = [...new Set(data.heat.map((cell) => cell.hour))].sort((a, b) => a - b);
  return (
    <section className="ap-heat">
      <h2>{text(['时段热度', 'Busy hours'])}</h2>
      <table>
        <tbody>
          {hours.map((hour) => (
            <tr key={hour}>
              <th scope="row">{clockText(hour * 60)}</th>
              {[1, 2, 3, 4, 5, 6, 7].map((weekday) => {
                const cell = data.heat.find((one) => one.hour === hour && one.weekday === weekday);
                const day = addDays(from, weekday - 1);
                return (
                  <td key={weekday}>
                    {cell && (
                      <button
                        type="button"
                        style={{ '--ap-share': cell.visits / most } as React.CSSProperties}
                        title={`${day} ${clockText(hour * 60)}`}
                        onClick={() => onList({ startsAt: `${day}~${day}`, hour: String(hour) })}
                      >
                        {cell.visits}
                      </button>
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function columnsOf(
  text: (label: Label) => string,
  range: 'day' | 'week',
  by: 'person' | 'service',
  from: string,
  data: CalendarAnswer | undefined,
): Column[] {
  if (!data) return [];
  const booked = (day: string) => {
    const found = data.days.find((one) => one.day === day);
    return found ? `${found.booked} / ${found.capacity}` : '';
  };
  if (range === 'week')
    return Array.from({ length: 7 }, (_, index) => {
      const day = addDays(from, index);
      return {
        key: day,
        title: `${day.slice(5)} ${weekdayText((index + 1) % 7, currentLanguage())}`,
        note: booked(day),
        day,
        personId: undefined,
        holds: (visit) => dayAndTime(visit.startsAt).day === day,
      };
    });
  const lane: Column = {
    key: 'none',
    title: text(['未派单', 'Unassigned']),
    note: booked(from),
    day: from,
    personId: null,
    holds: (visit) => visit.personId === null,
  };
  if (by === 'service')
    return data.services.map((service) => ({
      key: service.id,
      title: service.name,
      note: '',
      day: from,
      personId: undefined,
      holds: (visit) => visit.serviceId === service.id,
    }));
  return [
    lane,
    ...data.people.map((person) => ({
      key: person.id,
      title: person.name,
      note: text(
        fill(['{n}单', '{n} {n|visit|visits}'], {
          n: data.visits.filter((visit) => visit.personId === person.id).length,
        }),
      ),
      day: from,
      personId: person.id,
      holds: (visit: CalendarVisit) => visit.personId === person.id,
    })),
  ];
}

/** Visits of a column that overlap stand beside each other. */
function sideBySide(visits: readonly CalendarVisit[]) {
  const ends: string[] = [];
  const placed = visits.map((visit) => {
    const free = ends.findIndex((end) => Date.parse(end) <= Date.parse(visit.startsAt));
    const at = free < 0 ? ends.length : free;
    ends[at] = visit.endsAt;
    return { visit, at };
  });
  return placed.map((one) => ({ ...one, of: Math.max(1, ends.length) }));
}

const visitStart = (visit: CalendarVisit) => isoInstant(new Date(visit.startsAt));

function startOf(move: Move, columns: readonly Column[]): string {
  const day = columns[move.column]?.day ?? dayAndTime(move.visit.startsAt).day;
  return isoInstant(new Date(startOfBusinessDay(day).getTime() + move.minute * 60_000));
}

/** Whom the visit would have: a column of a day or a service leaves the person as it is. */
function personOf(move: Move, columns: readonly Column[]): string | null {
  const wanted = columns[move.column]?.personId;
  return wanted === undefined ? move.visit.personId : wanted;
}
