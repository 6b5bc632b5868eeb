import { useLayoutEffect, useRef, useState, type CSSProperties, type PointerEvent } from 'react';
import { useText } from '../../../kernel/client/language.ts';
import { addDays, daysBetween } from '../../../kernel/contract/time.rules.ts';
import { OCCUPANCY_KINDS } from '../position/position.contract.ts';
import { draggedRange, monthsOf, seenRows, type BoardBar, type BoardRow, type Range } from './board.rules.ts';

const ROW = 36;
const SIDE = 200;

interface GanttProps {
  readonly rows: readonly BoardRow[];
  readonly bounds: Range;
  /** Days that may be chosen. */
  readonly open: Range;
  readonly today: string;
  readonly picks: ReadonlyMap<string, Range>;
  readonly pickable: boolean;
  readonly onPick: (row: BoardRow, range: Range) => void;
  readonly onOffer: (row: BoardRow) => void;
  readonly onBar: (id: string) => void;
}

/** A line a position, a column a day; only the lines that are seen stand in the page. */
export function Gantt(props: GanttProps) {
  const { rows, bounds, today } = props;
  const text = useText();
  const host = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState({ top: 0, height: 720, width: 1000 });
  useLayoutEffect(() => {
    const element = host.current!;
    const look = () =>
      setSeen({ top: element.scrollTop, height: element.clientHeight, width: element.clientWidth });
    look();
    const watch = new ResizeObserver(look);
    watch.observe(element);
    return () => watch.disconnect();
  }, []);
  const days = daysBetween(bounds.from, bounds.to);
  // As wide as the page where that is enough to click a day.
  const unit = Math.max(days > 400 ? 1.6 : days > 200 ? 3 : 6, (seen.width - SIDE) / days);
  const { first, last } = seenRows(rows.length, seen.top, seen.height, ROW);
  const months = monthsOf(bounds);
  const now =
    today >= bounds.from && today <= bounds.to ? (daysBetween(bounds.from, today) - 1) * unit : undefined;
  return (
    <div
      ref={host}
      className="pb-gantt"
      role="group"
      aria-label={text(['档期', 'Time'])}
      tabIndex={0}
      onScroll={(event) =>
        setSeen({
          top: event.currentTarget.scrollTop,
          height: event.currentTarget.clientHeight,
          width: event.currentTarget.clientWidth,
        })
      }
    >
      <div className="pb-head" style={{ width: SIDE + days * unit }}>
        <div className="pb-side" style={{ width: SIDE }}>
          {text([`点位 ${rows.length}`, `Positions: ${rows.length}`])}
        </div>
        {months.map(({ month, at, days: long }) => (
          <div key={month} className="pb-month" style={{ left: SIDE + at * unit, width: long * unit }}>
            {long * unit > 52 ? month : long * unit > 20 ? month.slice(5) : ''}
          </div>
        ))}
      </div>
      <div className="pb-body" style={{ width: SIDE + days * unit, height: rows.length * ROW }}>
        {months.map(({ month, at }) => (
          <i key={month} className="pb-line" style={{ left: SIDE + at * unit }} />
        ))}
        {now !== undefined && <i className="pb-now" style={{ left: SIDE + now }} />}
        {rows.slice(first, last).map((row, index) => (
          <Line key={row.id} {...props} row={row} top={(first + index) * ROW} unit={unit} />
        ))}
      </div>
    </div>
  );
}

function Line({
  row,
  top,
  unit,
  bounds,
  open,
  picks,
  pickable,
  onPick,
  onOffer,
  onBar,
}: GanttProps & { readonly row: BoardRow; readonly top: number; readonly unit: number }) {
  const text = useText();
  const [drag, setDrag] = useState<Range>();
  const place = ({ from, to }: Range): CSSProperties => {
    const start = Math.max(0, daysBetween(bounds.from, from) - 1);
    const end = daysBetween(bounds.from, to < bounds.to ? to : bounds.to);
    return { left: start * unit, width: Math.max(2, (end - start) * unit - 1) };
  };
  const grab = (event: PointerEvent<HTMLDivElement>) => {
    if (event.button !== 0 || !pickable || !row.enabled || event.target !== event.currentTarget) return;
    const lane = event.currentTarget;
    const dayAt = (x: number) =>
      addDays(bounds.from, Math.floor((x - lane.getBoundingClientRect().left) / unit));
    const start = dayAt(event.clientX);
    let now = draggedRange(row.bars, start, start, open);
    if (!now) return;
    setDrag(now);
    const move = (moved: globalThis.PointerEvent) => {
      now = draggedRange(row.bars, start, dayAt(moved.clientX), open) ?? now;
      setDrag(now);
    };
    const end = (ended: Event) => {
      lane.removeEventListener('pointermove', move);
      lane.removeEventListener('pointerup', end);
      lane.removeEventListener('pointercancel', end);
      setDrag(undefined);
      if (ended.type === 'pointerup') onPick(row, now!);
    };
    lane.setPointerCapture(event.pointerId);
    lane.addEventListener('pointermove', move);
    lane.addEventListener('pointerup', end);
    lane.addEventListener('pointercancel', end);
  };
  const picked = drag ?? picks.get(row.id);
  const label = `${row.code} ${row.name} · ${row.type} · ${row.listPrice}`;
  return (
    <div className={`pb-row ${row.enabled ? '' : 'pb-off'}`} style={{ top, height: ROW }}>
      <div className="pb-side" style={{ width: SIDE }} title={label}>
        {pickable && row.enabled ? (
          <button
            type="button"
            className="k-link"
            aria-pressed={picks.has(row.id)}
            onClick={() => onOffer(row)}
          >
            {row.code}
          </button>
        ) : (
          <span>{row.code}</span>
        )}
        <span className="pb-name">
          {row.name}
          {!row.enabled && text(['（停用）', ' (disabled)'])}
        </span>
      </div>
      <div className="pb-lane" onPointerDown={grab}>
        {row.bars.map((bar) => (
          <Bar key={bar.id} bar={bar} style={place(bar)} onOpen={() => onBar(bar.id)} />
        ))}
        {picked && picked.to >= bounds.from && picked.from <= bounds.to && (
          <span className="pb-pick pb-picked" style={place(picked)} />
        )}
      </div>
    </div>
  );
}

function Bar({
  bar,
  style,
  onOpen,
}: {
  readonly bar: BoardBar;
  readonly style: CSSProperties;
  readonly onOpen: () => void;
}) {
  const text = useText();
  const words = `${text(OCCUPANCY_KINDS[bar.kind].label)} ${bar.from} – ${bar.to}${bar.title ? ` · ${bar.title}` : ''}`;
  return (
    <button
      type="button"
      className={`pb-bar pb-${bar.kind}${bar.own ? ' pb-own' : ''}`}
      style={style}
      title={words}
      aria-label={words}
      onClick={onOpen}
    >
      {Number(style.width) > 60 && (bar.title || text(OCCUPANCY_KINDS[bar.kind].label))}
    </button>
  );
}
