import { useState } from 'react';
import { Alert, Button, Segmented, Skeleton } from 'antd';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { PageTitle } from '../../../kernel/client/parts/page-title.tsx';
import { RemoteSelect } from '../../../kernel/client/parts/remote-select.tsx';
import { useOptionPages } from '../../../kernel/client/parts/use-options.ts';
import { useView } from '../../../kernel/client/view.ts';
import { keysOf } from '../../../kernel/client/wire.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { contractMine, MINE } from '../contract/contract.contract.ts';
import { boardPosition, position } from '../position/position.contract.ts';
import {
  draftQuery,
  firstFree,
  lastOfMonths,
  type BoardRow,
  type Chosen,
  type Range,
} from './board.rules.ts';
import { Gantt } from './gantt.tsx';
import './board.css';

const FloorPlan = lazyPart(() => import('./floor-plan.tsx').then((module) => module.FloorPlan));
const BarCard = lazyPart(() => import('./bar-card.tsx').then((module) => module.BarCard));
const HoldDialog = lazyPart(() => import('./hold-dialog.tsx').then((module) => module.HoldDialog));

/** Positions one call holds at most. Source: group 17, pointList. */
const MOST = 20;
/** How many months may be shown. */
const SPANS = [3, 6, 12, 24] as const;
/** Days a click on a position offers. */
const OFFERED = 30;
/** How often the board asks what other desks did. */
const LIVE_MS = 15_000;

/** Positions of a project in time, or on the floor plan on a day; free days of several are held at once. */
export function Board() {
  const text = useText();
  const view = useView();
  const client = useQueryClient();
  const held = useHeld(boardPosition);
  const today = businessDayOf(new Date());
  const [asked, setProject] = useState<{ readonly id: string; readonly title: string }>();
  const [type, setType] = useState<{ readonly id: string; readonly title: string }>();
  const [start, setStart] = useState(`${today.slice(0, 8)}01`);
  const [months, setMonths] = useState<number>(6);
  const [shown, setShown] = useState<'time' | 'plan'>('time');
  const [day, setDay] = useState(today);
  const [picks, setPicks] = useState<ReadonlyMap<string, Range>>(new Map());
  const [bar, setBar] = useState<string>();
  const [holding, setHolding] = useState(false);
  // Without a choice the board shows the first project there is.
  const { options } = useOptionPages('project', '', asked === undefined);
  const project = asked ?? options[0];
  const bounds: Range = { from: start, to: lastOfMonths(start, months) };
  const asks = shown === 'time' ? bounds : { from: day, to: day };
  const { data, isError, error, refetch } = useQuery({
    queryKey: [...keysOf.all(position.name), 'board', project?.id, type?.id, asks],
    enabled: project !== undefined,
    placeholderData: keepPreviousData,
    staleTime: 0,
    refetchInterval: view.active ? LIVE_MS : false,
    queryFn: ({ signal }) =>
      call<{ rows: readonly BoardRow[] }>('GET', '/api/jinmao/web/positionBoard', {
        query: { project: project!.id, ...(type ? { type: type.id } : {}), ...asks },
        signal,
        quiet: true,
      }),
  });
  const rows = data?.rows ?? [];
  const mayHold = held('btn_hold');
  const heldMine = useHeld(contractMine);
  const mayDraft = held('btn_draft') && heldMine('btn_add') && view.pathOf(MINE) !== undefined;
  const draft = (of: readonly Chosen[], clientId?: string | null) =>
    view.open(
      `/publicResource/pr_contractCreart/add/0?${new URLSearchParams(draftQuery(project?.id ?? '', of, clientId)).toString()}`,
    );
  // Days that are over are not held any more.
  const open: Range = { from: today > bounds.from ? today : bounds.from, to: bounds.to };
  const pick = (row: BoardRow, range: Range | undefined) => {
    const next = new Map(picks);
    next.delete(row.id);
    if (range) next.set(row.id, range);
    if (next.size <= MOST) setPicks(next);
  };
  const fresh = () => {
    void client.invalidateQueries({ queryKey: keysOf.all(position.name) });
    void client.invalidateQueries({ queryKey: keysOf.all(boardPosition.name) });
  };
  const barOf = (id: string) => {
    const row = rows.find((each) => each.bars.some((one) => one.id === id));
    return row && { row, bar: row.bars.find((one) => one.id === id)! };
  };
  const shownBar = bar === undefined ? undefined : barOf(bar);
  const chosen: readonly Chosen[] = rows.flatMap((row) => {
    const range = picks.get(row.id);
    return range ? [{ row, range }] : [];
  });
  return (
    <div className="k-screen pb-screen">
      <PageTitle title={boardPosition.title} purpose={boardPosition.purpose} />
      <div className="pb-tools">
        <span className="pb-filter">
          <RemoteSelect
            target="project"
            label={text(position.fields.project.label)}
            placeholder={text(position.fields.project.label)}
            value={project ? [project.id] : []}
            known={project ? { [project.id]: project.title } : {}}
            onChange={(_ids, entries) => {
              setProject(entries[0]);
              setPicks(new Map());
            }}
          />
        </span>
        <span className="pb-filter">
          <RemoteSelect
            target={position.fields.type.target!}
            label={text(position.fields.type.label)}
            placeholder={text(position.fields.type.label)}
            value={type ? [type.id] : []}
            known={type ? { [type.id]: type.title } : {}}
            onChange={(_ids, entries) => setType(entries[0])}
          />
        </span>
        <Segmented
          value={shown}
          onChange={(next) => setShown(next as 'time' | 'plan')}
          options={[
            { value: 'time', label: text(['档期', 'Time']) },
            { value: 'plan', label: text(['平面图', 'Floor plan']) },
          ]}
        />
        {shown === 'time' ? (
          <>
            <input
              type="month"
              aria-label={text(['起始月份', 'First month'])}
              value={start.slice(0, 7)}
              onChange={(event) => event.target.value && setStart(`${event.target.value}-01`)}
            />
            <Segmented
              value={months}
              onChange={(next) => setMonths(Number(next))}
              options={SPANS.map((span) => ({ value: span, label: text([`${span}个月`, `${span} months`]) }))}
            />
          </>
        ) : (
          <input
            type="date"
            aria-label={text(['日期', 'Day'])}
            value={day}
            onChange={(event) => event.target.value && setDay(event.target.value)}
          />
        )}
        <Legend />
      </div>
      {isError && !data ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton active />
      ) : rows.length === 0 ? (
        <p className="k-quiet pb-none">{text(['此项目没有点位', 'The project has no positions'])}</p>
      ) : shown === 'plan' ? (
        <FloorPlan rows={rows} day={day} onBar={setBar} />
      ) : (
        <Gantt
          rows={rows}
          bounds={bounds}
          open={open}
          today={today}
          picks={picks}
          pickable={mayHold || mayDraft}
          onPick={pick}
          onOffer={(row) =>
            pick(row, picks.has(row.id) ? undefined : firstFree(row.bars, open.from, OFFERED, open))
          }
          onBar={setBar}
        />
      )}
      {shown === 'time' && (mayHold || mayDraft) && (
        <section className="pb-picks" aria-label={text(['已选时段', 'Chosen days'])}>
          <div className="pb-picks-head">
            <b>{text([`已选 ${picks.size} / ${MOST}`, `${picks.size} of ${MOST} chosen`])}</b>
            {mayHold && (
              <Button type="primary" disabled={chosen.length === 0} onClick={() => setHolding(true)}>
                {text(boardPosition.actions!.hold.label)}
              </Button>
            )}
            {mayDraft && (
              <Button disabled={chosen.length === 0} onClick={() => draft(chosen)}>
                {text(boardPosition.elements!.btn_draft!)}
              </Button>
            )}
            <Button disabled={picks.size === 0} onClick={() => setPicks(new Map())}>
              {text(['清空', 'Clear'])}
            </Button>
            {picks.size === 0 && (
              <span className="k-quiet">
                {text([
                  '在空闲处拖动选择时段，或点击点位编码取最近的空闲时段',
                  'Drag over free days, or click a position for its next free ones',
                ])}
              </span>
            )}
            {picks.size >= MOST && (
              <Alert
                type="info"
                showIcon
                title={text([`一次最多 ${MOST} 个点位`, `${MOST} positions at once at most`])}
              />
            )}
          </div>
          <ul>
            {chosen.map(({ row, range }) => (
              <li key={row.id}>
                <span>
                  {row.code} {row.name}
                </span>
                <input
                  type="date"
                  aria-label={text([`${row.code} 开始`, `${row.code}, from`])}
                  value={range.from}
                  onChange={(event) =>
                    event.target.value && pick(row, { ...range, from: event.target.value })
                  }
                />
                <input
                  type="date"
                  aria-label={text([`${row.code} 结束`, `${row.code}, to`])}
                  value={range.to}
                  onChange={(event) => event.target.value && pick(row, { ...range, to: event.target.value })}
                />
                <button type="button" className="k-link" onClick={() => pick(row, undefined)}>
                  {text(['移除', 'Remove'])}
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
      {bar !== undefined && (
        <BarCard
          key={bar}
          id={bar}
          close={() => setBar(undefined)}
          changed={fresh}
          draft={
            mayDraft && shownBar?.bar.own
              ? () => {
                  setBar(undefined);
                  draft([{ row: shownBar.row, range: shownBar.bar }], shownBar.bar.clientId);
                }
              : undefined
          }
        />
      )}
      {holding && (
        <HoldDialog
          chosen={chosen}
          close={() => setHolding(false)}
          done={() => {
            setHolding(false);
            setPicks(new Map());
            fresh();
          }}
        />
      )}
    </div>
  );
}

/** What the colours mean. */
function Legend() {
  const text = useText();
  return (
    <span className="pb-legend">
      {(
        [
          ['lease', ['出租', 'Lease']],
          ['hold', ['预留', 'Hold']],
          ['repair', ['维修', 'Repair']],
          ['picked', ['已选', 'Chosen']],
        ] as const
      ).map(([kind, label]) => (
        <span key={kind}>
          <i className={`pb-${kind}`} />
          {text(label)}
        </span>
      ))}
    </span>
  );
}
