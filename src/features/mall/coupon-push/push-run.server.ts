import { claimCoupon } from '../../../domain/coupon/claim.server.ts';
import { LIMIT_REACHED } from '../../../domain/coupon/coupon.rules.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { run, runOne, transaction, type Tx } from '../../../kernel/server/database.ts';
import { Refusal, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import type { Job } from '../../../kernel/server/registration.ts';
import type { BoundResource } from '../../../kernel/server/resource/bind.ts';

/** Rows read at once. Source: group 08, jobs (500 a batch). */
const BATCH = 500;

/** Words of a single result. Source: group 08, mm_targetedCoupons. */
const AT_LIMIT: Label = ['达到上限', 'Limit reached'];
const MEMBER_OFF: Label = ['会员已停用', 'The member is disabled'];

/**
 * Starts pushes whose time has come, gives their coupons and ends them. Each coupon is given in a transaction of its own with the
 * row that says so, so that a crash or a second worker finds every row either done or waiting.
 */
export function pushJob(bound: () => BoundResource): Job {
  return {
    name: 'coupon.push.run',
    title: ['定向发券', 'Targeted coupons'],
    cron: '* * * * *',
    run: async (_payload, platform, context) => {
      const { db } = platform.database;
      const act = (action: string, id: number) =>
        transaction(db, (tx) => bound().actAsSystem(tx, platform, action, id)).catch((error: unknown) => {
          // Another worker was first.
          if (!(error instanceof Refusal)) throw error;
        });
      const due = await run<{ id: number }>(
        db,
        `SELECT id FROM coupon_push WHERE state = 'scheduled' AND coalesce(send_at <= now(), true) ORDER BY id`,
      );
      for (const { id } of due) await act('start', id);
      const sending = await run<{ id: number; coupon_id: number }>(
        db,
        `SELECT id, coupon_id FROM coupon_push WHERE state = 'sending' ORDER BY id`,
      );
      for (const push of sending) {
        for (let after = 0; ;) {
          const items = await run<{ id: number; member_id: number }>(
            db,
            `SELECT id, member_id FROM coupon_push_item WHERE push_id = $1 AND id > $2 AND state = 'pending' ORDER BY id LIMIT ${BATCH}`,
            [push.id, after],
          );
          for (const item of items) {
            context?.signal.throwIfAborted();
            await give(platform, item.id, push.coupon_id, item.member_id);
          }
          platform.changed('couponPush');
          if (items.length < BATCH) break;
          after = items.at(-1)!.id;
        }
        await act('finish', push.id);
      }
    },
  };
}

/** Gives one coupon and marks its row in the same transaction; a refusal is written on the row instead. */
async function give(platform: Platform, itemId: number, couponId: number, memberId: number): Promise<void> {
  const { db } = platform.database;
  try {
    await transaction(db, async (tx) => {
      if (!(await hold(tx, itemId))) return;
      // Banned for good.
      const off = await runOne(tx, `SELECT FROM member WHERE id = $1 AND banned_until = 'infinity'`, [
        memberId,
      ]);
      if (off) throw ruleBroken(MEMBER_OFF);
      const given = await claimCoupon(tx, platform, { couponId, memberId, pushed: true });
      await run(
        tx,
        `UPDATE coupon_push_item SET state = 'success', member_coupon_id = $2, reason_zh = '', reason_en = '', done_at = now() WHERE id = $1`,
        [itemId, given.memberCouponId],
      );
    });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const why = error.label === LIMIT_REACHED ? AT_LIMIT : error.label;
    await run(
      db,
      `UPDATE coupon_push_item SET state = 'failed', reason_zh = $2, reason_en = $3, done_at = now() WHERE id = $1 AND state = 'pending'`,
      [itemId, why[0], why[1]],
    );
  }
}

/** Whether the row still waits; held until the transaction ends. Who gives elsewhere skips it. */
async function hold(tx: Tx, itemId: number): Promise<boolean> {
  return Boolean(
    await runOne(
      tx,
      `SELECT 1 FROM coupon_push_item WHERE id = $1 AND state = 'pending' FOR UPDATE SKIP LOCKED`,
      [itemId],
    ),
  );
}
