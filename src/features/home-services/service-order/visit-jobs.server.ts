import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { defineRegistration, type Invariant } from '../../../kernel/server/registration.ts';
import { alertStaff } from '../../../domain/checkout/alert.server.ts';
import { freePlace } from '../../../domain/home-service/appointment/visit-place.server.ts';
import {
  changeVisit,
  lockVisit,
  moveOrder,
  tellMember,
  tellPerson,
  timeText,
  visitsLeft,
} from '../../../domain/home-service/appointment/visit-record.server.ts';
import { cancelPaid } from './visit-cancel.server.ts';

/** Visits whose customer did not choose another time: everything goes back, once. Source: group 07, Jobs; Must show 7. */
export async function refundUnchosen(platform: Platform): Promise<number> {
  const due = await run<{ order_id: number }>(
    platform.database.db,
    `SELECT DISTINCT a.order_id FROM appointment a JOIN sales_order o ON o.id = a.order_id
      WHERE a.state = 'choose_again' AND a.choose_until <= clock_timestamp() AND o.state IN ('to_accept', 'to_visit') AND o.refund_status <> 'refunding'
      ORDER BY 1 LIMIT 200`,
  );
  let done = 0;
  for (const { order_id } of due)
    await transaction(platform.database.db, async (tx) => {
      // Another instance, or the customer at the last minute, may have been faster.
      const still = await runOne(
        tx,
        `SELECT 1 AS one FROM sales_order o WHERE o.id = $1 AND o.state IN ('to_accept', 'to_visit') AND EXISTS (
           SELECT FROM appointment a WHERE a.order_id = o.id AND a.state = 'choose_again' AND a.choose_until <= clock_timestamp()) FOR NO KEY UPDATE OF o`,
        [order_id],
      );
      if (!still) return;
      await cancelPaid({ tx, platform }, order_id, {
        by: 'merchant',
        reason: '未在期限内选择新的时间，系统全额退款',
      });
      done += 1;
    }).catch((error: unknown) => platform.log.error({ error, order_id }, 'service.choose_again_due failed'));
  if (done > 0) changed(platform);
  return done;
}

/**
 * Times of teams that are still forming so shortly before the visit are given back; the team goes on, and another time is
 * chosen when it is complete. Source: group 07, mm_groupOrderService.
 */
export async function releaseForming(platform: Platform): Promise<number> {
  const hours = await platform.settings.number('service.group_hold_hours');
  const due = await run<{ id: number }>(
    platform.database.db,
    `SELECT a.id FROM appointment a JOIN sales_order o ON o.id = a.order_id WHERE a.state = 'held' AND o.state = 'grouping'
        AND a.starts_at <= clock_timestamp() + make_interval(hours => $1) ORDER BY a.id LIMIT 200`,
    [hours],
  );
  let done = 0;
  for (const { id } of due)
    await transaction(platform.database.db, async (tx) => {
      // The team may have become complete, or another instance been faster.
      const { visit, order } = await lockVisit(tx, id);
      if (visit.state !== 'held' || order.state !== 'grouping') return;
      await freePlace(tx, visit.slot_id!, visit.qty);
      await changeVisit({ tx, platform }, visit, {
        action: 'release',
        label: ['组团未完成，时段释放', 'Team still forming, time given back'],
        to: 'released',
      });
      await tellMember(
        tx,
        visit,
        `您参团预约的时段（${timeText(visit.starts_at)}）因尚未成团已释放，成团后请重新选择时间。`,
      );
      done += 1;
    }).catch((error: unknown) => platform.log.error({ error, id }, 'service.group_hold failed'));
  if (done > 0) changed(platform);
  return done;
}

/** Tells customer and person 24 and 2 hours before a visit, each once. */
export async function remindVisits(platform: Platform): Promise<number> {
  let told = 0;
  for (const hours of [2, 24]) {
    // Claimed by the update, so two instances never tell twice; the nearer reminder makes the further one needless.
    const rows = await transaction(platform.database.db, async (tx) => {
      const claimed = await run<{
        id: number;
        code: string;
        contact_phone: string;
        person_id: number | null;
        starts_at: Date;
        name: string;
      }>(
        tx,
        `UPDATE appointment a SET reminded = $1 FROM product p WHERE p.id = a.product_id AND a.state IN ('to_accept', 'assigned')
            AND a.starts_at > clock_timestamp() AND a.starts_at <= clock_timestamp() + make_interval(hours => $1)
            AND (a.reminded = 0 OR a.reminded > $1)
          RETURNING a.id, a.code, a.contact_phone, a.person_id, a.starts_at, p.name`,
        [hours],
      );
      for (const row of claimed) {
        await tellMember(tx, row, `提醒：您预约的${row.name}将于 ${timeText(row.starts_at)} 上门。`);
        await tellPerson(tx, row.person_id, `提醒：预约 ${row.code} 将于 ${timeText(row.starts_at)} 开始。`);
      }
      return claimed;
    });
    told += rows.length;
  }
  return told;
}

/** Visits that ended long ago without a word are finished when nobody complained. Source: group 07, service order states. */
export async function finishForgotten(platform: Platform): Promise<number> {
  const days = await platform.settings.number('service.auto_finish_days');
  const due = await run<{ id: number }>(
    platform.database.db,
    `SELECT a.id FROM appointment a JOIN sales_order o ON o.id = a.order_id WHERE a.state IN ('assigned', 'serving')
        AND a.ends_at <= clock_timestamp() - make_interval(days => $1) AND o.state = 'to_visit' AND o.refund_status <> 'refunding' ORDER BY a.id LIMIT 200`,
    [days],
  );
  for (const { id } of due)
    await transaction(platform.database.db, async (tx) => {
      const { visit, order } = await lockVisit(tx, id);
      if (!['assigned', 'serving'].includes(visit.state) || order.state !== 'to_visit') return;
      await changeVisit({ tx, platform }, visit, {
        action: 'auto_finish',
        label: ['自动完成', 'Finished automatically'],
        to: 'done',
        set: { finished_at: new Date() },
      });
      const to = (await visitsLeft(tx, order.id)) <= 0 ? 'completed' : 'to_visit';
      await moveOrder({ tx, platform }, order, {
        to,
        code: 27,
        action: 'auto_finish',
        remark: `计划结束${days}天后自动完成`,
      });
    }).catch((error: unknown) => platform.log.error({ error, id }, 'service.finish_watch failed'));
  if (due.length > 0) changed(platform);
  return due.length;
}

/** Places that differ from their visits. A visit that was made, or missed, has used its place. */
const SLOT_RULE = `SELECT 'slot ' || s.id || ': taken ' || s.taken || ' <> visits ' || coalesce(a.qty, 0) AS what FROM service_slot s
  LEFT JOIN (SELECT slot_id, sum(qty)::integer AS qty FROM appointment WHERE state IN ('held', 'to_accept', 'assigned', 'serving', 'done', 'no_show') GROUP BY 1) a
    ON a.slot_id = s.id WHERE s.taken <> coalesce(a.qty, 0)`;

const slotInvariant: Invariant = {
  name: 'service.slots',
  check: async (platform: Platform) => {
    const db = platform.database.db;
    const looked = await runOne<{ n: number }>(db, 'SELECT count(*) AS n FROM service_slot');
    const broken = await run<{ what: string }>(db, `${SLOT_RULE} LIMIT 200`);
    return { looked: looked!.n, problems: broken.map((row) => row.what) };
  },
};

const stateInvariant: Invariant = {
  name: 'service.order_states',
  check: async (platform: Platform) => {
    const db = platform.database.db;
    const looked = await runOne<{ n: number }>(
      db,
      `SELECT count(*) AS n FROM sales_order WHERE kind = 'service'`,
    );
    const broken = await run<{ what: string }>(
      db,
      `SELECT o.code || ': ' || o.state || ' with a visit ' || a.state AS what FROM sales_order o JOIN appointment a ON a.order_id = o.id
        WHERE (o.state = 'closed' AND a.state IN ('held', 'to_accept', 'assigned', 'serving'))
           OR (o.state = 'to_accept' AND a.state IN ('held', 'assigned', 'serving')) OR (o.state = 'pending_payment' AND a.state IN ('assigned', 'serving')) LIMIT 200`,
    );
    return { looked: looked!.n, problems: broken.map((row) => row.what) };
  },
};

/** Says that orders and visits of services are others than before. */
export function changed(platform: Platform): void {
  for (const entity of ['serviceOrder', 'appointment']) platform.changed(entity);
}

/** Jobs and invariants of visits. Source: group 07, Jobs. */
export const registration = defineRegistration({
  endpoints: [],
  invariants: [slotInvariant, stateInvariant],
  jobs: [
    {
      name: 'service.choose_again_due',
      title: ['逾期未改约全额退款', 'Refund visits nobody chose a new time for'],
      cron: '*/5 * * * *',
      run: async (_payload, platform) => void (await refundUnchosen(platform)),
    },
    {
      name: 'service.group_hold',
      title: ['释放未成团的预约时段', 'Give back times of teams still forming'],
      cron: '*/5 * * * *',
      run: async (_payload, platform) => void (await releaseForming(platform)),
    },
    {
      name: 'service.remind',
      title: ['上门提醒', 'Remind of visits'],
      cron: '*/5 * * * *',
      run: async (_payload, platform) => void (await remindVisits(platform)),
    },
    {
      name: 'service.finish_watch',
      title: ['自动完成逾期未核销的服务', 'Finish forgotten visits'],
      cron: '17 * * * *',
      run: async (_payload, platform) => void (await finishForgotten(platform)),
    },
    {
      name: 'service.slot_check',
      title: ['核对时段占用', 'Check places against visits'],
      cron: '40 3 * * *',
      run: async (_payload, platform) => {
        const { problems } = await slotInvariant.check(platform);
        if (problems.length === 0) return;
        const list = problems.slice(0, 5).join('; ');
        platform.log.error({ problems: problems.slice(0, 20) }, 'places differ from visits');
        await transaction(platform.database.db, (tx) =>
          alertStaff(tx, {
            kind: 'alertStock',
            title: [
              `时段核对发现${problems.length}处差异`,
              `The check of places found ${problems.length} differences`,
            ],
            body: [list, list],
          }),
        );
      },
    },
  ],
});
