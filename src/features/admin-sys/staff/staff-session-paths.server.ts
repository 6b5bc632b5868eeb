import { z } from 'zod';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import type { BoundResource } from '../../../kernel/server/resource/bind.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { writeAudit, writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, transaction } from '../../../kernel/server/database.ts';
import { notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { endpoint, type Access, type Endpoint } from '../../../kernel/server/registration.ts';
import { endSessions } from '../../../kernel/server/people/session-changes.ts';
import { protectAdministrators } from '../permission-group/reach-rules.server.ts';
import { STAFF } from './staff-commands.server.ts';

/** Live sessions of a staff, the end of one of them, and the sign-ins of 90 days, below the root of a view of staff. */
export function sessionEndpoints(
  root: string,
  menu: string,
  access: { readonly sessions: Access; readonly signIns: Access },
  bound: () => BoundResource,
): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: `${root}/:id/sessions`,
      title: ['会话', 'Sessions'],
      access: access.sessions,
      handle: async (call) => {
        const row = await bound().find(call, idOf(call.params.id));
        const rows = await run<{
          id: number;
          address: string;
          user_agent: string;
          created_at: Date;
          last_seen_at: Date;
        }>(
          call.platform.database.db,
          'SELECT id, address, user_agent, created_at, last_seen_at FROM session WHERE staff_id = $1 AND ended_at IS NULL ORDER BY last_seen_at DESC LIMIT 50',
          [row.id],
        );
        return rows.map((one) => ({
          id: String(one.id),
          address: one.address,
          device: one.user_agent,
          since: isoInstant(one.created_at),
          lastSeen: isoInstant(one.last_seen_at),
          current: one.id === call.caller.sessionId,
        }));
      },
    }),
    endpoint({
      method: 'POST',
      path: `${root}/:id/endSession`,
      title: ['下线会话', 'End a session'],
      access: access.sessions,
      body: z.strictObject({ sessionId: z.string().regex(/^\d{1,15}$/) }),
      handle: async (call) => {
        const row = await bound().find(call, idOf(call.params.id));
        if (Number(call.body.sessionId) === call.caller.sessionId)
          throw ruleBroken(['当前会话请使用退出登录', 'Use sign-out for the session you are in']);
        await transaction(call.platform.database.db, async (tx) => {
          await protectAdministrators(tx, call.caller, Number(row.id));
          // The staff is part of the condition: a session of somebody else is none.
          if (
            (await endSessions(
              tx,
              { staffId: Number(row.id), sessionId: Number(call.body.sessionId) },
              'kicked',
            )) === 0
          )
            throw notFound(['会话已结束', 'The session has ended']);
          await writeTimeline(tx, {
            entity: STAFF,
            entityId: Number(row.id),
            caller: call.caller,
            action: 'endSession',
            label: ['下线一个会话', 'A session was ended'],
          });
          await writeAudit(tx, {
            caller: call.caller,
            facts: call.facts,
            menu,
            action: 'endSession',
            entity: STAFF,
            entityId: Number(row.id),
            after: { sessionId: call.body.sessionId },
          });
        });
        call.platform.changed('session');
        return true;
      },
    }),
    endpoint({
      method: 'GET',
      path: `${root}/:id/signIns`,
      title: ['登录记录', 'Sign-ins'],
      access: access.signIns,
      handle: async (call) => {
        const row = await bound().find(call, idOf(call.params.id));
        const rows = await run<{
          id: number;
          at: Date;
          address: string;
          user_agent: string;
          result: string;
          way: string | null;
        }>(
          call.platform.database.db,
          `SELECT id, at, address, user_agent, result, way FROM sign_in_attempt WHERE staff_id = $1 AND at > now() - interval '90 days' ORDER BY id DESC LIMIT 200`,
          [row.id],
        );
        return rows.map((one) => ({
          id: String(one.id),
          at: isoInstant(one.at),
          address: one.address,
          device: one.user_agent,
          result: one.result,
          way: one.way,
        }));
      },
    }),
  ];
}
