import { QueryClient } from '@tanstack/react-query';

/** Age in milliseconds after which a list or report is fetched again when its tab is shown. */
export const FRESH_MS = 60_000;

/**
 * The product's query cache: a tab shown again after 60 s refreshes, failures are shown once and never repeated
 * behind the staff's back.
 */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: { staleTime: FRESH_MS, gcTime: 10 * 60_000, retry: false, refetchOnWindowFocus: false },
      mutations: { retry: false },
    },
  });
}

/**
 * The same cache for views that are never cached: what such a view read is forgotten with it, and it asks the server again
 * each time it is shown. What it changes still refreshes every other view.
 */
export function uncached(client: QueryClient): QueryClient {
  const { queries, ...others } = client.getDefaultOptions();
  return new QueryClient({
    queryCache: client.getQueryCache(),
    mutationCache: client.getMutationCache(),
    defaultOptions: { ...others, queries: { ...queries, staleTime: 0, gcTime: 0 } },
  });
}
