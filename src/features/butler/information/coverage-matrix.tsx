import { useState } from 'react';
import { DatePicker, Form, Input, Skeleton } from 'antd';
import dayjs from 'dayjs';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { call, newIdempotencyKey } from '../../../kernel/client/api-client.ts';
import { message, tellFault } from '../../../kernel/client/feedback.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { RemoteSelect } from '../../../kernel/client/parts/remote-select.tsx';
import { useAllOptions } from '../../../kernel/client/parts/use-options.ts';
import { useSubmitGuard } from '../../../kernel/client/parts/use-guard.ts';
import { keysOf, rootOf } from '../../../kernel/client/wire.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { butlerInfo, type CoverageMatrix as Matrix, type CoverageUnit } from './information.contract.ts';
import '../butler.css';

interface Place {
  readonly building?: string;
  readonly unit?: string;
  readonly name: string;
}
type Butler = Matrix['butlers'][number];

/** The buildings of a project by unit, each in the colour of who looks after it; a unit or building is given by dragging it on a butler, or by choosing both. */
export function CoverageMatrix() {
  const text = useText();
  const client = useQueryClient();
  const mayGive = useHeld(butlerInfo)('btn_handover');
  const projects = useAllOptions('project', true);
  const [project, setProject] = useState<{ readonly id: string; readonly title: string }>();
  const first = projects.data?.[0];
  const shown = project ?? (first ? { id: first.id, title: first.title } : undefined);
  const [place, setPlace] = useState<Place>();
  const [to, setTo] = useState<Butler>();
  const matrix = useQuery({
    queryKey: [...keysOf.all('butlerCoverage'), 'matrix', shown?.id ?? ''],
    enabled: shown !== undefined,
    queryFn: ({ signal }) =>
      call<Matrix>('GET', `${rootOf(butlerInfo)}/matrix`, {
        query: { project: shown!.id },
        signal,
        quiet: true,
      }),
  });
  const label = text(['项目', 'Project']);
  const tone = new Map((matrix.data?.butlers ?? []).map((one, index) => [one.id, index % 8]));
  const give = (found: Place, butler: Butler) => {
    setPlace(found);
    setTo(butler);
  };
  const done = () => {
    setPlace(undefined);
    setTo(undefined);
    for (const name of ['butlerCoverage', 'butlerInfo', 'butlerAssignment', 'butlerHandover'])
      void client.invalidateQueries({ queryKey: keysOf.all(name) });
  };
  const cell = (found: Place, unit: CoverageUnit) => {
    const who = unit.butlers.map((one) => `${one.name} ${one.houses}`).join(text(['、', ', ']));
    const vacant = unit.vacant > 0 ? text([`空缺 ${unit.vacant}`, `${unit.vacant} vacant`]) : '';
    const chosen = place?.unit === unit.id;
    const main = unit.butlers[0] && tone.get(unit.butlers[0].id);
    return (
      <button
        key={unit.id}
        type="button"
        className={`bt-unit${main === undefined ? '' : ` bt-tone-${main}`}${unit.vacant > 0 ? ' bt-vacant' : ''}${chosen ? ' is-chosen' : ''}`}
        draggable={mayGive}
        disabled={!mayGive}
        aria-pressed={chosen}
        onDragStart={(event) => event.dataTransfer.setData('text/plain', JSON.stringify(found))}
        onClick={() => setPlace(chosen ? undefined : found)}
      >
        <b>{unit.name}</b>
        <span>{[who, vacant].filter(Boolean).join(' · ')}</span>
      </button>
    );
  };
  return (
    <section className="bt-coverage" aria-label={text(['覆盖图', 'Coverage matrix'])}>
      <div className="bt-head">
        <span className="bt-project">
          <RemoteSelect
            target="project"
            label={label}
            value={shown ? [shown.id] : []}
            known={shown ? { [shown.id]: shown.title } : {}}
            onChange={(_ids, [one]) => {
              setProject(one);
              setPlace(undefined);
            }}
          />
        </span>
        {mayGive && (
          <span className="k-quiet">
            {text([
              '将单元或楼栋拖到管家上，或先选范围再选管家，即可交接',
              'Drag a unit or building on a butler, or choose first it and then the butler',
            ])}
          </span>
        )}
      </div>
      {matrix.isError ? (
        <ErrorPanel error={matrix.error} onRetry={() => void matrix.refetch()} />
      ) : !matrix.data ? (
        shown && <Skeleton active paragraph={{ rows: 4 }} />
      ) : (
        <>
          <ul className="bt-butlers" aria-label={text(['管家', 'Butlers'])}>
            {matrix.data.butlers.map((one) => (
              <li key={one.id}>
                <button
                  type="button"
                  className={`bt-butler bt-tone-${tone.get(one.id)}`}
                  disabled={!mayGive || !place}
                  onDragOver={(event) => mayGive && event.preventDefault()}
                  onDrop={(event) => {
                    event.preventDefault();
                    give(JSON.parse(event.dataTransfer.getData('text/plain')) as Place, one);
                  }}
                  onClick={() => place && give(place, one)}
                >
                  {one.name} {one.houses}
                </button>
              </li>
            ))}
          </ul>
          <div className="bt-matrix">
            {matrix.data.buildings.map((building) => {
              const found = { building: building.id, name: building.name };
              const chosen = place?.building === building.id;
              return (
                <div key={building.id} className="bt-building">
                  <button
                    type="button"
                    className={`bt-unit bt-name${chosen ? ' is-chosen' : ''}`}
                    draggable={mayGive}
                    disabled={!mayGive}
                    aria-pressed={chosen}
                    onDragStart={(event) => event.dataTransfer.setData('text/plain', JSON.stringify(found))}
                    onClick={() => setPlace(chosen ? undefined : found)}
                  >
                    {building.name}
                  </button>
                  {building.units.map((unit) =>
                    cell({ unit: unit.id, name: `${building.name}${unit.name}` }, unit),
                  )}
                </div>
              );
            })}
          </div>
        </>
      )}
      {place && to && <Give place={place} to={to} onClose={() => setTo(undefined)} onDone={done} />}
    </section>
  );
}

function Give({
  place,
  to,
  onClose,
  onDone,
}: {
  readonly place: Place;
  readonly to: Butler;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const text = useText();
  const guard = useSubmitGuard();
  const [day, setDay] = useState(businessDayOf(new Date()));
  const [note, setNote] = useState('');
  const labels = { day: text(['生效日期', 'From']), note: text(['说明', 'Note']) };
  const save = () =>
    void guard.run(async () => {
      try {
        const { houses } = await call<{ houses: number }>('POST', `${rootOf(butlerInfo)}/${to.id}/receive`, {
          body: {
            ...(place.building ? { building: place.building } : { unit: place.unit }),
            from: day,
            note: note.trim(),
          },
          idempotencyKey: newIdempotencyKey(),
        });
        message.success(text([`已交接 ${houses} 户`, `${houses} houses handed over`]), 3);
      } catch (error) {
        tellFault(error);
        return;
      }
      onDone();
    });
  return (
    <AppModal
      open
      width={460}
      title={text([`交接：${place.name} → ${to.name}`, `Hand over: ${place.name} → ${to.name}`])}
      okText={text(['交接', 'Hand over'])}
      okButtonProps={{ disabled: guard.locked && !guard.busy }}
      confirmLoading={guard.busy}
      onOk={save}
      onCancel={onClose}
    >
      <Form layout="vertical" component={false}>
        <Form.Item
          label={labels.day}
          required
          extra={text([
            '有主管家的房屋从该日起交接，空缺的房屋从该日起分配',
            'Houses of others are handed over from that day, vacant ones assigned',
          ])}
        >
          <DatePicker
            value={dayjs(day)}
            allowClear={false}
            aria-label={labels.day}
            disabledDate={(one) => one.isBefore(dayjs(businessDayOf(new Date())))}
            onChange={(value) => value && setDay(value.format('YYYY-MM-DD'))}
          />
        </Form.Item>
        <Form.Item label={labels.note}>
          <Input
            value={note}
            maxLength={200}
            aria-label={labels.note}
            onChange={(event) => setNote(event.target.value)}
          />
        </Form.Item>
      </Form>
    </AppModal>
  );
}
