import { useEffect, useEffectEvent, useRef } from 'react';
import { Select } from 'antd';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Tone } from '../../kernel/contract/fields.ts';
import type { Label } from '../../kernel/contract/label.ts';
import { call } from '../../kernel/client/api-client.ts';
import { useText } from '../../kernel/client/language.ts';
import { StatusTag } from '../../kernel/client/parts/status-tag.tsx';
import type { SlotInputProps } from '../../kernel/client/slots.ts';

/** A value of a dictionary as pages know it. */
export interface DictionaryItem {
  readonly id: string;
  readonly value: string;
  readonly code: string;
  readonly label: Label;
  readonly tone: Tone;
  readonly attributes: readonly [string, string, string];
  readonly enabled: boolean;
  readonly parent: string | null;
}

/** Names a dictionary: one of the platform (`dict`) or of the business (`biz`), by its code. */
export interface DictionaryPlace {
  readonly from: 'dict' | 'biz';
  readonly code: string;
}

/** The server tells of changes at once; a page that could not listen looks by itself. */
const LOOK_MS = 60_000;

/** The version of all dictionaries; another one as soon as anybody changed one of them. */
export function useDictionaryVersion(): string | undefined {
  const { data } = useQuery({
    queryKey: ['dictionary', 'version'],
    staleTime: LOOK_MS / 2,
    refetchInterval: LOOK_MS,
    queryFn: ({ signal }) =>
      call<{ version: string }>('GET', '/api/admin/dictionary/version', { signal, quiet: true }),
  });
  return data?.version;
}

/** Runs when a dictionary has changed since the page was opened. */
export function useDictionaryChange(changed: () => void): void {
  const version = useDictionaryVersion();
  const seen = useRef<string>(undefined);
  const tell = useEffectEvent(changed);
  useEffect(() => {
    if (version === undefined) return;
    // The first one is what the page was opened with.
    if (seen.current !== undefined && seen.current !== version) tell();
    seen.current = version;
  }, [version]);
}

/** The values of a dictionary in their order, disabled ones among them: rows may still hold those. Fetched once a version. */
export function useDictionary({ from, code }: DictionaryPlace): readonly DictionaryItem[] {
  const version = useDictionaryVersion();
  const client = useQueryClient();
  const { data } = useQuery({
    queryKey: ['dictionaryValues', from, code, version],
    enabled: version !== undefined,
    staleTime: Infinity,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const answer = await call<{ version: string } & Readonly<Record<'dict' | 'biz', Values>>>(
        'GET',
        '/api/admin/dictionary/values',
        { query: { [from]: code }, signal, quiet: true },
      );
      client.setQueryData(['dictionary', 'version'], { version: answer.version });
      return answer[from][code] ?? NOTHING;
    },
  });
  return data ?? NOTHING;
}

type Values = Readonly<Record<string, readonly DictionaryItem[]>>;
const NOTHING: readonly DictionaryItem[] = [];

/** The label of a stored value with its colour; what no dictionary knows is shown as it is. */
export function DictionaryLabel({
  place,
  value,
}: {
  readonly place: DictionaryPlace;
  readonly value: string;
}) {
  const item = useDictionary(place).find((one) => one.value === value);
  return item ? <StatusTag choice={item} /> : <>{value}</>;
}

/** The input of a form field that holds a value of a dictionary: enabled ones, and the one the row holds already. */
export function DictionarySelect({ place, ...input }: SlotInputProps & { readonly place: DictionaryPlace }) {
  const text = useText();
  const items = useDictionary(place);
  const value = typeof input.value === 'string' && input.value !== '' ? input.value : undefined;
  return (
    <Select
      className="k-fill"
      {...(input.id ? { id: input.id } : {})}
      allowClear
      showSearch={{ optionFilterProp: 'label' }}
      disabled={input.disabled}
      value={value ?? null}
      onChange={(next: string | null | undefined) => input.onChange?.(next ?? null)}
      options={items
        .filter((item) => item.enabled || item.value === value)
        .map((item) => ({ value: item.value, label: text(item.label) }))}
    />
  );
}
