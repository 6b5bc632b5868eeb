import { useEffect, useRef, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { ApiError, call, newIdempotencyKey } from '../../../kernel/client/api-client.ts';
import { useSubmitGuard } from '../../../kernel/client/parts/use-guard.ts';
import { keysOf, rootOf, type RowData } from '../../../kernel/client/wire.ts';
import { afterSale } from './case.contract.ts';
import type { CaseFiles, CaseParts } from './case-parts.ts';

/** Where cases live on the server. */
export const CASE_ROOT = rootOf(afterSale);

/** A case with its parts, as the detail sends it. */
export type CaseRow = RowData & { readonly parts: CaseParts };

/** One case with its parts. */
export function useCase(id: string) {
  return useQuery({
    queryKey: keysOf.row(afterSale.name, id),
    queryFn: ({ signal }) => call<CaseRow>('GET', `${CASE_ROOT}/${encodeURIComponent(id)}`, { signal }),
  });
}

/** Pictures and videos of a case; their addresses live for ten minutes. */
export function useCaseFiles(id: string) {
  return useQuery({
    queryKey: [...keysOf.row(afterSale.name, id), 'files'],
    staleTime: 5 * 60_000,
    queryFn: ({ signal }) =>
      call<CaseFiles>('GET', `${CASE_ROOT}/${encodeURIComponent(id)}/files`, { signal, quiet: true }),
  });
}

/** What sending gives to a dialog. */
export interface CaseSubmit {
  readonly busy: boolean;
  readonly locked: boolean;
  /** The last refusal; field messages are in its `fields`. */
  readonly error: ApiError | undefined;
  readonly send: (path: string, body: object, done: (answer: unknown) => void) => void;
}

/** Sends once: guarded for 3 s, repeated with the same key only when no answer came. */
export function useCaseSubmit(): CaseSubmit {
  const guard = useSubmitGuard();
  const key = useRef<string>(undefined);
  const [error, setError] = useState<ApiError>();
  return {
    busy: guard.busy,
    locked: guard.locked && !guard.busy,
    error,
    send: (path, body, done) =>
      void guard.run(async () => {
        key.current ??= newIdempotencyKey();
        setError(undefined);
        try {
          const answer = await call<unknown>('POST', `${CASE_ROOT}${path}`, {
            body,
            idempotencyKey: key.current,
          });
          key.current = undefined;
          done(answer);
        } catch (caught) {
          if (!(caught instanceof ApiError)) throw caught;
          if (caught.http !== 0 && caught.http !== 504) key.current = undefined;
          setError(caught);
        }
      }),
  };
}

/** A value as it was when it last stood still for 300 ms: for questions asked while somebody types. */
export function useStill<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  const json = JSON.stringify(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(JSON.parse(json) as T), 300);
    return () => clearTimeout(timer);
  }, [json]);
  return settled;
}
