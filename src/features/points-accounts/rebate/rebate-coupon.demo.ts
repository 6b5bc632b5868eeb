import { settleRebate } from '../../../domain/rebate/rebate.server.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { rebateRule } from './rebate.contract.ts';

const DAY = 86_400_000;
/** Payments of how many days it looks at, and how many of them earn in the demonstration. */
const [DAYS, MOST] = [40, 10];

/** A rule that gives coupons, to payments no rule of points matched: given ones, waiting ones, and what the limit of the coupon refused. */
export const demo = defineDemo({
  key: 'paymentRebateCoupons',
  after: ['paymentRebates'],
  run: async ({ tx, insert, tell, now, as, platform }) => {
    const author = as('finance1');
    const day = (offset: number) => businessDayOf(new Date(now.getTime() + offset * DAY));
    const ends = day(50);
    const coupon = await runOne<{ id: number }>(
      tx,
      `SELECT id FROM coupon WHERE issuer = 'platform' AND status IN ('published', 'in_use') AND (ends_at AT TIME ZONE 'Asia/Shanghai')::date >= $1::date
        ORDER BY per_limit DESC, id LIMIT 1`,
      [ends],
    );
    const items = await run<{ id: number }>(
      tx,
      `SELECT id FROM fee_item WHERE kind IN ('management', 'parking') AND EXISTS (SELECT FROM bill b WHERE b.fee_item_id = fee_item.id) ORDER BY id`,
    );
    // One project is enough to look at: the one with the most payments that earned nothing.
    const projects = await run<{ id: number }>(
      tx,
      `SELECT p.project_id AS id FROM bill_payment p WHERE p.value_date BETWEEN $1 AND $2
          AND NOT EXISTS (SELECT FROM payment_rebate_grant g WHERE g.payment_id = p.id) GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1`,
      [day(-DAYS), day(0)],
    );
    if (!coupon || items.length === 0 || projects.length === 0) return;
    const made = new Date(now.getTime() - (DAYS + 2) * DAY);
    const [id] = await insert('payment_rebate_rule', [
      {
        name: '缴费满300元送券',
        receiver: 'payer',
        basis: 'amount',
        reward_kind: 'coupon',
        coupon_id: coupon.id,
        per_yuan: 300,
        give_points: 1,
        cap_payment: 1,
        no_arrears: false,
        priority: 60,
        final_days: 7,
        starts_on: day(-DAYS),
        ends_on: ends,
        state: 'enabled',
        created_at: made,
        created_by: author.staffId,
        updated_at: made,
        updated_by: author.staffId,
      },
    ]);
    const [projectIds, itemIds] = [projects, items].map((rows) => rows.map((one) => one.id));
    await run(tx, 'INSERT INTO payment_rebate_project SELECT $1, unnest($2::bigint[])', [id, projectIds]);
    await run(tx, 'INSERT INTO payment_rebate_item SELECT $1, unnest($2::bigint[])', [id, itemIds]);
    const { create, enable } = rebateRule.actions!;
    const entry = { entity: rebateRule.name, entityId: id!, caller: author } as const;
    await tell({ ...entry, action: 'create', label: create.label, at: made });
    const enabled = new Date(made.getTime() + 3_600_000);
    await tell({
      ...entry,
      action: 'enable',
      label: enable.label,
      from: 'draft',
      to: 'enabled',
      at: enabled,
    });
    await run(
      tx,
      `INSERT INTO payment_rebate_version (rule_id, no, terms, project_ids, item_ids, made_at, made_by)
       SELECT t.id, 1, payment_rebate_terms(t), $2::bigint[], $3::bigint[], $4, $5 FROM payment_rebate_rule t WHERE t.id = $1`,
      [id, projectIds, itemIds, enabled, author.staffId],
    );
    await run(
      tx,
      `INSERT INTO payment_rebate_place (rule_id, project_id, fee_item_id, priority, period)
       SELECT t.id, p.project_id, i.fee_item_id, t.priority, daterange(t.starts_on, t.ends_on, '[]')
         FROM payment_rebate_rule t JOIN payment_rebate_project p ON p.rule_id = t.id JOIN payment_rebate_item i ON i.rule_id = t.id WHERE t.id = $1`,
      [id],
    );
    const payments = await run<{ id: number }>(
      tx,
      `SELECT DISTINCT p.id, p.value_date FROM bill_payment p JOIN bill_allocation a ON a.payment_id = p.id JOIN bill b ON b.id = a.bill_id
        WHERE b.fee_item_id = ANY($1::bigint[]) AND p.project_id = ANY($4::bigint[]) AND p.value_date BETWEEN $2 AND $3
          AND NOT EXISTS (SELECT FROM payment_rebate_grant g WHERE g.payment_id = p.id) ORDER BY p.value_date DESC, p.id LIMIT ${MOST * 4}`,
      [itemIds, day(-DAYS), day(0), projectIds],
    );
    for (const payment of payments) {
      await settleRebate(tx, platform, payment.id, [{ ruleId: id!, no: 1 }]);
      const given = await runOne<{ n: number }>(
        tx,
        'SELECT count(*)::int AS n FROM payment_rebate_grant WHERE rule_id = $1',
        [id],
      );
      if (given!.n >= MOST) break;
    }
    // Numbers of coupons are drawn; those of a demonstration are the same for the same rows.
    await run(
      tx,
      `UPDATE member_coupon SET code = '7301' || right(code, 8) WHERE id = ANY(ARRAY(
         SELECT unnest(member_coupon_ids) FROM payment_rebate_grant WHERE rule_id = $1))`,
      [id],
    );
  },
});
