import { useRef, useState } from 'react';
import { ApiError, call, newIdempotencyKey } from '../../../kernel/client/api-client.ts';
import { useSubmitGuard } from '../../../kernel/client/parts/use-guard.ts';

/** Holds several positions once: guarded for 3 s, repeated with the same key only when no answer came. */
export function useHold() {
  const guard = useSubmitGuard();
  const key = useRef<string>(undefined);
  const [error, setError] = useState<string>();
  return {
    busy: guard.busy,
    locked: guard.locked && !guard.busy,
    error,
    send: (body: object, done: () => void) =>
      void guard.run(async () => {
        key.current ??= newIdempotencyKey();
        setError(undefined);
        try {
          await call('POST', '/api/jinmao/web/positionBoard/hold', {
            body,
            idempotencyKey: key.current,
            quiet: true,
          });
          key.current = undefined;
          done();
        } catch (caught) {
          if (!(caught instanceof ApiError)) throw caught;
          if (caught.http !== 0 && caught.http !== 504) key.current = undefined;
          const fields = Object.values(caught.fields);
          setError(fields.length > 0 ? fields.join('；') : caught.message);
        }
      }),
  };
}
