import { gradeIdSql } from '../../../domain/grade/member-grade.server.ts';
import { mostPerCoupon } from '../../../domain/coupon/coupon.rules.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import type { PushPreview } from './coupon-push.contract.ts';

/** Members (`m`) a push (`p`) speaks to: its audience without those excluded, inside the projects of who wrote it. */
const AUDIENCE = `CASE p.audience
    WHEN 'phones' THEN m.phone = ANY(p.phones)
    WHEN 'projects' THEN m.project_id = ANY(p.project_ids) OR EXISTS (
      SELECT FROM household h JOIN house o ON o.id = h.house_id WHERE h.member_id = m.id AND h.status = 'normal' AND o.project_id = ANY(p.project_ids))
    WHEN 'grades' THEN ${gradeIdSql('m.id')} = ANY(p.grade_ids)
    WHEN 'buildings' THEN EXISTS (
      SELECT FROM household h JOIN house o ON o.id = h.house_id JOIN building_unit u ON u.id = o.unit_id
       WHERE h.member_id = m.id AND h.status = 'normal' AND h.identity = 'owner' AND u.building_id = ANY(p.building_ids))
    ELSE EXISTS (
      SELECT FROM sales_order s JOIN order_line l ON l.order_id = s.id JOIN product_spec c ON c.id = l.spec_id
       WHERE s.member_id = m.id AND s.paid_at > now() - make_interval(days => p.within_days) AND c.product_id = p.product_id) END
  AND m.phone <> ALL(p.excluded_phones)
  AND (p.reach_ids IS NULL OR m.project_id = ANY(p.reach_ids) OR EXISTS (
    SELECT FROM household h JOIN house o ON o.id = h.house_id WHERE h.member_id = m.id AND h.status = 'normal' AND o.project_id = ANY(p.reach_ids)))`;

/** Writes a row for every coupon of every member of the audience as it is now; returns how many people. */
export async function writeItems(tx: Executor, pushId: number): Promise<number> {
  await run(tx, `DELETE FROM coupon_push_item WHERE push_id = $1 AND state = 'pending'`, [pushId]);
  await run(
    tx,
    `INSERT INTO coupon_push_item (push_id, member_id, n)
     SELECT p.id, m.id, g.n FROM coupon_push p JOIN member m ON (${AUDIENCE}) CROSS JOIN generate_series(1, p.per_person) AS g(n)
      WHERE p.id = $1 ORDER BY m.id, g.n ON CONFLICT DO NOTHING`,
    [pushId],
  );
  const row = await runOne<{ people: number }>(
    tx,
    'SELECT count(DISTINCT member_id)::int AS people FROM coupon_push_item WHERE push_id = $1',
    [pushId],
  );
  return row!.people;
}

/** What a push needs: people, coupons, cost ceiling in fen, and what is left of the coupon. */
export async function needOf(db: Executor, pushId: number) {
  const row = (await runOne<{
    people: number;
    per_person: number;
    type: 'cash' | 'discount';
    face: number | null;
    max_discount: number | null;
    left: number;
    status: string;
  }>(
    db,
    `SELECT (SELECT count(*) FROM member m WHERE ${AUDIENCE})::int AS people, p.per_person, c.type, c.face, c.max_discount,
            c.total - c.claimed AS left, c.status
       FROM coupon_push p JOIN coupon c ON c.id = p.coupon_id WHERE p.id = $1`,
    [pushId],
  ))!;
  const needed = row.people * row.per_person;
  return {
    people: row.people,
    needed,
    ceiling: needed * mostPerCoupon({ ...row, maxDiscount: row.max_discount }),
    left: row.left,
    short: Math.max(needed - row.left, 0),
    givable: row.status === 'published' || row.status === 'in_use',
  };
}

/** The preview of a push, with numbers of its list that no member in reach has. */
export async function previewOf(db: Executor, pushId: number): Promise<PushPreview> {
  const need = await needOf(db, pushId);
  const unknown = await run<{ phone: string }>(
    db,
    `SELECT x.phone FROM coupon_push p CROSS JOIN unnest(p.phones) AS x(phone)
      WHERE p.id = $1 AND p.audience = 'phones' AND x.phone <> ALL(p.excluded_phones)
        AND NOT EXISTS (SELECT FROM member m WHERE m.phone = x.phone AND (${AUDIENCE}))`,
    [pushId],
  );
  return {
    people: need.people,
    needed: need.needed,
    ceiling: yuanFromFen(need.ceiling),
    left: need.left,
    short: need.short,
    unknown: unknown.length,
    // Enough to find the row in the own file, not the number.
    unknownSample: unknown.slice(0, 20).map(({ phone }) => phone.replace(/^(.{3}).*(.{4})$/, '$1****$2')),
  };
}
