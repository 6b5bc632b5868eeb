import './client.css';
import { useRef, useState, type PointerEvent } from 'react';
import { Input, Skeleton } from 'antd';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useAction } from '../../../kernel/client/action/use-action.tsx';
import { call, newIdempotencyKey } from '../../../kernel/client/api-client.ts';
import { message, tellFault } from '../../../kernel/client/feedback.ts';
import { instantShort } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { countsQuery, readListState } from '../../../kernel/client/list/list-state.rules.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { TabList } from '../../../kernel/client/parts/tab-list.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import { keysOf, type RowData } from '../../../kernel/client/wire.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { STAGES, type Stage } from '../../../domain/commercial-client/client.rules.ts';
import { commercialClient, type ClientBoard as Board, type ClientCard } from './client.contract.ts';

/** Pixels a pointer moves before a card is taken up. */
const SLOP = 6;

interface Taken {
  readonly card: ClientCard;
  readonly stage: string;
}
interface Drag extends Taken {
  readonly x: number;
  readonly y: number;
  readonly over: string | undefined;
}

const STATES = commercialClient.states as Readonly<Record<string, { readonly label: Label }>>;
const rowOf = ({ card, stage }: Taken): RowData =>
  ({
    id: card.id,
    version: card.version,
    name: card.name,
    state: stage,
    actions: card.actions,
  }) as unknown as RowData;

/** Clients by stage: a card is dragged to its next stage, or moved with the keyboard through the same action. */
export function ClientBoard({ slots }: { readonly slots: ScreenSlots }) {
  const text = useText();
  const view = useView();
  const client = useQueryClient();
  const fresh = () => void client.invalidateQueries({ queryKey: keysOf.all(commercialClient.name) });
  const action = useAction(commercialClient, { slots, onDone: fresh });
  const [drag, setDrag] = useState<Drag>();
  const [back, setBack] = useState<Taken & { readonly to: string }>();
  const [reason, setReason] = useState('');
  const start = useRef<Taken & { readonly x: number; readonly y: number }>(undefined);
  const state = readListState(commercialClient, view.query);
  const tabs = commercialClient.list.tabs!;
  const query = { ...countsQuery(state), ...(state.tab ? { tab: state.tab } : {}) };
  const { data, isError, error, refetch } = useQuery({
    queryKey: [...keysOf.all(commercialClient.name), 'board', query],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      call<Board>('GET', '/api/jinmao/web/client/board', { query, signal, quiet: true }),
  });
  const move = useMutation({
    mutationFn: (input: Taken & { readonly to: string; readonly reason?: string }) =>
      call('POST', `/api/jinmao/web/client/${input.card.id}/advance`, {
        body: {
          version: input.card.version,
          stage: input.to,
          ...(input.reason ? { reason: input.reason } : {}),
        },
        idempotencyKey: newIdempotencyKey(),
      }),
    onSuccess: (_answer, { card, to }) => {
      void message.success(
        text([`${card.name} → ${STATES[to]!.label[0]}`, `${card.name} → ${STATES[to]!.label[1]}`]),
        2,
      );
      setBack(undefined);
      fresh();
    },
    onError: tellFault,
  });
  const drop = (taken: Taken, to: string) => {
    if (to === taken.stage) return;
    if (to === 'lost') return action.run('lose', rowOf(taken));
    if (taken.stage === 'lost') return action.run('revive', rowOf(taken));
    // Going back is said why, before it is asked for.
    if (to !== 'signed' && STAGES.indexOf(to as Stage) < STAGES.indexOf(taken.stage as Stage)) {
      setReason('');
      setBack({ ...taken, to });
    } else move.mutate({ ...taken, to });
  };
  const down = (taken: Taken) => (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0) return;
    start.current = { ...taken, x: event.clientX, y: event.clientY };
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const moved = (event: PointerEvent<HTMLElement>) => {
    const begun = start.current;
    if (!begun || (!drag && Math.hypot(event.clientX - begun.x, event.clientY - begun.y) < SLOP)) return;
    const over = document.elementFromPoint(event.clientX, event.clientY)?.closest<HTMLElement>('[data-stage]')
      ?.dataset.stage;
    setDrag({ card: begun.card, stage: begun.stage, x: event.clientX, y: event.clientY, over });
  };
  const up = () => {
    const begun = start.current;
    start.current = undefined;
    if (!begun) return;
    if (!drag) return view.open(`/yueshang/details?id=${begun.card.id}`);
    setDrag(undefined);
    if (drag.over) drop(drag, drag.over);
  };
  const cancel = () => {
    start.current = undefined;
    setDrag(undefined);
  };
  if (isError && !data) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton active paragraph={{ rows: 10 }} />;
  return (
    <>
      <TabList
        label={text(commercialClient.title)}
        tabs={tabs.map(({ key, label }) => ({ key, label: text(label) }))}
        active={state.tab}
        onChange={(tab) => {
          const next = new URLSearchParams(view.query);
          next.set('tab', tab);
          view.setQuery(next);
        }}
      />
      <p className="k-quiet k-small">
        {text([
          '拖动卡片变更阶段；键盘：选中卡片，空格变更阶段，回车打开。按列表的筛选显示',
          'Drag a card to change its stage; keyboard: space changes it, Enter opens it. Shown by the filters of the list',
        ])}
      </p>
      <div className="cl-board">
        {data.columns.map((column) => (
          <section
            key={column.stage}
            data-stage={column.stage}
            className={`cl-column${drag?.over === column.stage && drag.stage !== column.stage ? ' cl-over' : ''}`}
            aria-label={text(STATES[column.stage]!.label)}
          >
            <h2>
              {text(STATES[column.stage]!.label)} <span className="k-quiet">{column.count}</span>
            </h2>
            <p className="k-quiet k-small">
              Σ {Number(column.areaMin)}–{Number(column.areaMax)} m²
            </p>
            <ul>
              {column.cards.map((card) => (
                <li key={card.id}>
                  <button
                    type="button"
                    className={`cl-card${drag?.card.id === card.id ? ' cl-taken' : ''}`}
                    onPointerDown={down({ card, stage: column.stage })}
                    onPointerMove={moved}
                    onPointerUp={up}
                    onPointerCancel={cancel}
                    onKeyDown={(event) => {
                      if (event.key === ' ') {
                        event.preventDefault();
                        action.run(
                          column.stage === 'lost' ? 'revive' : 'advance',
                          rowOf({ card, stage: column.stage }),
                        );
                      } else if (event.key === 'Enter') {
                        event.preventDefault();
                        view.open(`/yueshang/details?id=${card.id}`);
                      }
                    }}
                  >
                    <strong>{card.brand || card.name}</strong>
                    {card.brand && <span className="k-small">{card.name}</span>}
                    <span className="k-quiet k-small">
                      {[card.level, card.owner || text(['公海', 'Pool']), card.area && `${card.area} m²`]
                        .filter(Boolean)
                        .join(' · ')}
                    </span>
                    {card.nextFollowAt && (
                      <span
                        className={`k-small${new Date(card.nextFollowAt) < new Date() ? ' cl-late' : ''}`}
                      >
                        {text(['下次', 'Next'])} {instantShort(card.nextFollowAt)}
                      </span>
                    )}
                  </button>
                </li>
              ))}
            </ul>
            {column.count > column.cards.length && (
              <p className="k-quiet k-small">
                {text([
                  `还有 ${column.count - column.cards.length} 个，请在表格查看`,
                  `${column.count - column.cards.length} more in the table`,
                ])}
              </p>
            )}
          </section>
        ))}
      </div>
      {drag && (
        <div className="cl-ghost" style={{ left: drag.x + 8, top: drag.y + 8 }} aria-hidden="true">
          {drag.card.brand || drag.card.name}
        </div>
      )}
      {back && (
        <AppModal
          open
          title={text([`退回到「${STATES[back.to]!.label[0]}」`, `Back to “${STATES[back.to]!.label[1]}”`])}
          onCancel={() => setBack(undefined)}
          okButtonProps={{ disabled: reason.trim().length === 0 }}
          confirmLoading={move.isPending}
          onOk={() => move.mutate({ ...back, reason: reason.trim() })}
        >
          <Input.TextArea
            aria-label={text(['原因', 'Reason'])}
            placeholder={text(['退回原因', 'Why it goes back'])}
            maxLength={200}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        </AppModal>
      )}
      {action.element}
    </>
  );
}
