import { useQuery } from '@tanstack/react-query';
import { ApiError, call } from '../../../../kernel/client/api-client.ts';

/** Query key of the unread number. */
export const unreadKey = ['notification', 'unread'] as const;

/** Unread messages of the staff. */
export interface Unread {
  readonly total: number;
  /** How many of them are of level important. */
  readonly important?: number;
  /** How many of them are alerts; null for who gets none. */
  readonly alerts?: number | null;
}

const POLL_MS = 60_000;

/** Number of unread messages, polled every 60 s; undefined when the server has no notifications. */
export function useUnread(): Unread | undefined {
  const { data } = useQuery({
    queryKey: unreadKey,
    staleTime: POLL_MS / 2,
    refetchInterval: (query) => (query.state.data === null ? false : POLL_MS),
    queryFn: async (): Promise<Unread | null> => {
      try {
        return await call<Unread>('GET', '/api/admin/notification/unread', {
          quiet: true,
        });
      } catch (error) {
        if (error instanceof ApiError && (error.http === 404 || error.http === 403)) return null;
        throw error;
      }
    },
  });
  return data ?? undefined;
}
