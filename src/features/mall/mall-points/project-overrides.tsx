import { useState } from 'react';
import { Button, Select } from 'antd';
import { DeleteOutlined, PlusOutlined } from '@ant-design/icons';
import { useText } from '../../../kernel/client/language.ts';
import { NumberText } from '../../../kernel/client/parts/number-text.tsx';
import { RemoteSelect } from '../../../kernel/client/parts/remote-select.tsx';
import type { SlotInputProps } from '../../../kernel/client/slots.ts';
import { words } from '../../../kernel/client/texts.ts';
import { POINTS_LIMITS, type PointsOverride } from '../../../domain/trade-money/points-settings.rules.ts';
import { mallPoints, OVERRIDE_FIELDS } from './mall-points.contract.ts';

/** One project's rules while they are edited; the name comes with stored ones. */
interface Entry extends Omit<PointsOverride, 'project'> {
  readonly project: string;
  readonly projectName?: string;
}

type NumberName = keyof typeof POINTS_LIMITS;

/** Points rules of single projects: what is left empty is as product-wide. Holds the JSON text of the setting. */
export function ProjectOverrides(props: SlotInputProps) {
  const text = useText();
  const entries = readEntries(props.value);
  const [names, setNames] = useState<Readonly<Record<string, string>>>({});
  const write = (next: readonly Entry[]) =>
    props.onChange?.(JSON.stringify(next.map(({ projectName: _name, ...rest }) => rest)));
  const set = (index: number, patch: Partial<Record<keyof Entry, unknown>>) =>
    write(
      entries.map((entry, at) => {
        if (at !== index) return entry;
        const next = { ...entry, ...patch } as Record<string, unknown>;
        for (const [name, value] of Object.entries(next)) if (value === undefined) delete next[name];
        return next as unknown as Entry;
      }),
    );
  const known = {
    ...Object.fromEntries(
      entries.flatMap((one) => (one.projectName ? [[one.project, one.projectName]] : [])),
    ),
    ...names,
  };
  return (
    <div className="points-overrides" {...(props.id ? { id: props.id } : {})} tabIndex={-1}>
      {entries.map((entry, index) => (
        <div
          key={index}
          role="group"
          aria-label={known[entry.project] ?? text(['项目', 'Project'])}
          className="points-override"
        >
          <div className="points-override-head">
            <RemoteSelect
              target="project"
              label={text(['项目', 'Project'])}
              placeholder={text(['选择项目', 'Choose the project'])}
              value={entry.project === '' ? [] : [entry.project]}
              known={known}
              disabled={props.disabled}
              onChange={(ids, chosen) => {
                setNames({ ...names, ...Object.fromEntries(chosen.map((one) => [one.id, one.title])) });
                set(index, { project: ids[0] ?? '' });
              }}
            />
            <Button
              type="text"
              size="small"
              danger
              icon={<DeleteOutlined />}
              disabled={props.disabled}
              aria-label={`${text(words.remove)} ${known[entry.project] ?? ''}`}
              title={text(words.remove)}
              onClick={() => write(entries.filter((_, at) => at !== index))}
            />
          </div>
          {OVERRIDE_FIELDS.map(([name, field]) => {
            const label = text(mallPoints.fields[field]!.label);
            return (
              <label key={name}>
                {label}
                {name in POINTS_LIMITS ? (
                  <NumberText
                    value={entry[name] === undefined ? '' : String(entry[name])}
                    label={label}
                    scale={0}
                    min={POINTS_LIMITS[name as NumberName][0]}
                    max={POINTS_LIMITS[name as NumberName][1]}
                    placeholder={shown(props.values[field])}
                    disabled={props.disabled}
                    onChange={(value) => set(index, { [name]: value === '' ? undefined : Number(value) })}
                  />
                ) : (
                  <Select
                    value={entry[name] === undefined ? '' : entry[name] ? 'yes' : 'no'}
                    aria-label={label}
                    disabled={props.disabled}
                    onChange={(value) => set(index, { [name]: value === '' ? undefined : value === 'yes' })}
                    options={[
                      { value: '', label: text(['与全局一致', 'As above']) },
                      { value: 'yes', label: text(['是', 'Yes']) },
                      { value: 'no', label: text(['否', 'No']) },
                    ]}
                  />
                )}
              </label>
            );
          })}
        </div>
      ))}
      <Button
        type="dashed"
        icon={<PlusOutlined />}
        disabled={props.disabled || entries.some((entry) => entry.project === '')}
        onClick={() => write([...entries, { project: '' }])}
      >
        {text(['添加项目', 'Add project'])}
      </Button>
    </div>
  );
}

function shown(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function readEntries(value: unknown): Entry[] {
  try {
    const read: unknown = typeof value === 'string' ? JSON.parse(value) : value;
    return Array.isArray(read) ? (read as Entry[]) : [];
  } catch {
    return [];
  }
}
