import type { Label } from '../../kernel/contract/label.ts';
import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import type { Invariant } from '../../kernel/server/registration.ts';
import { sqlInvariant } from '../../kernel/server/sql-invariant.ts';
import type { AttachedOrder, OrderAttachment } from '../checkout/order-attachments.server.ts';
import { saidTwice } from '../coupon/said-twice.rules.ts';
import { lockMembers } from '../points-ledger/ledger-book.server.ts';
import {
  capturePoints,
  holdPoints,
  releasePoints,
  spendablePoints,
} from '../points-ledger/points-ledger.server.ts';
import { leastOf, type CoinTerms, type OfferedRule } from './coin-deduction.rules.ts';
import { TODAY } from '../../kernel/server/today.ts';

/** Told when more coins are asked for than there are. */
export const TOO_FEW: Label = ['代币余额不足', 'Not enough coins'];
/** Told when all goods are of an activity that takes none. */
export const NOT_HERE: Label = ['该活动不可使用代币', 'Coins cannot be used in this activity'];
const PRICE_CHANGED: Label = ['价格已变化，请重新确认', 'The price has changed, please confirm again'];

/** Rules a member's order in a project may use today, with what budget and the member's caps leave. */
export async function offeredRules(
  db: Executor,
  place: { readonly projectId: number; readonly memberId: number },
): Promise<readonly OfferedRule[]> {
  const rows = await run<{
    ruleId: number;
    name: string;
    terms: CoinTerms;
    booked: number;
    day: number;
    month: number;
  }>(
    db,
    `SELECT t.id AS "ruleId", t.name, v.terms, t.booked, ${usedSql('day')} AS day, ${usedSql('month')} AS month
       FROM coin_deduction_rule t JOIN coin_deduction_project p ON p.rule_id = t.id AND p.project_id = $1
       JOIN LATERAL (SELECT x.terms FROM coin_deduction_version x WHERE x.rule_id = t.id ORDER BY x.no DESC LIMIT 1) v ON true
      WHERE t.state = 'enabled' AND ${TODAY} BETWEEN t.starts_on AND t.ends_on ORDER BY t.id`,
    [place.projectId, place.memberId],
  );
  return rows.map(({ booked, day, month, ...row }) => ({
    ...row,
    capsLeft: leastOf(
      row.terms.budget === null ? null : row.terms.budget - booked,
      row.terms.capDay === null ? null : row.terms.capDay - day,
      row.terms.capMonth === null ? null : row.terms.capMonth - month,
    ),
  }));
}

const periodSql = (name: 'day' | 'month', day = TODAY) =>
  name === 'day' ? `'day:' || ${day}` : `'month:' || to_char(${day}, 'YYYY-MM')`;
const usedSql = (name: 'day' | 'month') =>
  `coalesce((SELECT u.used FROM coin_deduction_used u WHERE u.rule_id = t.id AND u.member_id = $2 AND u.period = ${periodSql(name)}), 0)`;

const source = (orderId: number, purpose: string) => ({
  type: 'sales_order',
  id: String(orderId),
  purpose,
});

interface UseRow {
  readonly id: number;
  readonly rule_id: number;
  readonly member_id: number;
  readonly used_on: string;
  readonly coins: number;
  readonly amount: number;
  readonly coins_back: number;
  readonly amount_back: number;
  readonly state: string;
}

const useOf = (tx: Tx, orderId: number) =>
  runOne<UseRow>(
    tx,
    `SELECT id, rule_id, member_id, used_on::text AS used_on, coins, amount, coins_back, amount_back, state FROM coin_deduction_use WHERE order_id = $1 FOR UPDATE`,
    [orderId],
  );

/**
 * Coins of an order are held with it, spent when it is paid and free again when it is closed; the refund itself gives them back
 * into their lots. Budget and caps follow. Source: group 16, mk_coinDeductionRule.
 */
export const coinDeduction: OrderAttachment = {
  matches: (order) => order.kind === 'goods' || order.kind === 'service',
  hold: (tx, _platform, order) => holdCoins(tx, order),
  paid: async (tx, _platform, order) => {
    const use = await useOf(tx, order.id);
    if (!use) return;
    if (use.coins > 0)
      await capturePoints(tx, {
        hold: source(order.id, 'coin_hold'),
        source: source(order.id, 'coin_capture'),
        unit: 'coin',
      });
    await run(tx, `UPDATE coin_deduction_use SET state = 'captured', version = version + 1 WHERE id = $1`, [
      use.id,
    ]);
  },
  released: (tx, platform, order) => releaseCoins(tx, platform, order.id),
  refunded: async (tx, _platform, order, refund) => {
    const use = await useOf(tx, order.id);
    if (!use || use.state === 'released') return;
    const back = (await runOne<{ coins: number; amount: number }>(
      tx,
      'SELECT coins, coins_value AS amount FROM refund WHERE id = $1',
      [refund.id],
    ))!;
    if (back.coins === 0 && back.amount === 0) return;
    await giveRoom(tx, use, back.amount);
    await run(
      tx,
      `UPDATE coin_deduction_use SET coins_back = coins_back + $2, amount_back = amount_back + $3, version = version + 1,
              state = CASE WHEN amount_back + $3 = amount THEN 'returned' ELSE state END WHERE id = $1`,
      [use.id, back.coins, back.amount],
    );
  },
};

async function holdCoins(tx: Tx, order: AttachedOrder): Promise<void> {
  if (order.coinsValue === 0) return;
  const priced = await runOne<{ rule: number; amount: number; coins: number; base: number; formula: Label }>(
    tx,
    `SELECT s.source_id::bigint AS rule, sum(s.amount)::bigint AS amount, sum(s.units)::bigint AS coins,
            (SELECT (x->>'base')::bigint FROM sales_order o, jsonb_array_elements(o.quote->'steps') x WHERE o.id = $1 AND x->>'code' = '45' LIMIT 1) AS base,
            (SELECT x->'formula' FROM sales_order o, jsonb_array_elements(o.quote->'steps') x WHERE o.id = $1 AND x->>'code' = '45' LIMIT 1) AS formula
       FROM order_share s JOIN order_line l ON l.id = s.line_id WHERE l.order_id = $1 AND s.step = 45 GROUP BY 1`,
    [order.id],
  );
  if (!priced || priced.amount === 0) return;
  const { rule, amount, coins } = priced;
  if (coins > 0) {
    // The account first: of two orders of a member the second sees what the first one left.
    await lockMembers(tx, [order.memberId], 'coin');
    if ((await spendablePoints(tx, order.memberId, 'coin')) < coins) throw ruleBroken(TOO_FEW);
    await holdPoints(tx, {
      memberId: order.memberId,
      amount: coins,
      unit: 'coin',
      source: source(order.id, 'coin_hold'),
    });
  }
  const taken = await runOne<{ day: string; capDay: number | null; capMonth: number | null }>(
    tx,
    `UPDATE coin_deduction_rule SET booked = booked + $2 WHERE id = $1 AND state = 'enabled' AND (budget IS NULL OR booked + $2 <= budget)
     RETURNING (${TODAY})::text AS day, cap_day AS "capDay", cap_month AS "capMonth"`,
    [rule, amount],
  );
  if (!taken) throw ruleBroken(PRICE_CHANGED);
  for (const [name, cap] of [
    ['day', taken.capDay],
    ['month', taken.capMonth],
  ] as const) {
    const raised = await runOne(
      tx,
      `INSERT INTO coin_deduction_used AS u (rule_id, member_id, period, used, most) SELECT $1, $2, ${periodSql(name, '$3::date')}, $4::bigint, $5::bigint WHERE $5::bigint IS NULL OR $4::bigint <= $5::bigint
       ON CONFLICT (rule_id, member_id, period) DO UPDATE SET used = u.used + excluded.used, most = excluded.most
         WHERE excluded.most IS NULL OR u.used + excluded.used <= excluded.most RETURNING 1 AS one`,
      [rule, order.memberId, taken.day, amount, cap],
    );
    if (!raised) throw ruleBroken(PRICE_CHANGED);
  }
  await run(
    tx,
    `INSERT INTO coin_deduction_use (rule_id, version_no, order_id, order_code, project_id, tenant_id, member_id, used_on, base, coins, amount, explain)
     SELECT $1, (SELECT max(v.no) FROM coin_deduction_version v WHERE v.rule_id = $1), o.id, o.code, o.project_id, o.tenant_id, o.member_id, $3, $4, $5, $6, $7
       FROM sales_order o WHERE o.id = $2`,
    [rule, order.id, taken.day, priced.base, coins, amount, saidTwice(priced.formula)],
  );
}

async function releaseCoins(tx: Tx, platform: Platform, orderId: number): Promise<void> {
  const use = await useOf(tx, orderId);
  if (use?.state !== 'held') return;
  if (use.coins > 0)
    await releasePoints(tx, platform.settings, {
      hold: source(orderId, 'coin_hold'),
      source: source(orderId, 'coin_release'),
      unit: 'coin',
    });
  await giveRoom(tx, use, use.amount);
  await run(
    tx,
    `UPDATE coin_deduction_use SET state = 'released', coins_back = coins, amount_back = amount, version = version + 1 WHERE id = $1`,
    [use.id],
  );
}

/** Gives back to the budget and to the caps of the day it was used. */
async function giveRoom(tx: Tx, use: UseRow, amount: number): Promise<void> {
  await run(tx, 'UPDATE coin_deduction_rule SET booked = booked - $2 WHERE id = $1', [use.rule_id, amount]);
  await run(
    tx,
    `UPDATE coin_deduction_used SET used = used - $4 WHERE rule_id = $1 AND member_id = $2 AND period IN (${periodSql('day', '$3::date')}, ${periodSql('month', '$3::date')})`,
    [use.rule_id, use.member_id, use.used_on, amount],
  );
}

/** What holds of coins that pay for orders. */
export const coinDeductionInvariants: readonly Invariant[] = [
  sqlInvariant(
    'coin_deduction.booked: what of a budget and of caps is used is what its orders have',
    `SELECT r.code AS what, ARRAY[r.booked, (SELECT coalesce(sum(u.used), 0) FROM coin_deduction_used u WHERE u.rule_id = r.id AND u.period LIKE 'day:%')] AS found,
            ARRAY[x.left_over, x.left_over] AS wanted
       FROM coin_deduction_rule r CROSS JOIN LATERAL (SELECT coalesce(sum(u.amount - u.amount_back), 0) AS left_over FROM coin_deduction_use u WHERE u.rule_id = r.id) x`,
  ),
  sqlInvariant(
    'coin_deduction.shares: what an order uses is what its lines have',
    `SELECT u.order_code AS what, ARRAY[u.amount, u.coins, CASE WHEN u.state = 'released' THEN 0 ELSE u.amount_back END] AS found, ARRAY[x.amount, x.units, x.back] AS wanted
       FROM coin_deduction_use u CROSS JOIN LATERAL (
         SELECT coalesce(sum(s.amount), 0) AS amount, coalesce(sum(s.units), 0) AS units, coalesce(sum(s.refunded_amount), 0) AS back
           FROM order_share s JOIN order_line l ON l.id = s.line_id WHERE l.order_id = u.order_id AND s.step = 45) x`,
  ),
];
