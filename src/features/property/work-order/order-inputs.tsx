import { Select } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { instantShort } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { RemoteSelect } from '../../../kernel/client/parts/remote-select.tsx';
import { StatusTag } from '../../../kernel/client/parts/status-tag.tsx';
import type { SlotInputProps } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import { rootOf } from '../../../kernel/client/wire.ts';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import { WORK_STATES, type WorkState } from '../../../domain/work-order/work-order-words.rules.ts';
import { workOrder } from './work-order.contract.ts';
import './work-order.css';

const ROOT = rootOf(workOrder);

interface Candidate {
  readonly id: string;
  readonly name: string;
  readonly open: number;
  readonly finishedToday: number;
  readonly refusal: string | null;
}

/** People the order could be given to, most free first; who cannot take it stands below with the reason. Of several orders: of the first. */
export function PersonInput({
  id,
  value,
  onChange,
  rows,
  disabled,
  root,
}: SlotInputProps & { readonly root: string }) {
  const text = useText();
  const row = rows[0];
  const { data, isPending } = useQuery({
    queryKey: ['candidates', root, row?.id],
    enabled: row !== undefined,
    staleTime: 0,
    queryFn: ({ signal }) => call<readonly Candidate[]>('GET', `${root}/${row!.id}/candidates`, { signal }),
  });
  const people = [...(data ?? [])].sort((a, b) => Number(a.refusal !== null) - Number(b.refusal !== null));
  const chosen = value as RefValue | undefined;
  return (
    <Select
      {...(id ? { id } : {})}
      className="k-fill"
      value={chosen?.id ?? null}
      disabled={disabled}
      loading={isPending}
      showSearch={{ optionFilterProp: 'title' }}
      placeholder={text(['按在手工单从少到多', 'Fewest open orders first'])}
      // In a form the field's own label names it.
      {...(!id && { 'aria-label': text(['人员', 'Person']) })}
      onChange={(next: string) => {
        const person = people.find((one) => one.id === next);
        onChange?.(person ? { id: person.id, title: person.name } : undefined);
      }}
      options={people.map((one) => ({
        value: one.id,
        title: one.name,
        disabled: one.refusal !== null,
        label: `${one.name} · ${
          one.refusal ??
          text([
            `在手${one.open}单，今日完成${one.finishedToday}单`,
            `${one.open} open, ${one.finishedToday} finished today`,
          ])
        }`,
      }))}
    />
  );
}

/** A place of the chosen project; under the house stand open orders of the same place and category. */
export function PlaceInput({
  id,
  value,
  onChange,
  values,
  disabled,
  target,
}: SlotInputProps & { readonly target: 'workHouse' | 'workBuilding' }) {
  const text = useText();
  const project = (values.project as RefValue | undefined)?.id;
  const chosen = value as RefValue | undefined;
  return (
    <>
      <RemoteSelect
        {...(id ? { id } : {})}
        target={target}
        label={text(target === 'workHouse' ? ['房屋', 'House'] : ['楼栋', 'Building'])}
        placeholder={text(
          project ? ['请选择', 'Please choose'] : ['请先选择项目', 'Choose the project first'],
        )}
        disabled={disabled || !project}
        {...(project ? { within: project } : {})}
        value={chosen ? [chosen.id] : []}
        known={chosen ? { [chosen.id]: chosen.title } : {}}
        onChange={(_, entries) => onChange?.(entries[0])}
      />
      {target === 'workHouse' && project && (
        <Similar
          project={project}
          house={chosen?.id ?? ''}
          area={String(values.area ?? '')}
          category={(values.category as RefValue | undefined)?.id ?? ''}
        />
      )}
    </>
  );
}

interface SimilarOrder {
  readonly id: string;
  readonly code: string;
  readonly title: string;
  readonly state: WorkState;
  readonly createdAt: string;
}

/** Open orders of the last seven days, shown before another one is made. */
function Similar(place: {
  readonly project: string;
  readonly house: string;
  readonly area: string;
  readonly category: string;
}) {
  const text = useText();
  const view = useView();
  const { data } = useQuery({
    queryKey: ['workOrder', 'similar', place],
    enabled: place.house !== '' || place.area !== '',
    staleTime: 0,
    queryFn: ({ signal }) =>
      call<readonly SimilarOrder[]>('GET', `${ROOT}/similar`, { query: { ...place }, signal, quiet: true }),
  });
  if (!data || data.length === 0) return null;
  return (
    <div className="wo-similar" role="status">
      <strong>
        {text([
          `该位置近7天有${data.length}张同类未完成工单`,
          `${data.length} open orders of this place and category in the last 7 days`,
        ])}
      </strong>
      <ul>
        {data.map((one) => (
          <li key={one.id}>
            <button
              type="button"
              className="k-link"
              onClick={() => view.open(`/companymanager/cs_orderDetail?id=${one.id}`)}
            >
              {one.code}
            </button>{' '}
            {one.title} <StatusTag choice={WORK_STATES[one.state]} />{' '}
            <span className="k-quiet">{instantShort(one.createdAt)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
