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
