import { useEffect, useState } from 'react';
import { call } from '../../../../kernel/client/api-client.ts';

/** A record the server found by its number or phone. */
export interface FoundRecord {
  readonly kind: string;
  readonly code: string;
  readonly title: string;
  readonly route: string;
}

const WAIT_MS = 200;

/** Asks the server for records while the staff types; a server without search finds none. */
export function useRecordSearch(keyword: string): {
  readonly records: readonly FoundRecord[];
  readonly isSearching: boolean;
} {
  const [answer, setAnswer] = useState<{
    readonly keyword: string;
    readonly records: readonly FoundRecord[];
  }>();
  const wanted = keyword.trim();
  useEffect(() => {
    if (wanted.length < 2) return;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      call<readonly FoundRecord[]>('GET', '/api/admin/search', {
        query: { keyword: wanted },
        quiet: true,
        signal: abort.signal,
      }).then(
        (records) => setAnswer({ keyword: wanted, records: records ?? [] }),
        () => {
          if (!abort.signal.aborted) setAnswer({ keyword: wanted, records: [] });
        },
      );
    }, WAIT_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [wanted]);
  const isAnswered = wanted.length < 2 || answer?.keyword === wanted;
  return {
    records: isAnswered && wanted.length >= 2 ? (answer?.records ?? []) : [],
    isSearching: !isAnswered,
  };
}
