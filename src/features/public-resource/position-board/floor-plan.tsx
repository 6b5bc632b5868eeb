import { useState } from 'react';
import { Segmented } from 'antd';
import { useText } from '../../../kernel/client/language.ts';
import { OCCUPANCY_KINDS } from '../position/position.contract.ts';
import { barOn, type BoardRow } from './board.rules.ts';

/** Plans of a project with their positions as pins, in the colour of what has them on a day. */
export function FloorPlan({
  rows,
  day,
  onBar,
}: {
  readonly rows: readonly BoardRow[];
  readonly day: string;
  readonly onBar: (id: string) => void;
}) {
  const text = useText();
  const pinned = rows.filter((row) => row.planId !== null && row.pinX !== null);
  const plans = [...new Set(pinned.map((row) => row.planId!))];
  const [chosen, setChosen] = useState<string>();
  const plan = chosen !== undefined && plans.includes(chosen) ? chosen : plans[0];
  const others = rows.filter((row) => !pinned.includes(row));
  const words = (row: BoardRow) => {
    const bar = barOn(row.bars, day);
    return `${row.code} ${row.name} · ${bar ? `${text(OCCUPANCY_KINDS[bar.kind].label)} ${bar.from} – ${bar.to}${bar.title ? ` · ${bar.title}` : ''}` : text(['空闲', 'Free'])}`;
  };
  const pin = (row: BoardRow) => {
    const bar = barOn(row.bars, day);
    return {
      className: `pb-pin pb-${bar?.kind ?? 'free'}`,
      title: words(row),
      'aria-label': words(row),
      disabled: !bar,
      onClick: () => bar && onBar(bar.id),
    };
  };
  return (
    <div className="pb-plans">
      {plans.length > 1 && (
        <Segmented
          value={plan!}
          onChange={(next) => setChosen(String(next))}
          options={plans.map((one, index) => ({
            value: one,
            label: text([`平面图 ${index + 1}`, `Plan ${index + 1}`]),
          }))}
        />
      )}
      {plan === undefined ? (
        <p className="k-quiet">
          {text(['点位上还没有平面图与标注', 'No position has a floor plan and a pin yet'])}
        </p>
      ) : (
        <div className="pb-plan">
          <img src={`/api/file/${plan}`} alt={text(['平面图', 'Floor plan'])} />
          {pinned
            .filter((row) => row.planId === plan)
            .map((row) => (
              <button
                key={row.id}
                type="button"
                {...pin(row)}
                style={{ left: `${row.pinX! / 100}%`, top: `${row.pinY! / 100}%` }}
              >
                {row.code}
              </button>
            ))}
        </div>
      )}
      {others.length > 0 && (
        <section className="pb-unpinned">
          <h2>{text(['未标注的点位', 'Without a pin'])}</h2>
          {others.map((row) => (
            <button key={row.id} type="button" {...pin(row)}>
              {row.code}
            </button>
          ))}
        </section>
      )}
    </div>
  );
}
