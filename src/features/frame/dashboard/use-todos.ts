import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { keysOf } from '../../../kernel/client/wire.ts';

/** A kind of work that waits for the staff, with how much of it. */
export interface Todo {
  readonly kind: string;
  /** In the caller's language. */
  readonly label: string;
  readonly count: number;
  /** Instant of the oldest, or null. */
  readonly oldest: string | null;
  /** How many of them are overdue. */
  readonly overdue: number;
  /** Screen with its filters set. */
  readonly route: string;
}

/** The to-dos of the staff; the server sends only kinds whose menu is held, and keeps most counts 30 s. */
export function useTodos() {
  return useQuery({
    queryKey: keysOf.todos,
    staleTime: 4_000,
    // What others hand in is seen within five seconds, where the list is open. Source: group 17, approval centre.
    refetchInterval: 4_000,
    queryFn: async () => {
      const todos = await call<readonly Todo[]>('GET', '/api/admin/home/todo', { quiet: true });
      return todos.filter((todo) => todo.count > 0);
    },
  });
}
