import { createContext, useContext, useEffect, useRef, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { ApiError, call, newIdempotencyKey } from '../../../kernel/client/api-client.ts';
import { useSubmitGuard } from '../../../kernel/client/parts/use-guard.ts';
import type { Resource } from '../../../kernel/contract/resource.ts';
import { keysOf, rootOf, type RowData } from '../../../kernel/client/wire.ts';
import { goodsOrder } from './goods-order.contract.ts';
import type { OrderParts } from './order-parts.rules.ts';

/** Where goods orders live on the server. */
export const ORDER_ROOT = rootOf(goodsOrder);

/** The menu the orders are seen under: the same dialogs and the same page, with that menu's rights and paths. */
export const OrderContract = createContext<Resource>(goodsOrder as unknown as Resource);

/** The contract of the menu around and where its orders live on the server. */
export function useOrderContract(): { readonly contract: Resource; readonly root: string } {
  const contract = useContext(OrderContract);
  return { contract, root: rootOf(contract) };
}

/** An order with its parts, as the detail sends it. */
export type OrderRow = RowData & OrderParts;

/** One order with its parts. `poll` asks again every so many milliseconds while something is awaited. */
export function useOrder(id: string, poll: number | false = false) {
  const { contract, root } = useOrderContract();
  return useQuery({
    queryKey: keysOf.row(contract.name, id),
    queryFn: ({ signal }) => call<OrderRow>('GET', `${root}/${encodeURIComponent(id)}`, { signal }),
    refetchInterval: poll,
  });
}

/** What sending an action gives to a dialog. */
export interface OrderSubmit {
  readonly busy: boolean;
  readonly locked: boolean;
  /** The last refusal; field messages are in its `fields`. */
  readonly error: ApiError | undefined;
  readonly send: (path: string, body: object, done: (answer: RowData & { result?: unknown }) => void) => void;
}

/** Sends an action once: guarded for 3 s, repeated with the same key only when no answer came. */
export function useOrderSubmit(): OrderSubmit {
  const guard = useSubmitGuard();
  const { root } = useOrderContract();
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
          const answer = await call<RowData & { result?: unknown }>('POST', `${root}${path}`, {
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

/** The address of a stored picture. */
export function pictureUrl(id: string | null): string | undefined {
  return id ? `/api/file/${id}` : undefined;
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
