import { useRef, useState } from 'react';
import { ApiError, call, newIdempotencyKey } from '../../../kernel/client/api-client.ts';
import { currentLanguage } from '../../../kernel/client/language.ts';
import { businessTimeText } from '../../../kernel/contract/time.rules.ts';
import { useSubmitGuard } from '../../../kernel/client/parts/use-guard.ts';
import type { RowData } from '../../../kernel/client/wire.ts';

/** Sends an action once: guarded for 3 s, repeated with the same key only when no answer came. */
export function useVisitSubmit(root: string) {
  const guard = useSubmitGuard();
  const key = useRef<string>(undefined);
  const [error, setError] = useState<ApiError>();
  return {
    busy: guard.busy,
    locked: guard.locked && !guard.busy,
    error,
    send: (path: string, body: object, done: (answer: RowData & { result?: unknown }) => void) =>
      void guard.run(async () => {
        key.current ??= newIdempotencyKey();
        setError(undefined);
        try {
          const answer = await call<RowData & { result?: unknown }>('POST', `${root}${path}`, {
            body,
            idempotencyKey: key.current,
            quiet: true,
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

/** What a refused action says, its fields included, with the free times a full one names. */
export function refusalText(error: ApiError): string {
  const fields = Object.values(error.fields);
  const nearest = (error.data as { nearestText?: readonly string[] } | null)?.nearestText ?? [];
  const [and, list, so] = currentLanguage() === 'en' ? ['; ', ', ', ': '] : ['；', '、', '：'];
  return [fields.length > 0 ? fields.join(and) : error.message, nearest.join(list)].filter(Boolean).join(so);
}

/** Day and time of the day of an instant in business time. */
export function dayAndTime(iso: string): { readonly day: string; readonly time: string } {
  const text = businessTimeText(iso);
  return { day: text.slice(0, 10), time: text.slice(11, 16) };
}
