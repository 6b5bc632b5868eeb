import './space.css';
import { lazy, Suspense, useState, type MouseEvent } from 'react';
import { Segmented, Skeleton } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { useAction } from '../../../kernel/client/action/use-action.tsx';
import { call } from '../../../kernel/client/api-client.ts';
import { FieldInput } from '../../../kernel/client/form/field-input.tsx';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import type { ScreenSlots, SlotInputProps } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import { keysOf } from '../../../kernel/client/wire.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { space, STANDINGS, type FloorLine, type PlanSpace } from './space.contract.ts';

const DetailDrawer = lazy(() =>
  import('../../../kernel/client/detail/detail-drawer.tsx').then((module) => ({
    default: module.DetailDrawer,
  })),
);

/** What the colours of the plan say: the tone of a space and the words of each tone. */
interface Colouring {
  readonly label: Label;
  readonly tones: Readonly<Record<string, Label>>;
  toneOf(one: PlanSpace, rows: readonly PlanSpace[]): string;
}

const day = (ahead: number) => addDays(businessDayOf(new Date()), ahead);

const COLOURINGS = {
  state: {
    label: ['状态', 'State'],
    tones: {
      leased: STANDINGS.leased.label,
      held: STANDINGS.held.label,
      repair: STANDINGS.repair.label,
      free: STANDINGS.free.label,
    },
    toneOf: (one) => one.standing,
  },
  ends: {
    label: ['到期', 'End'],
    tones: {
      repair: ['90 天内', 'Within 90 days'],
      held: ['一年内', 'Within a year'],
      leased: ['一年后', 'Later'],
      free: ['未出租', 'Not let'],
    },
    toneOf: ({ endsOn }) =>
      endsOn === null ? 'free' : endsOn <= day(90) ? 'repair' : endsOn <= day(365) ? 'held' : 'leased',
  },
  rent: {
    label: ['租金水平', 'Rent level'],
    tones: { free: ['较低', 'Lower'], held: ['中等', 'Middle'], repair: ['较高', 'Higher'] },
    toneOf: (one, rows) => {
      // Thirds of what is shown.
      const below = rows.filter((other) => Number(other.rent) < Number(one.rent)).length / rows.length;
      return below < 1 / 3 ? 'free' : below < 2 / 3 ? 'held' : 'repair';
    },
  },
} as const satisfies Record<string, Colouring>;
type Colour = keyof typeof COLOURINGS;

/** Floor plans of the chosen place with a pin a space; a pin opens the space. */
export function SpacePlan({
  lines,
  chosen,
  slots,
}: {
  readonly lines: readonly FloorLine[];
  readonly chosen: FloorLine | undefined;
  readonly slots: ScreenSlots;
}) {
  const text = useText();
  const view = useView();
  const action = useAction(space, { slots });
  const [colour, setColour] = useState<Colour>('state');
  const [opened, setOpened] = useState<string>();
  const place = chosen ?? lines[0];
  const query = {
    project: place?.projectId ?? '',
    ...(view.query.get('building') ? { building: place?.buildingId } : {}),
    ...(view.query.get('place') ? { building: place?.buildingId, floor: String(place?.floor) } : {}),
  };
  const { data, isError, error, refetch } = useQuery({
    queryKey: [...keysOf.all(space.name), 'plan', query],
    enabled: place !== undefined,
    queryFn: ({ signal }) =>
      call<{ readonly rows: readonly PlanSpace[] }>('GET', '/api/jinmao/web/space/plan', {
        query,
        signal,
        quiet: true,
      }),
  });
  if (!place) return <p className="sp-none">{text(['还没有铺位', 'There are no spaces yet'])}</p>;
  if (isError && !data) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton active />;
  const { rows } = data;
  const colouring: Colouring = COLOURINGS[colour];
  const pinned = rows.filter((row) => row.planId !== null && row.pinX !== null);
  const plans = [...new Set(pinned.map((row) => row.planId!))];
  const others = rows.filter((row) => !pinned.includes(row));
  const pin = (row: PlanSpace) => {
    const tone = colouring.toneOf(row, rows);
    const words = [
      row.number,
      text(STANDINGS[row.standing].label),
      row.tenant,
      row.endsOn && text([`至 ${row.endsOn}`, `until ${row.endsOn}`]),
      text([`${row.rent} 元/m²·月`, `¥${row.rent} per m² and month`]),
    ]
      .filter(Boolean)
      .join(' · ');
    return {
      className: `sp-pin sp-${tone}`,
      title: words,
      'aria-label': words,
      onClick: () => setOpened(row.id),
    };
  };
  return (
    <div className="sp-screen">
      <div className="sp-tools">
        <strong>
          {place.project}
          {query.building ? ` ${place.building}` : ''}
          {query.floor ? text([` ${place.floor} 层`, ` floor ${place.floor}`]) : ''}
        </strong>
        <Segmented
          value={colour}
          onChange={(next) => setColour(next as Colour)}
          options={Object.entries(COLOURINGS).map(([value, { label }]) => ({ value, label: text(label) }))}
        />
        <span className="sp-legend">
          {Object.entries(colouring.tones).map(([tone, label]) => (
            <span key={tone}>
              <i className={`sp-${tone}`} />
              {text(label)}
            </span>
          ))}
        </span>
      </div>
      {plans.map((plan, index) => (
        <div key={plan} className="sp-plan">
          <img src={`/api/file/${plan}`} alt={text([`楼层平面图 ${index + 1}`, `Floor plan ${index + 1}`])} />
          {pinned
            .filter((row) => row.planId === plan)
            .map((row) => (
              <button
                key={row.id}
                type="button"
                {...pin(row)}
                style={{ left: `${row.pinX! / 100}%`, top: `${row.pinY! / 100}%` }}
              >
                {row.number}
              </button>
            ))}
        </div>
      ))}
      {others.length > 0 && (
        <section className="sp-others">
          <h2>{text(['未标注的铺位', 'Without a pin'])}</h2>
          {others.map((row) => (
            <button key={row.id} type="button" {...pin(row)}>
              {row.number}
            </button>
          ))}
        </section>
      )}
      {opened !== undefined && (
        <Suspense>
          <DetailDrawer
            resource={space}
            slots={slots}
            id={opened}
            siblings={rows.map((row) => row.id)}
            action={action}
            onMove={setOpened}
            onClose={() => setOpened(undefined)}
          />
        </Suspense>
      )}
      {action.element}
    </div>
  );
}

/** Where a space lies on its plan: a click on the plan, or the figures typed. */
export function PinInput({ id, value, onChange, values, disabled }: SlotInputProps) {
  const text = useText();
  const plan = values.plan as string | { readonly id: string } | readonly { readonly id: string }[] | null;
  const file = Array.isArray(plan) ? plan[0] : plan;
  const fileId =
    typeof file === 'object' && file !== null && 'id' in file ? file.id : (file as string | null);
  const [x, y] = /^\d{1,5},\d{1,5}$/.test(String(value)) ? String(value).split(',').map(Number) : [];
  const set = (event: MouseEvent<HTMLElement>) => {
    if (disabled) return;
    const box = event.currentTarget.getBoundingClientRect();
    const share = (at: number, from: number, size: number) =>
      Math.min(10_000, Math.max(0, Math.round(((at - from) / size) * 10_000)));
    onChange?.(`${share(event.clientX, box.left, box.width)},${share(event.clientY, box.top, box.height)}`);
  };
  return (
    <>
      <FieldInput
        {...(id ? { id } : {})}
        field={space.fields.pin}
        value={value}
        onChange={(next) => onChange?.(next)}
        disabled={disabled}
      />
      {fileId && (
        <div className="sp-plan sp-picking" onClick={set}>
          <img src={`/api/file/${fileId}`} alt={text(space.fields.plan.label)} />
          {x !== undefined && y !== undefined && (
            <span className="sp-pin sp-held" style={{ left: `${x / 100}%`, top: `${y / 100}%` }}>
              {String(values.number ?? '●')}
            </span>
          )}
        </div>
      )}
    </>
  );
}
