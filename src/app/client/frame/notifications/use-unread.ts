import { useQuery } from '@tanstack/react-query';
import { ApiError, call } from '../../../../kernel/client/api-client.ts';

/** Query key of the unread number. */
export const unreadKey = ['notification', 'unread'] as const;

const POLL_MS = 60_000;

/** Number of unread messages, polled every 60 s; undefined when the server has no notifications. */
export function useUnread(): number | undefined {
  const { data } = useQuery({
    queryKey: unreadKey,
    staleTime: POLL_MS / 2,
    refetchInterval: (query) => (query.state.data === null ? false : POLL_MS),
    queryFn: async (): Promise<number | null> => {
      try {
        const { total } = await call<{ readonly total: number }>('GET', '/api/admin/notification/unread', {
          quiet: true,
        });
        return total;
      } catch (error) {
        if (error instanceof ApiError && (error.http === 404 || error.http === 403)) return null;
        throw error;
      }
    },
  });
  return data ?? undefined;
}
