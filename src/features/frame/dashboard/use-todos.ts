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

/** The to-dos of the staff; the server sends only kinds whose menu is held. Cached 30 s, or until an own action. */
export function useTodos() {
  return useQuery({
    queryKey: keysOf.todos,
    staleTime: 30_000,
    queryFn: async () => {
      const todos = await call<readonly Todo[]>('GET', '/api/admin/home/todo', { quiet: true });
      return todos.filter((todo) => todo.count > 0);
    },
  });
}
