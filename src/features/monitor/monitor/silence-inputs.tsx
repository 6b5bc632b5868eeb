import { useEffect, useEffectEvent } from 'react';
import { useQuery } from '@tanstack/react-query';
import { AutoComplete } from 'antd';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { RemoteSelect } from '../../../kernel/client/parts/remote-select.tsx';
import type { SlotInputProps } from '../../../kernel/client/slots.ts';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import type { Wall } from './monitor.contract.ts';

type Place = 'rule' | 'service' | 'instance';
const NOT_NEEDED: Label = ['此范围不需要', 'Not needed for this scope'];
const LABELS: Readonly<Record<Place, Label>> = {
  rule: ['规则', 'Rule'],
  service: ['服务', 'Service'],
  instance: ['实例', 'Instance'],
};

/** What a silence of a scope is about: the input of every other scope is shut and empty. */
export function SilencePlace({ place, ...props }: SlotInputProps & { readonly place: Place }) {
  const text = useText();
  const { value, onChange } = props;
  const isMine = props.values.scope === place;
  const empty = useEffectEvent(() => {
    if (value) onChange?.(undefined);
  });
  useEffect(() => {
    if (!isMine) empty();
  }, [isMine]);
  const { data } = useQuery({
    queryKey: ['monitor', 'wall'],
    queryFn: ({ signal }) => call<Wall>('GET', '/api/admin/monitor/wall', { signal, quiet: true }),
    enabled: isMine && place !== 'rule',
    staleTime: 30_000,
  });
  const disabled = props.disabled || !isMine;
  const placeholder = isMine ? '' : text(NOT_NEEDED);
  if (place === 'rule') {
    const rule = value as RefValue | undefined;
    return (
      <RemoteSelect
        {...(props.id ? { id: props.id } : {})}
        target="alertRule"
        label={text(LABELS.rule)}
        placeholder={placeholder}
        disabled={disabled}
        value={rule ? [rule.id] : []}
        known={rule ? { [rule.id]: rule.title } : {}}
        onChange={(_ids, [entry]) => onChange?.(entry && { id: entry.id, title: entry.title })}
      />
    );
  }
  const tiles = data?.tiles ?? [];
  const options =
    place === 'service'
      ? [...new Set(tiles.map((tile) => tile.service))].map((service) => ({ value: service, label: service }))
      : tiles.map((tile) => ({
          value: tile.instanceId,
          label: `${tile.service} ${tile.host} ${tile.instanceId.slice(0, 8)}`,
        }));
  return (
    <AutoComplete
      {...(props.id ? { id: props.id } : {})}
      className="k-fill"
      aria-label={text(LABELS[place])}
      placeholder={placeholder}
      disabled={disabled}
      value={(value as string | undefined) ?? ''}
      options={options}
      showSearch={{ filterOption: (typed, option) => (option?.label ?? '').includes(typed) }}
      onChange={(next: string) => onChange?.(next)}
    />
  );
}
