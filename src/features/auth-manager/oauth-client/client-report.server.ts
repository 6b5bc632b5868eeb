import { z } from 'zod';
import { run } from '../../../kernel/server/database.ts';
import { endpoint } from '../../../kernel/server/registration.ts';

/** Calls of one client in the time that was asked for. */
export interface ClientCalls {
  readonly client: string;
  readonly name: string | null;
  readonly calls: number;
  readonly refused: number;
  readonly failed: number;
  readonly p95: number;
}

/** How often each client called in the last 24 hours or 7 days, from the gate log. */
export const clientCalls = endpoint({
  method: 'GET',
  path: '/admin/oauthClient/calls',
  title: ['按客户端统计调用', 'Calls by client'],
  access: { code: 'oauthClientDetailsManager' },
  query: z.strictObject({ days: z.enum(['1', '7']).default('1') }),
  handle: ({ platform, query }) =>
    run<ClientCalls>(
      platform.replica.db,
      `SELECT g.client, max(c.name) AS name, count(*)::int AS calls, count(*) FILTER (WHERE g.http BETWEEN 400 AND 499)::int AS refused,
              count(*) FILTER (WHERE g.http >= 500)::int AS failed, percentile_disc(0.95) WITHIN GROUP (ORDER BY g.duration_ms)::int AS p95
         FROM gate_log g LEFT JOIN oauth_client c ON c.client_id = g.client
        WHERE g.client <> '' AND g.at > now() - make_interval(days => $1) GROUP BY g.client ORDER BY calls DESC, g.client LIMIT 200`,
      [Number(query.days)],
    ),
});
