import { Button, Input, Select, Tag } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { message } from '../../../kernel/client/feedback.ts';
import { instantShort, NOTHING } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import type { SlotInputProps } from '../../../kernel/client/slots.ts';
import { keysOf, rootOf, type RowData } from '../../../kernel/client/wire.ts';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import { PLAN_RESULTS, SIGN_INS } from '../../../domain/work-plan/work-plan.rules.ts';
import { planOrder, type RoundPoint } from './plan-order.contract.ts';
import { WEEKDAYS } from './days-text.ts';

const pointsOf = (row: RowData | undefined) => (row?.points ?? []) as readonly RoundPoint[];

/** The points of a round with who was there when. */
export function RoundPart({ row }: { readonly row: RowData }) {
  const text = useText();
  const points = pointsOf(row);
  if (points.length === 0) return <p className="k-quiet">{text(['没有点位', 'No points'])}</p>;
  return (
    <ol className="wp-round">
      {points.map((point) => (
        <li key={point.id}>
          <span>
            <strong>{point.name}</strong> <span className="k-quiet">{point.place}</span>
          </span>
          <span>
            {point.state ? (
              <Tag color={PLAN_RESULTS[point.state].tone}>{text(PLAN_RESULTS[point.state].label)}</Tag>
            ) : (
              <Tag>{text(['未签到', 'Not yet'])}</Tag>
            )}
          </span>
          <span className="k-quiet">
            {text(SIGN_INS[point.signIn].label)}
            {point.photoRequired && ` · ${text(['须拍照', 'photo needed'])}`}
            {' · '}
            {point.checkedAt ? `${instantShort(point.checkedAt)} ${point.by ?? ''}` : NOTHING}
            {point.distance !== null &&
              ` · ${text([`距点位${point.distance}米`, `${point.distance} m away`])}`}
          </span>
          {point.photos.length > 0 && (
            <span className="wp-photos">
              {point.photos.map((photo) => (
                <a key={photo.id} href={photo.url} target="_blank" rel="noreferrer">
                  <img src={photo.url} alt={photo.name} />
                </a>
              ))}
            </span>
          )}
        </li>
      ))}
    </ol>
  );
}

/** Points of the order nobody has signed in at yet. */
export function PointInput({ id, value, onChange, rows, disabled }: SlotInputProps) {
  const text = useText();
  const row = rows[0];
  const { data, isPending } = useQuery({
    queryKey: keysOf.row(planOrder.name, row?.id ?? ''),
    enabled: row !== undefined,
    queryFn: ({ signal }) => call<RowData>('GET', `${rootOf(planOrder)}/${row!.id}`, { signal }),
  });
  const open = pointsOf(data).filter((point) => point.checkedAt === null);
  return (
    <Select
      {...(id ? { id } : {})}
      className="k-fill"
      loading={isPending}
      disabled={disabled}
      value={(value as RefValue | undefined)?.id ?? null}
      aria-label={text(['点位', 'Point'])}
      placeholder={text(['选择未签到的点位', 'A point not signed in at yet'])}
      onChange={(next: string) => {
        const point = open.find((one) => one.pointId === next);
        onChange?.(point ? { id: point.pointId, title: point.name } : undefined);
      }}
      options={open.map((point) => ({
        value: point.pointId,
        label: `${point.name} · ${text(SIGN_INS[point.signIn].label)}${point.photoRequired ? ` · ${text(['须拍照', 'photo'])}` : ''}`,
      }))}
    />
  );
}

/** Where the device is now. */
export function PositionInput({ id, value, onChange, disabled }: SlotInputProps) {
  const text = useText();
  const take = () =>
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => onChange?.(`${coords.longitude.toFixed(6)},${coords.latitude.toFixed(6)}`),
      () =>
        void message.warning(
          text(['无法获取位置，请检查定位权限', 'No position: allow it in the browser']),
          4,
        ),
      { enableHighAccuracy: true, timeout: 10_000 },
    );
  return (
    <span className="wp-position">
      <Input
        {...(id ? { id } : {})}
        value={(value as string | undefined) ?? ''}
        disabled={disabled}
        placeholder="121.473700,31.230400"
        onChange={(event) => onChange?.(event.target.value)}
      />
      <Button disabled={disabled} onClick={take}>
        {text(['获取位置', 'Take it'])}
      </Button>
    </span>
  );
}

/** Days of the chosen cycle. */
export function DaysInput({ id, value, onChange, values, disabled }: SlotInputProps) {
  const text = useText();
  const { cycle } = values;
  if (cycle !== 'week' && cycle !== 'month')
    return (
      <span className="k-quiet" {...(id ? { id } : {})}>
        {text(['每天', 'Every day'])}
      </span>
    );
  const chosen = String(value ?? '')
    .split(',')
    .filter(Boolean);
  const most = cycle === 'week' ? 7 : 31;
  return (
    <Select
      {...(id ? { id } : {})}
      mode="multiple"
      className="k-fill"
      disabled={disabled}
      value={chosen.filter((day) => Number(day) <= most)}
      aria-label={text(['日期', 'Days'])}
      placeholder={text(cycle === 'week' ? ['选择星期', 'Weekdays'] : ['选择日期', 'Days of the month'])}
      onChange={(next: string[]) => onChange?.(next.sort((a, b) => Number(a) - Number(b)).join(','))}
      options={Array.from({ length: most }, (_, index) => ({
        value: String(index + 1),
        label: cycle === 'week' ? text(WEEKDAYS[index]!) : text([`${index + 1}日`, String(index + 1)]),
      }))}
    />
  );
}
