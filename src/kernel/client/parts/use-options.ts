import { useState } from 'react';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { call } from '../api-client.ts';
import { useText } from '../language.ts';
import { words } from '../texts.ts';
import type { OptionEntry } from '../wire.ts';

const PAGE = 30;
/** What was shown last stands at once and is asked for again: what was just added is looked for first of all. */
const ON_OPENING = 0;
const path = (target: string) => `/api/jinmao/web/options/${encodeURIComponent(target)}`;

/** Options of a target page by page while an input is open; `within` narrows them to what another filter holds. */
export function useOptionPages(target: string, keyword: string, enabled: boolean, within = '') {
  const pages = useInfiniteQuery({
    queryKey: ['options', target, keyword, within],
    enabled,
    staleTime: ON_OPENING,
    placeholderData: keepPreviousData,
    initialPageParam: 1,
    queryFn: ({ pageParam, signal }) =>
      call<readonly OptionEntry[]>('GET', path(target), {
        query: { searchVal: keyword, ...(within ? { within } : {}), page: pageParam, limit: PAGE },
        signal,
        quiet: true,
      }),
    getNextPageParam: (last, all) => (last.length < PAGE ? undefined : all.length + 1),
  });
  return { ...pages, options: pages.data?.pages.flat() ?? [] };
}

/** Every option of a small target, for trees. */
export function useAllOptions(target: string, enabled: boolean) {
  return useQuery({
    queryKey: ['options', target, 'all'],
    enabled,
    staleTime: ON_OPENING,
    queryFn: ({ signal }) =>
      call<readonly OptionEntry[]>('GET', path(target), {
        query: { page: 1, limit: 200 },
        signal,
        quiet: true,
      }),
  });
}

/** Readable names of ids, asked for once. No row has the id 0: as a filter it stands for those that have none. */
export function useOptionTitles(
  target: string | undefined,
  ids: readonly string[],
): Readonly<Record<string, string>> {
  const text = useText();
  const wanted = [...new Set(ids)].sort().join(',');
  const { data } = useQuery({
    queryKey: ['options', target, 'ids', wanted],
    enabled: target !== undefined && wanted !== '',
    placeholderData: keepPreviousData,
    staleTime: 10 * 60_000,
    queryFn: ({ signal }) =>
      call<readonly OptionEntry[]>('GET', path(target!), {
        query: { ids: wanted, limit: 200 },
        signal,
        quiet: true,
      }),
  });
  return { 0: text(words.none), ...Object.fromEntries((data ?? []).map((entry) => [entry.id, entry.title])) };
}

/** A text that follows another after 250 ms of silence, for searches while typing. */
export function useSettled(initial = ''): readonly [string, (value: string) => void, string] {
  const [now, setNow] = useState(initial);
  const [settled, setSettled] = useState(initial);
  const [timer, setTimer] = useState<ReturnType<typeof setTimeout>>();
  return [
    settled,
    (value) => {
      setNow(value);
      clearTimeout(timer);
      setTimer(setTimeout(() => setSettled(value), 250));
    },
    now,
  ];
}
