import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { keysOf, rootOf } from '../../../kernel/client/wire.ts';
import {
  pointsAccount,
  type AccountDifference,
  type AccountFigures,
  type AccountOverview,
} from './account.contract.ts';

/** Cards over all accounts in scope. */
export function useAccountFigures() {
  return useQuery({
    queryKey: [...keysOf.all(pointsAccount.name), 'figures'],
    queryFn: ({ signal }) => call<AccountFigures>('GET', `${rootOf(pointsAccount)}/figures`, { signal }),
  });
}

/** The numbers of one account. */
export function useOverview(id: string) {
  return useQuery({
    queryKey: [...keysOf.row(pointsAccount.name, id), 'overview'],
    queryFn: ({ signal }) =>
      call<AccountOverview>('GET', `${rootOf(pointsAccount)}/${encodeURIComponent(id)}/overview`, { signal }),
  });
}

/** What a check answered. */
export interface Reconciled {
  readonly accounts: number;
  readonly looked: number;
  readonly differences: readonly AccountDifference[];
}

/** Checks some accounts, or all in scope. */
export function useReconcile(ids: readonly string[] | undefined) {
  return useQuery({
    queryKey: [...keysOf.all(pointsAccount.name), 'reconcile', ids?.join(',') ?? 'all'],
    gcTime: 0,
    staleTime: Infinity,
    queryFn: ({ signal }) =>
      call<Reconciled>('POST', `${rootOf(pointsAccount)}/reconcile`, { body: { ids: ids ?? [] }, signal }),
  });
}
