import './organisation.css';
import { useState, type KeyboardEvent, type PointerEvent } from 'react';
import { Button, Cascader, Form } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { FieldInput } from '../../../kernel/client/form/field-input.tsx';
import { useText } from '../../../kernel/client/language.ts';
import { PopButton } from '../../../kernel/client/parts/pop-button.tsx';
import type { SlotInputProps } from '../../../kernel/client/slots.ts';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import { organisation } from './organisation.contract.ts';
import { ConsequenceList, useConsequences } from './rearrange-dialogs.tsx';

interface RegionNode {
  readonly id: string;
  readonly code: string;
  readonly name: string;
  readonly children: readonly RegionNode[];
}

/** Province › city › district; a centre city stands for a city, everything else for any of the three. */
export function RegionInput(props: SlotInputProps & { readonly level: 2 | 3 }) {
  const { id, value, onChange, disabled, level } = props;
  const text = useText();
  const { data: regions, isPending } = useQuery({
    queryKey: ['regions', level],
    staleTime: 10 * 60_000,
    queryFn: ({ signal }) =>
      call<readonly RegionNode[]>('GET', '/api/jinmao/web/bizRegion/getAllRegionListPc', {
        query: { level },
        signal,
        quiet: true,
      }),
  });
  const chosen = (value as RefValue | null | undefined)?.id;
  const path = chosen ? pathTo(regions ?? [], chosen) : [];
  return (
    <Cascader
      {...(id ? { id } : {})}
      className="k-fill"
      disabled={disabled}
      loading={isPending}
      changeOnSelect={level === 3}
      showSearch
      allowClear
      placeholder={text(['请选择地区', 'Choose a region'])}
      aria-label={text(organisation.fields.region.label)}
      fieldNames={{ label: 'name', value: 'id', children: 'children' }}
      options={prune(regions ?? []) as never}
      value={path.map((one) => one.id)}
      displayRender={(labels) =>
        labels.length > 0 ? labels.join(' / ') : ((value as RefValue)?.title ?? '')
      }
      onChange={(_ids, picked) => {
        const last = (picked as unknown as readonly RegionNode[] | undefined)?.at(-1);
        onChange?.(last ? { id: last.id, title: last.name } : null);
      }}
    />
  );
}

/** Leaves have no empty list below them: the cascader would offer one. */
function prune(nodes: readonly RegionNode[]): unknown[] {
  return nodes.map(({ children, ...node }) =>
    children.length > 0 ? { ...node, children: prune(children) } : node,
  );
}

function pathTo(nodes: readonly RegionNode[], id: string): readonly RegionNode[] {
  for (const node of nodes) {
    if (node.id === id) return [node];
    const below = pathTo(node.children, id);
    if (below.length > 0) return [node, ...below];
  }
  return [];
}

/** Projects a new unit starts with, and what that means, as soon as some are chosen. */
export function HangInput({
  values: _values,
  rows: _rows,
  parent,
  ...input
}: SlotInputProps & { readonly parent: string | undefined }) {
  const projects = ((input.value as readonly RefValue[] | undefined) ?? []).map((one) => one.id);
  const { data } = useConsequences(
    parent && projects.length > 0 ? { kind: 'start', id: parent, projects } : undefined,
  );
  return (
    <>
      <FieldInput field={organisation.fields.hang} {...input} />
      {projects.length > 0 && data && (
        <div role="status">
          <ConsequenceList found={data} />
        </div>
      )}
    </>
  );
}

const SPANS = [40, 8, 1, 0.1, 0.01] as const;
const SIDE = 264;
/** The middle of the country, where nothing is typed yet. */
const MIDDLE = { longitude: 104, latitude: 35 };

/** The longitude, typed or picked together with the latitude on a pad of coordinates that needs no network. */
export function LongitudeInput({ values, rows: _rows, ...input }: SlotInputProps) {
  const text = useText();
  const form = Form.useFormInstance();
  const [open, setOpen] = useState(false);
  const at = {
    longitude: numberOr(values.longitude, MIDDLE.longitude),
    latitude: numberOr(values.latitude, MIDDLE.latitude),
  };
  const pick = (longitude: number, latitude: number) => {
    form.setFieldValue('latitude', latitude.toFixed(6));
    input.onChange?.(longitude.toFixed(6));
  };
  return (
    <div className="org-longitude">
      <FieldInput field={organisation.fields.longitude} {...input} />
      <PopButton
        className="k-button"
        open={open}
        onOpenChange={setOpen}
        label={text(['在坐标板上选点', 'Pick on the pad'])}
        panel={
          <Pad at={at} isSet={values.longitude !== undefined && values.longitude !== null} onPick={pick} />
        }
      >
        {text(['坐标板', 'Pad'])}
      </PopButton>
    </div>
  );
}

function Pad(props: {
  readonly at: { readonly longitude: number; readonly latitude: number };
  readonly isSet: boolean;
  readonly onPick: (longitude: number, latitude: number) => void;
}) {
  const text = useText();
  const [centre, setCentre] = useState(props.at);
  const [zoom, setZoom] = useState(props.isSet ? 3 : 0);
  const span = SPANS[zoom]!;
  const clamp = (value: number, most: number) => Math.max(-most, Math.min(most, value));
  const x = (longitude: number) => (0.5 + (longitude - centre.longitude) / span) * SIDE;
  const y = (latitude: number) => (0.5 - (latitude - centre.latitude) / span) * SIDE;
  const pick = (event: PointerEvent<SVGSVGElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const longitude = centre.longitude + ((event.clientX - box.left) / box.width - 0.5) * span;
    const latitude = centre.latitude - ((event.clientY - box.top) / box.height - 0.5) * span;
    props.onPick(clamp(longitude, 180), clamp(latitude, 90));
  };
  const pressed = (event: KeyboardEvent) => {
    const steps: Readonly<Record<string, readonly [number, number]>> = {
      ArrowLeft: [-1, 0],
      ArrowRight: [1, 0],
      ArrowUp: [0, 1],
      ArrowDown: [0, -1],
    };
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    const next = {
      longitude: clamp(props.at.longitude + (step[0] * span) / 20, 180),
      latitude: clamp(props.at.latitude + (step[1] * span) / 20, 90),
    };
    setCentre(next);
    props.onPick(next.longitude, next.latitude);
  };
  const grid = Array.from({ length: 9 }, (_, index) => centre.longitude + (index / 8 - 0.5) * span);
  const rows = Array.from({ length: 9 }, (_, index) => centre.latitude + (index / 8 - 0.5) * span);
  return (
    <div>
      <svg
        className="org-pad"
        width={SIDE}
        height={SIDE}
        tabIndex={0}
        role="application"
        aria-label={text([
          `坐标板：东经 ${props.at.longitude.toFixed(6)}，北纬 ${props.at.latitude.toFixed(6)}，方向键移动`,
          `Pad: longitude ${props.at.longitude.toFixed(6)}, latitude ${props.at.latitude.toFixed(6)}, arrow keys move`,
        ])}
        onPointerDown={pick}
        onKeyDown={pressed}
      >
        <rect width={SIDE} height={SIDE} fill="var(--ant-color-fill-quaternary)" />
        {grid.map((one, index) => (
          <line key={`x${index}`} x1={x(one)} x2={x(one)} y1="0" y2={SIDE} stroke="var(--ant-color-split)" />
        ))}
        {rows.map((one, index) => (
          <line key={`y${index}`} y1={y(one)} y2={y(one)} x1="0" x2={SIDE} stroke="var(--ant-color-split)" />
        ))}
        <text x="4" y={SIDE - 6} fontSize="11" fill="var(--ant-color-text-secondary)">
          {centre.longitude.toFixed(4)}, {centre.latitude.toFixed(4)} ± {span / 2}°
        </text>
        {props.isSet && (
          <circle
            cx={x(props.at.longitude)}
            cy={y(props.at.latitude)}
            r="6"
            fill="var(--ant-color-primary)"
            stroke="var(--ant-color-bg-container)"
            strokeWidth="2"
          />
        )}
      </svg>
      <p className="org-switches">
        <Button size="small" disabled={zoom === 0} onClick={() => setZoom(zoom - 1)}>
          {text(['缩小', 'Zoom out'])}
        </Button>
        <Button
          size="small"
          disabled={zoom === SPANS.length - 1}
          onClick={() => {
            setCentre(props.at);
            setZoom(zoom + 1);
          }}
        >
          {text(['放大', 'Zoom in'])}
        </Button>
        <Button size="small" onClick={() => setCentre(props.at)}>
          {text(['居中', 'Centre'])}
        </Button>
      </p>
    </div>
  );
}

function numberOr(value: unknown, otherwise: number): number {
  const number = Number(value);
  return value === undefined || value === null || value === '' || Number.isNaN(number) ? otherwise : number;
}
