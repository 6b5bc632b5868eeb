import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import type { SeckillLive } from '../../../domain/seckill/seckill.rules.ts';

/** Everything the live board shows of an activity at this moment. Source: group 16, API (`live`). */
export async function liveOf(db: Executor, activityId: number): Promise<SeckillLive> {
  const activity = (await runOne<{ state: SeckillLive['state']; clock: Date }>(
    db,
    'SELECT state, clock_timestamp() AS clock FROM seckill_activity WHERE id = $1',
    [activityId],
  ))!;
  const sessions = await run<{ id: number; no: number; from: Date; to: Date; open: boolean }>(
    db,
    `SELECT id, position AS no, starts_at AS "from", ends_at AS "to", (starts_at <= clock_timestamp() AND ends_at > clock_timestamp()) AS open
       FROM seckill_session WHERE activity_id = $1 ORDER BY position`,
    [activityId],
  );
  const items = await run<
    Record<'id' | 'session_id' | 'reserved' | 'remaining' | 'held' | 'sold' | 'returned', number> & {
      name: string;
      refused: Record<string, number> | null;
    }
  >(
    db,
    `SELECT i.id, i.session_id, p.name || ' ' || s.name AS name, i.reserved, i.remaining, i.held, i.sold, i.returned,
            (SELECT jsonb_object_agg(x.reason, x.n) FROM (SELECT reason, sum(count)::int AS n FROM activity_refusal_count r WHERE r.item_id = i.id GROUP BY 1) x) AS refused
       FROM seckill_item i JOIN seckill_session n ON n.id = i.session_id JOIN product_spec s ON s.id = i.spec_id JOIN product p ON p.id = i.product_id
      WHERE i.activity_id = $1 ORDER BY n.position, i.position, i.id`,
    [activityId],
  );
  const perSecond = await run<{ second: Date; accepted: number; refused: number }>(
    db,
    `SELECT second, sum(accepted)::int AS accepted, sum(refused)::int AS refused FROM (
       SELECT date_trunc('second', created_at) AS second, 1 AS accepted, 0 AS refused FROM seckill_claim
        WHERE activity_id = $1 AND created_at > clock_timestamp() - interval '5 minutes'
       UNION ALL SELECT r.second, 0, r.count FROM activity_refusal_count r JOIN seckill_item i ON i.id = r.item_id
        WHERE i.activity_id = $1 AND r.second > clock_timestamp() - interval '5 minutes') x GROUP BY 1 ORDER BY 1`,
    [activityId],
  );
  const unpaid = await run<{ id: number; code: string; qty: number; until: Date }>(
    db,
    `SELECT o.id, o.code, c.qty, o.pay_deadline AS until FROM seckill_claim c JOIN sales_order o ON o.id = c.order_id
      WHERE c.activity_id = $1 AND c.state = 'held' ORDER BY o.pay_deadline, o.id LIMIT 50`,
    [activityId],
  );
  return {
    serverTime: activity.clock.toISOString(),
    state: activity.state,
    sessions: sessions.map((one) => ({
      sessionId: String(one.id),
      no: one.no,
      startsAt: one.from.toISOString(),
      endsAt: one.to.toISOString(),
      open: one.open,
    })),
    items: items.map(({ id, session_id: sessionId, refused, ...rest }) => ({
      ...rest,
      itemId: String(id),
      sessionId: String(sessionId),
      refused: refused ?? {},
    })),
    perSecond: perSecond.map((one) => ({ ...one, second: one.second.toISOString() })),
    unpaid: unpaid.map((one) => ({
      orderId: String(one.id),
      orderCode: one.code,
      qty: one.qty,
      payDeadline: one.until.toISOString(),
    })),
  };
}

/** A movement between shelf and activity. */
export interface SeckillMovement {
  readonly id: string;
  readonly at: string;
  readonly label: string;
  readonly op: number;
  readonly qty: number;
  readonly before: number;
  readonly after: number;
  readonly reason: string;
}

/** Movements op 7 and 8 of an activity, the newest first. */
export async function movementsOf(db: Executor, activityId: number): Promise<SeckillMovement[]> {
  const rows = await run<Omit<SeckillMovement, 'id' | 'at'> & { id: number; at: Date }>(
    db,
    `SELECT v.id, v.at, p.name || ' ' || s.name AS label, v.op, v.qty, v.stock_before AS before, v.stock_after AS after, v.reason
       FROM stock_movement v JOIN product_spec s ON s.id = v.spec_id JOIN product p ON p.id = s.product_id
      WHERE v.op IN (7, 8) AND v.spec_id IN (SELECT spec_id FROM seckill_item WHERE activity_id = $1) AND (
        (v.source_type = 'seckill_item' AND v.source_id IN (SELECT id::text FROM seckill_item WHERE activity_id = $1))
        OR (v.source_type = 'seckill_change' AND split_part(v.source_id, ':', 1) IN (SELECT id::text FROM seckill_item WHERE activity_id = $1))
        OR (v.source_type = 'activity_order' AND v.source_id IN (SELECT order_id::text FROM seckill_claim WHERE activity_id = $1)))
      ORDER BY v.id DESC LIMIT 300`,
    [activityId],
  );
  return rows.map((row) => ({ ...row, id: String(row.id), at: row.at.toISOString() }));
}
