import { Select } from 'antd';
import { useText } from '../../kernel/client/language.ts';
import { RemoteSelect } from '../../kernel/client/parts/remote-select.tsx';
import { useAllOptions } from '../../kernel/client/parts/use-options.ts';
import type { SlotInputProps } from '../../kernel/client/slots.ts';
import type { RefValue } from '../../kernel/contract/fields.ts';
import './butler.css';

/** Projects butlers are asked in: one by one, or all of a centre city at once. */
export function AudienceProjects({ id, value, onChange, disabled }: SlotInputProps) {
  const text = useText();
  const chosen = (value as readonly RefValue[] | undefined) ?? [];
  const all = useAllOptions('project', !disabled);
  const cities = [...new Set((all.data ?? []).flatMap((one) => (one.note ? [one.note] : [])))];
  const add = (city: string) => {
    const of = (all.data ?? []).filter((one) => one.note === city);
    const known = new Set(chosen.map((one) => one.id));
    onChange?.([
      ...chosen,
      ...of.filter((one) => !known.has(one.id)).map((one) => ({ id: one.id, title: one.title })),
    ]);
  };
  const label = text(['按中心城市添加', 'Add those of a city']);
  return (
    <div className="bt-audience">
      <RemoteSelect
        {...(id === undefined ? {} : { id })}
        target="project"
        label={text(['项目', 'Projects'])}
        multiple
        disabled={disabled}
        value={chosen.map((one) => one.id)}
        known={Object.fromEntries(chosen.map((one) => [one.id, one.title]))}
        onChange={(_ids, entries) => onChange?.(entries)}
      />
      {cities.length > 0 && (
        <Select<string>
          aria-label={label}
          placeholder={label}
          disabled={disabled}
          value={null as never}
          options={cities.map((city) => ({ value: city, label: city }))}
          onChange={add}
        />
      )}
    </div>
  );
}
