import {
  lazy,
  Suspense,
  useEffect,
  useId,
  useRef,
  useState,
  type KeyboardEvent,
  type PointerEvent,
} from 'react';
import { Alert, Input, Skeleton } from 'antd';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useAction } from '../../../kernel/client/action/use-action.tsx';
import { ApiError, call, newIdempotencyKey } from '../../../kernel/client/api-client.ts';
import { message } from '../../../kernel/client/feedback.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { RemoteSelect } from '../../../kernel/client/parts/remote-select.tsx';
import { useSubmitGuard } from '../../../kernel/client/parts/use-guard.ts';
import { useView } from '../../../kernel/client/view.ts';
import { keysOf, rootOf } from '../../../kernel/client/wire.ts';
import { URGENCIES, WORK_STATES } from '../../../domain/work-order/work-order-words.rules.ts';
import { DueText } from '../work-order/due-text.tsx';
import { dueTone } from '../work-order/due.rules.ts';
import { orderSlotsAt } from '../work-order/order-slots.tsx';
import { workOrder } from '../work-order/work-order.contract.ts';
import { maintenance, type Board, type BoardCard, type BoardPerson } from './maintenance.contract.ts';

const DetailDrawer = lazy(() =>
  import('../../../kernel/client/detail/detail-drawer.tsx').then((module) => ({
    default: module.DetailDrawer,
  })),
);

const ROOT = rootOf(maintenance);
const SLOTS = orderSlotsAt(ROOT);
/** How often the board asks what other desks did. */
const LIVE_MS = 4_000;
/** Pixels a pointer moves before a card is taken up. */
const SLOP = 6;

/** A card under the pointer. */
interface Drag {
  readonly card: BoardCard;
  readonly x: number;
  readonly y: number;
  readonly over: string | undefined;
}

/** 派单台: open repairs by state at the left, people on duty at the right; a card is dragged to a person, or sent with the keyboard. */
export function BoardPart() {
  const text = useText();
  const view = useView();
  const client = useQueryClient();
  const held = useHeld(maintenance);
  const action = useAction(maintenance, { slots: SLOTS, onDone: () => void refetch() });
  const mayDispatch = held('btn_dispatch');
  const [project, setProject] = useState<readonly string[]>([]);
  const [titles, setTitles] = useState<Readonly<Record<string, string>>>({});
  const [drag, setDrag] = useState<Drag>();
  /** Taken up with the keyboard: the next person chosen gets it. */
  const [picked, setPicked] = useState<BoardCard>();
  const [giving, setGiving] = useState<{ readonly card: BoardCard; readonly person: BoardPerson }>();
  const [opened, setOpened] = useState<string>();
  const start = useRef<{ card: BoardCard; x: number; y: number }>(undefined);
  const people = useRef<HTMLUListElement>(null);
  const from = useRef<HTMLElement>(null);
  const { data, isPending, isError, error, refetch } = useQuery({
    queryKey: [maintenance.name, 'board', project.join(',')],
    placeholderData: keepPreviousData,
    refetchInterval: view.active && !drag && !giving ? LIVE_MS : false,
    staleTime: 0,
    queryFn: ({ signal }) =>
      call<Board>('GET', `${ROOT}/board`, { query: { project: project.join(',') }, signal, quiet: true }),
  });
  const moving = drag?.card ?? picked;
  const { data: fit } = useQuery({
    queryKey: ['candidates', ROOT, moving?.id],
    enabled: moving !== undefined,
    staleTime: 0,
    queryFn: ({ signal }) =>
      call<readonly { id: string; refusal: string | null }[]>('GET', `${ROOT}/${moving!.id}/candidates`, {
        signal,
        quiet: true,
      }),
  });
  const refusalOf = (person: string) => {
    if (!moving || !fit) return null;
    if (moving.handler?.id === person) return text(['当前处理人', 'Has it now']);
    const found = fit.find((one) => one.id === person);
    return found ? found.refusal : text(['不在该公司', 'Of another company']);
  };
  const pick = (card: BoardCard, element: HTMLElement) => {
    from.current = element;
    setPicked(card);
    people.current?.querySelector<HTMLElement>('button')?.focus();
  };
  const drop = () => {
    setPicked(undefined);
    from.current?.focus();
  };
  const give = (card: BoardCard, person: BoardPerson) => {
    if (refusalOf(person.id))
      return void message.warning(
        text([`${person.name}：${refusalOf(person.id)}`, `${person.name}: ${refusalOf(person.id)}`]),
        3,
      );
    setGiving({ card, person });
  };
  const down = (card: BoardCard) => (event: PointerEvent<HTMLElement>) => {
    if (!mayDispatch || event.button !== 0) return;
    start.current = { card, x: event.clientX, y: event.clientY };
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const move = (event: PointerEvent<HTMLElement>) => {
    const begun = start.current;
    if (!begun) return;
    if (!drag && Math.hypot(event.clientX - begun.x, event.clientY - begun.y) < SLOP) return;
    const over = document
      .elementFromPoint(event.clientX, event.clientY)
      ?.closest<HTMLElement>('[data-person]')?.dataset.person;
    setDrag({ card: begun.card, x: event.clientX, y: event.clientY, over });
  };
  const up = () => {
    const begun = start.current;
    start.current = undefined;
    if (!drag) {
      if (begun) setOpened(begun.card.id);
      return;
    }
    const person = data?.people.find((one) => one.id === drag.over);
    if (person) give(drag.card, person);
    setDrag(undefined);
  };
  const cancel = () => {
    start.current = undefined;
    setDrag(undefined);
  };
  const arrows = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key === 'Escape' && picked) {
      event.preventDefault();
      event.stopPropagation();
      return drop();
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const buttons = [...(people.current?.querySelectorAll<HTMLElement>('button') ?? [])];
    const at = buttons.indexOf(document.activeElement as HTMLElement);
    buttons[(at + step + buttons.length) % buttons.length]?.focus();
  };
  if (isPending) return <Skeleton active paragraph={{ rows: 12 }} className="mt-waits" />;
  if (isError && !data) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  return (
    <div className="mt-board">
      <header className="mt-head">
        <h1 className="mt-title">{text(maintenance.title)}</h1>
        <RemoteSelect
          target="project"
          multiple
          label={text(['项目', 'Project'])}
          placeholder={text(['全部项目', 'All projects'])}
          value={project}
          known={titles}
          onChange={(ids, entries) => {
            setProject(ids);
            setTitles(Object.fromEntries(entries.map((one) => [one.id, one.title])));
          }}
        />
        <p className="k-quiet k-small" role="status" aria-live="polite">
          {picked
            ? text([
                `已选中 ${picked.code}，用上下键选择人员，回车派单，Esc 取消`,
                `${picked.code} taken up: arrow keys choose a person, Enter gives it, Esc leaves`,
              ])
            : mayDispatch
              ? text([
                  '拖动卡片到右侧人员派单；键盘：选中卡片按空格',
                  'Drag a card to a person; keyboard: press space on a card',
                ])
              : ''}
        </p>
      </header>
      <div className="mt-body">
        <div className="mt-columns">
          {data!.columns.map((column) => (
            <section
              key={column.state}
              className="mt-column"
              aria-label={text(WORK_STATES[column.state].label)}
            >
              <h2>
                {text(WORK_STATES[column.state].label)} <span className="k-quiet">{column.count}</span>
              </h2>
              <ul>
                {column.cards.map((card) => (
                  <li key={card.id}>
                    <Card
                      card={card}
                      taken={moving?.id === card.id}
                      onPointerDown={down(card)}
                      onPointerMove={move}
                      onPointerUp={up}
                      onPointerCancel={cancel}
                      onOpen={() => setOpened(card.id)}
                      onPick={mayDispatch ? (element) => pick(card, element) : undefined}
                    />
                  </li>
                ))}
                {column.cards.length === 0 && <li className="mt-none k-quiet">{text(['无', 'None'])}</li>}
                {column.count > column.cards.length && (
                  <li className="k-quiet k-small">
                    {text([
                      `还有${column.count - column.cards.length}张，请到工单管理查看`,
                      `${column.count - column.cards.length} more under work orders`,
                    ])}
                  </li>
                )}
              </ul>
            </section>
          ))}
        </div>
        <aside className="mt-people" aria-label={text(['在岗人员', 'People on duty'])}>
          <h2>
            {text(['在岗人员', 'On duty'])} <span className="k-quiet">{data!.people.length}</span>
          </h2>
          {/* The arrow keys walk along the people while a card is taken up. */}
          {/* eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
          <ul ref={people} onKeyDown={arrows}>
            {data!.people.map((person) => {
              const refusal = refusalOf(person.id);
              return (
                <li key={person.id}>
                  <button
                    type="button"
                    data-person={person.id}
                    className={[
                      'mt-person',
                      drag?.over === person.id ? 'mt-over' : '',
                      refusal ? 'mt-refused' : '',
                    ].join(' ')}
                    aria-disabled={refusal !== null || !picked}
                    onClick={() => picked && give(picked, person)}
                  >
                    <strong>{person.name}</strong>
                    <span className="k-number">
                      {text([`在手${person.open}`, `${person.open} open`])} ·{' '}
                      {text([`今日完成${person.finishedToday}`, `${person.finishedToday} done today`])}
                    </span>
                    <small className="k-quiet">{person.skills.join(text(['、', ', ']))}</small>
                    <small className={refusal ? 'k-problem' : 'k-quiet'}>
                      {refusal ?? (person.area || text(['全部项目', 'All projects']))}
                    </small>
                  </button>
                </li>
              );
            })}
            {data!.people.length === 0 && (
              <li className="k-quiet">{text(['没有在岗的服务人员', 'Nobody is on duty'])}</li>
            )}
          </ul>
        </aside>
      </div>
      {drag && (
        <div className="mt-ghost" style={{ left: drag.x + 8, top: drag.y + 8 }} aria-hidden="true">
          {drag.card.code}
          <br />
          {drag.card.title}
        </div>
      )}
      {giving && (
        <GiveDialog
          {...giving}
          onClose={() => {
            setGiving(undefined);
            drop();
          }}
          onDone={() => {
            setGiving(undefined);
            drop();
            void refetch();
            void client.invalidateQueries({ queryKey: keysOf.all(workOrder.name) });
          }}
        />
      )}
      {opened && (
        <Suspense>
          <DetailDrawer
            resource={maintenance}
            id={opened}
            slots={SLOTS}
            siblings={data!.columns.flatMap((column) => column.cards.map((card) => card.id))}
            action={action}
            onMove={setOpened}
            onClose={() => {
              setOpened(undefined);
              void refetch();
            }}
          />
        </Suspense>
      )}
      {action.element}
    </div>
  );
}

function Card(props: {
  readonly card: BoardCard;
  readonly taken: boolean;
  readonly onPointerDown: (event: PointerEvent<HTMLElement>) => void;
  readonly onPointerMove: (event: PointerEvent<HTMLElement>) => void;
  readonly onPointerUp: () => void;
  readonly onPointerCancel: () => void;
  readonly onOpen: () => void;
  readonly onPick: ((element: HTMLElement) => void) | undefined;
}) {
  const { card } = props;
  const text = useText();
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, []);
  const tone = card.paused ? 'none' : dueTone(card.dueAt, card.targetMinutes, card.usedMinutes, now);
  return (
    <button
      type="button"
      className={`mt-card mt-${tone}${props.taken ? ' mt-taken' : ''}`}
      onPointerDown={props.onPointerDown}
      onPointerMove={props.onPointerMove}
      onPointerUp={props.onPointerUp}
      onPointerCancel={props.onPointerCancel}
      onKeyDown={(event) => {
        if (event.key === ' ' && props.onPick) {
          event.preventDefault();
          props.onPick(event.currentTarget);
        } else if (event.key === 'Enter') {
          event.preventDefault();
          props.onOpen();
        }
      }}
    >
      <span className="mt-line">
        <strong>{card.title}</strong>
        {card.urgency !== 'normal' && (
          <em className={`mt-urgency k-tone-${URGENCIES[card.urgency].tone}`}>
            {text(URGENCIES[card.urgency].label)}
          </em>
        )}
      </span>
      <span className="k-quiet k-small mt-address">{card.address}</span>
      <span className="mt-line k-small">
        <span>
          {card.handler?.title ??
            (card.waits ? text(['人工派单', 'By hand']) : text(['待派单', 'Unassigned']))}
        </span>
        {card.paused ? text(['已暂停', 'Paused']) : <DueText until={card.dueAt} />}
      </span>
      <span className="k-quiet k-small k-number">
        {card.code} · {card.category}
      </span>
    </button>
  );
}

/** Whom the card goes to, and why. What somebody has accepted is transferred and needs a reason. */
function GiveDialog({
  card,
  person,
  onClose,
  onDone,
}: {
  readonly card: BoardCard;
  readonly person: BoardPerson;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const text = useText();
  const id = useId();
  const guard = useSubmitGuard();
  const key = useRef<string>(undefined);
  const [reason, setReason] = useState('');
  const [error, setError] = useState<ApiError>();
  const isTransfer = card.state !== 'pending_system' && card.state !== 'to_accept';
  const submit = () =>
    guard.run(async () => {
      key.current ??= newIdempotencyKey();
      setError(undefined);
      try {
        await call('POST', `${ROOT}/${card.id}/${isTransfer ? 'transfer' : 'dispatch'}`, {
          body: {
            version: card.version,
            ...(isTransfer
              ? { to: person.id, reason: reason.trim() }
              : { handler: person.id, ...(reason.trim() ? { note: reason.trim() } : {}) }),
          },
          idempotencyKey: key.current,
          quiet: true,
        });
        key.current = undefined;
        void message.success(text([`已派给${person.name}`, `Given to ${person.name}`]), 2);
        onDone();
      } catch (caught) {
        if (!(caught instanceof ApiError)) throw caught;
        if (caught.http !== 0 && caught.http !== 504) key.current = undefined;
        setError(caught);
      }
    });
  const label = isTransfer ? text(['转单', 'Transfer']) : text(['派单', 'Dispatch']);
  return (
    <AppModal
      open
      title={`${label} · ${card.code}`}
      okText={label}
      okButtonProps={{ disabled: (isTransfer && reason.trim().length < 2) || (guard.locked && !guard.busy) }}
      confirmLoading={guard.busy}
      onOk={() => void submit()}
      onCancel={onClose}
    >
      <p>
        {card.title}
        {card.handler && ` · ${card.handler.title}`} → <strong>{person.name}</strong>
      </p>
      <label htmlFor={id}>
        {text(['原因', 'Reason'])}
        {isTransfer && <b aria-hidden="true"> *</b>}
      </label>
      <Input
        id={id}
        autoFocus
        maxLength={200}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
        onPressEnter={() => (!isTransfer || reason.trim().length >= 2) && void submit()}
      />
      {error && (
        <Alert
          className="k-dialog-error"
          type="error"
          showIcon
          title={Object.values(error.fields).join('；') || error.message}
        />
      )}
    </AppModal>
  );
}
