import { yuanFromFen } from '../../kernel/contract/money.rules.ts';
import type { Label } from '../../kernel/contract/label.ts';
import { run, runOne, transaction, type Executor, type Tx } from '../../kernel/server/database.ts';
import { Refusal } from '../../kernel/server/http/errors.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import type { Effect, Invariant } from '../../kernel/server/registration.ts';
import type { SettingsReader } from '../../kernel/server/settings/settings-store.ts';
import { sqlInvariant } from '../../kernel/server/sql-invariant.ts';
import { addEffect, finishEffect } from '../../kernel/server/tasks/outbox.ts';
import type { OrderAttachment } from '../checkout/order-attachments.server.ts';
import { saidTwice } from '../coupon/said-twice.rules.ts';
import { gradeIdSql } from '../grade/member-grade.server.ts';
import { classesAboveSql } from '../order-rule/order-lines.server.ts';
import { LINE_KINDS } from '../points-ledger/ledger-book.server.ts';
import { grantPoints } from '../points-ledger/points-grant.server.ts';
import { endOfDay } from '../points-ledger/points-lots.server.ts';
import { grantPending, reducePending } from '../points-ledger/points-pending.server.ts';
import { clawbackPoints } from '../points-ledger/points-take-back.server.ts';
import {
  resultOf,
  returnsOf,
  roomOf,
  splitReturn,
  type PaidLine,
  type ReturnLoss,
  type ReturnResult,
  type ReturnRule,
  type ReturnTerms,
} from './points-return.rules.ts';
import { TODAY } from '../../kernel/server/today.ts';

const EFFECT = 'pointsReturn.settle';

/**
 * What an order gives back hangs on it: which versions of rules it was priced with is noted when it is made, the rest is worked
 * out after payment and after refunds, so that no rule can stop either. Source: group 16, mk_returnIntegralRule.
 */
export const pointsReturn: OrderAttachment = {
  matches: (order) => order.kind === 'goods' || order.kind === 'service',
  hold: async (tx, _platform, order) => {
    await run(
      tx,
      `INSERT INTO points_return_noted (order_id, rule_id, no)
       SELECT $1, t.id, (SELECT max(v.no) FROM points_return_version v WHERE v.rule_id = t.id)
         FROM points_return_rule t JOIN points_return_project p ON p.rule_id = t.id AND p.project_id = $2
        WHERE t.state = 'enabled' AND ${TODAY} BETWEEN t.starts_on AND t.ends_on`,
      [order.id, order.projectId],
    );
  },
  paid: async (tx, _platform, order) => {
    const noted = await runOne(tx, 'SELECT 1 AS one FROM points_return_noted WHERE order_id = $1 LIMIT 1', [
      order.id,
    ]);
    if (noted) await addEffect(tx, EFFECT, { orderId: order.id });
  },
  released: async () => {},
  refunded: async (tx, _platform, order) => {
    const given = await runOne(tx, 'SELECT 1 AS one FROM points_return_grant WHERE order_id = $1 LIMIT 1', [
      order.id,
    ]);
    if (given) await addEffect(tx, EFFECT, { orderId: order.id });
  },
};

/** An order as rules look at it; `lines` with the cash that is still paid. */
export interface ReturnOrder {
  readonly id: number;
  readonly code: string;
  readonly projectId: number;
  readonly tenantId: number;
  readonly memberId: number;
  readonly gradeId: number | null;
  readonly day: string;
  readonly paidAt: Date;
  readonly completedAt: Date | null;
  readonly lines: readonly PaidLine[];
}

/** SQL of paid orders as rules look at them; `where` names the order `o`. */
export const returnOrderSql = (where: string): string => `
  SELECT o.id, o.code, o.project_id AS "projectId", o.tenant_id AS "tenantId", o.member_id AS "memberId", ${gradeIdSql('o.member_id')} AS "gradeId",
         (o.paid_at AT TIME ZONE 'Asia/Shanghai')::date::text AS day, o.paid_at AS "paidAt", o.completed_at AS "completedAt",
         (SELECT jsonb_agg(jsonb_build_object('lineId', l.id, 'productId', l.product_id, 'merchantId', o.tenant_id, 'businessId', p.business_id,
                  'classIds', to_jsonb(${classesAboveSql('l.product_id')}), 'cash', greatest(l.cash - l.cash_refunded, 0)) ORDER BY l.line_no)
            FROM order_line l JOIN product p ON p.id = l.product_id WHERE l.order_id = o.id) AS lines
    FROM sales_order o WHERE o.paid_at IS NOT NULL AND ${where}`;

/** An order by its id, paid. */
export async function returnOrder(db: Executor, orderId: number): Promise<ReturnOrder | undefined> {
  return runOne<ReturnOrder>(db, returnOrderSql('o.id = $1'), [orderId]);
}

interface GrantRow {
  readonly id: number;
  readonly rule_id: number;
  readonly version_no: number;
  readonly member_id: number;
  readonly asset: 'points' | 'coin';
  readonly tenths: number;
  readonly room: number;
  readonly granted: number;
  readonly taken_back: number;
  readonly booked: number;
  readonly state: string;
  readonly settled: number;
  readonly paid_on: string;
  readonly release_at: Date | null;
  readonly terms: ReturnTerms;
}

const GRANTS = `SELECT g.id, g.rule_id, g.version_no, g.member_id, g.asset, g.tenths, g.room, g.granted, g.taken_back, g.booked, g.state, g.settled,
       g.paid_on::text AS paid_on, g.release_at, v.terms
  FROM points_return_grant g JOIN points_return_version v ON v.rule_id = g.rule_id AND v.no = g.version_no`;

/** Gives a paid order what it earned, or takes back what it earns no more; repeats do nothing. */
export async function settleReturn(tx: Tx, settings: SettingsReader, orderId: number): Promise<void> {
  const locked = await runOne(tx, 'SELECT id FROM sales_order WHERE id = $1 FOR NO KEY UPDATE', [orderId]);
  const order = locked === undefined ? undefined : await returnOrder(tx, orderId);
  if (!order) return;
  const grants = await run<GrantRow>(
    tx,
    `${GRANTS} WHERE g.order_id = $1 ORDER BY g.rule_id FOR UPDATE OF g`,
    [orderId],
  );
  if (grants.length > 0) return settleAgain(tx, order, grants);
  const noted = await run<ReturnRule>(
    tx,
    `SELECT n.rule_id AS "ruleId", n.no, v.terms FROM points_return_noted n JOIN points_return_version v ON v.rule_id = n.rule_id AND v.no = n.no
      WHERE n.order_id = $1 ORDER BY n.rule_id`,
    [orderId],
  );
  const { results, losses } = returnsOf(noted, order);
  // All counters before any account: two orders of one member never wait for each other in turn.
  const rooms = [];
  for (const result of results) rooms.push(await takeRoom(tx, result, order));
  for (const [index, result] of results.entries())
    await giveFirst(
      tx,
      settings,
      order,
      result,
      rooms[index]!,
      losses.filter((loss) => loss.to === result.rule.ruleId),
    );
}

type Room = ReturnType<typeof roomOf>;

const periodsOf = (day: string, terms: ReturnTerms, memberId: number) =>
  [
    { name: 'day', member: memberId, period: `day:${day}`, cap: terms.capDay },
    { name: 'month', member: memberId, period: `month:${day.slice(0, 7)}`, cap: terms.capMonth },
    { name: 'total', member: 0, period: 'total', cap: terms.capTotal },
  ] as const;

/** What the caps of day, month and rule leave; raises them by it. The rule's own row comes last: it is the hot one. */
async function takeRoom(tx: Tx, result: ReturnResult, order: ReturnOrder): Promise<Room> {
  const { ruleId, terms } = result.rule;
  const caps = [];
  for (const { name, member, period, cap } of periodsOf(order.day, terms, order.memberId)) {
    await run(
      tx,
      'INSERT INTO points_return_used (rule_id, member_id, period) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
      [ruleId, member, period],
    );
    const { used } = (await runOne<{ used: number }>(
      tx,
      'SELECT used FROM points_return_used WHERE rule_id = $1 AND member_id = $2 AND period = $3 FOR UPDATE',
      [ruleId, member, period],
    ))!;
    caps.push({ name, cap, used });
  }
  const room = roomOf(result.points, caps);
  await raiseUsed(tx, ruleId, terms, order.day, order.memberId, room.granted);
  return room;
}

/** Raises or lowers the counters; the table refuses what passes a cap. */
async function raiseUsed(
  tx: Tx,
  ruleId: number,
  terms: ReturnTerms,
  day: string,
  memberId: number,
  by: number,
): Promise<void> {
  if (by === 0) return;
  for (const { member, period, cap } of periodsOf(day, terms, memberId))
    await run(
      tx,
      `UPDATE points_return_used SET used = used + $4, most = CASE WHEN $4 > 0 THEN $5 ELSE most END WHERE rule_id = $1 AND member_id = $2 AND period = $3`,
      [ruleId, member, period, by, cap],
    );
}

/** Names of the caps, for explanations. */
export const CAPS: Readonly<Record<string, Label>> = {
  minimum: ['未达最低实付', 'Below the least payment'],
  order: ['单笔上限', 'Cap of an order'],
  day: ['日上限', 'Cap of a day'],
  month: ['月上限', 'Cap of a month'],
  total: ['规则总上限', 'Total cap of the rule'],
};
const LOST: Readonly<Record<ReturnLoss['why'], Label>> = {
  priority: ['优先级较低', 'lower priority'],
  smaller: ['结果较小', 'gives less'],
  id: ['编号较后', 'later number'],
};

/** The formula of a result in words, with the cap that cut it and the rules that lost to it. */
export function explainReturn(
  result: ReturnResult,
  granted: number,
  why: string | undefined,
  losses: readonly ReturnLoss[],
  codes: ReadonlyMap<number, string>,
): Label {
  const { terms } = result.rule;
  const times = result.tenths === 10 ? '' : ` × ${(result.tenths / 10).toFixed(1)}`;
  const formula = `floor(${yuanFromFen(result.base)} × ${terms.give}${times} / ${yuanFromFen(terms.perFen)}) = ${result.wanted}`;
  const cut = why ? CAPS[why] : undefined;
  const part = (at: 0 | 1, open: string, join: string) =>
    [
      formula,
      ...(cut ? [`${cut[at]} → ${granted}`] : []),
      ...losses.map(
        (loss) =>
          `${at === 0 ? '未采用' : 'not used'} ${codes.get(loss.rule.ruleId) ?? loss.rule.ruleId}${open}${LOST[loss.why][at]}${open === '（' ? '）' : ')'}`,
      ),
    ].join(join);
  return [part(0, '（', '；'), part(1, ' (', '; ')];
}

/** Codes of rules by id. */
export async function ruleCodes(db: Executor, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const rows = await run<{ id: number; code: string }>(
    db,
    'SELECT id, code FROM points_return_rule WHERE id = ANY($1::bigint[])',
    [ids],
  );
  return new Map(rows.map((row) => [row.id, row.code]));
}

async function giveFirst(
  tx: Tx,
  settings: SettingsReader,
  order: ReturnOrder,
  result: ReturnResult,
  room: Room,
  losses: readonly ReturnLoss[],
): Promise<void> {
  const { rule } = result;
  const { granted } = room;
  const why = room.why ?? result.why;
  const releaseAt = releaseOf(order, rule.terms);
  const codes = await ruleCodes(
    tx,
    losses.map((loss) => loss.rule.ruleId),
  );
  const row = (await runOne<{ id: number }>(
    tx,
    `INSERT INTO points_return_grant (rule_id, version_no, order_id, order_code, project_id, tenant_id, member_id, paid_on, asset, tenths, base, wanted, room,
                                      granted, why, explain, release_at, state)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18) RETURNING id`,
    [
      rule.ruleId,
      rule.no,
      order.id,
      order.code,
      order.projectId,
      order.tenantId,
      order.memberId,
      order.day,
      rule.terms.asset,
      result.tenths,
      result.base,
      result.wanted,
      room.room,
      granted,
      why ?? null,
      saidTwice(explainReturn(result, granted, why, losses, codes)),
      releaseAt ?? null,
      granted === 0 ? 'none' : 'waiting',
    ],
  ))!;
  const parts = splitReturn(granted, result.lines);
  for (const [index, line] of result.lines.entries())
    await run(
      tx,
      'INSERT INTO points_return_line (grant_id, line_id, asset, cash, points) VALUES ($1, $2, $3, $4, $5)',
      [row.id, line.lineId, rule.terms.asset, line.cash, parts[index]],
    );
  if (granted > 0)
    await announce(tx, settings, {
      id: row.id,
      memberId: order.memberId,
      amount: granted,
      terms: rule.terms,
      releaseAt: releaseAt ?? null,
    });
}

/** When an order's points are released; undefined: with its completion. */
function releaseOf(order: ReturnOrder, terms: ReturnTerms): Date | undefined {
  if (terms.grantAt === 'payment') return order.paidAt;
  if (!order.completedAt) return undefined;
  const days = terms.grantAt === 'after' ? terms.afterDays : 0;
  return new Date(new Date(order.completedAt).getTime() + days * 86_400_000);
}

/** Announces or gives the points of a grant; what the ledger refuses stands as failed and can be tried again. */
async function announce(
  tx: Tx,
  settings: SettingsReader,
  grant: {
    readonly id: number;
    readonly memberId: number;
    readonly amount: number;
    readonly terms: ReturnTerms;
    readonly releaseAt: Date | null;
  },
): Promise<void> {
  const { terms } = grant;
  const atOnce = terms.grantAt === 'payment';
  const facts = {
    memberId: grant.memberId,
    amount: grant.amount,
    source: sourceOf(grant.id, 'return'),
    kind: LINE_KINDS.purchase,
    note: '',
    unit: terms.asset === 'coin' ? ('coin' as const) : ('point' as const),
    ...(terms.budgetId !== null && { budgetId: terms.budgetId }),
    // Where the release is not known yet, its end follows with it.
    ...(terms.validDays !== null &&
      grant.releaseAt && { expiresAt: endOfDay(grant.releaseAt, terms.validDays) }),
  };
  await run(tx, 'SAVEPOINT points_return');
  try {
    if (atOnce) await grantPoints(tx, settings, facts);
    else await grantPending(tx, { ...facts, releaseAt: grant.releaseAt });
    await run(tx, 'RELEASE SAVEPOINT points_return');
    await run(
      tx,
      `UPDATE points_return_grant SET failure = '', state = $2, booked = $3, version = version + 1 WHERE id = $1`,
      [grant.id, atOnce ? 'released' : 'waiting', atOnce ? grant.amount : 0],
    );
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    await run(tx, 'ROLLBACK TO SAVEPOINT points_return');
    await run(
      tx,
      `UPDATE points_return_grant SET state = 'failed', failure = $2, version = version + 1 WHERE id = $1`,
      [grant.id, saidTwice(error.label)],
    );
  }
}

/** Tries a failed grant again; answers with the state it has then, nothing when it is not failed. */
export async function retryReturn(
  tx: Tx,
  settings: SettingsReader,
  grantId: number,
): Promise<string | undefined> {
  const [row] = await run<GrantRow>(tx, `${GRANTS} WHERE g.id = $1 AND g.state = 'failed' FOR UPDATE OF g`, [
    grantId,
  ]);
  if (!row) return undefined;
  await announce(tx, settings, {
    id: row.id,
    memberId: row.member_id,
    amount: row.granted - row.taken_back,
    terms: row.terms,
    releaseAt: row.release_at,
  });
  return (await runOne<{ state: string }>(tx, 'SELECT state FROM points_return_grant WHERE id = $1', [
    grantId,
  ]))!.state;
}

/** What an order still earns by the same versions; more than that is taken back, first from announced points. */
async function settleAgain(tx: Tx, order: ReturnOrder, grants: readonly GrantRow[]): Promise<void> {
  const due: { grant: GrantRow; back: number; base: number }[] = [];
  for (const grant of grants) {
    const own = await run<{ id: number }>(
      tx,
      'SELECT line_id AS id FROM points_return_line WHERE grant_id = $1',
      [grant.id],
    );
    const ids = new Set(own.map((row) => row.id));
    const still = resultOf(
      { ruleId: grant.rule_id, no: grant.version_no, terms: grant.terms },
      grant.tenths,
      order.lines.filter((line) => ids.has(line.lineId)),
    );
    const back = grant.granted - grant.taken_back - Math.min(still.points, grant.room);
    if (back > 0) due.push({ grant, back, base: still.base });
  }
  for (const { grant, back } of due)
    await raiseUsed(tx, grant.rule_id, grant.terms, grant.paid_on, grant.member_id, -back);
  for (const { grant, back } of due) {
    const failed = grant.state === 'failed';
    const source = sourceOf(grant.id, `back:${grant.settled + 1}`);
    const given = sourceOf(grant.id, 'return');
    if (grant.state === 'waiting') await reducePending(tx, { pending: given, source, amount: back });
    else if (!failed)
      await clawbackPoints(tx, {
        grant: given,
        source,
        amount: back,
        unit: grant.asset === 'coin' ? 'coin' : 'point',
      });
    // What never reached the ledger is not given rather than taken back.
    const granted = grant.granted - (failed ? back : 0);
    const takenBack = grant.taken_back + (failed ? 0 : back);
    await run(
      tx,
      `UPDATE points_return_grant SET granted = $2, taken_back = $3, settled = settled + 1, version = version + 1,
              state = CASE WHEN $2 = 0 THEN 'none' WHEN $2 = $3 THEN 'taken_back' ELSE state END WHERE id = $1`,
      [grant.id, granted, takenBack],
    );
  }
}

const sourceOf = (id: number, purpose: string) => ({ type: 'points_return', id: String(id), purpose });

/** What caps a member would meet today, without taking any of them; for simulations. */
export async function seeRoom(
  db: Executor,
  rule: ReturnRule,
  points: number,
  memberId: number,
  day: string,
): Promise<Room> {
  const caps = [];
  for (const { name, member, period, cap } of periodsOf(day, rule.terms, memberId)) {
    const row = await runOne<{ used: number }>(
      db,
      'SELECT used FROM points_return_used WHERE rule_id = $1 AND member_id = $2 AND period = $3',
      [rule.ruleId, member, period],
    );
    caps.push({ name, cap, used: row?.used ?? 0 });
  }
  return roomOf(points, caps);
}

/** Works out what orders give back, after them. */
export const pointsReturnEffect: Effect = {
  kind: EFFECT,
  deliver: async (payload: { readonly orderId: number }, platform: Platform, outboxId) => {
    await transaction(platform.database.db, async (tx) => {
      if (!(await finishEffect(tx, outboxId))) return;
      await settleReturn(tx, platform.settings, payload.orderId);
    });
    platform.changed('pointsReturnGrant');
  },
};

/** What holds of points that orders give back. */
export const pointsReturnInvariants: readonly Invariant[] = [
  sqlInvariant(
    'points_return.used: what of a rule is used is what its orders have',
    `SELECT r.code AS what, ARRAY[coalesce((SELECT u.used FROM points_return_used u WHERE u.rule_id = r.id AND u.member_id = 0), 0),
                                  coalesce((SELECT sum(u.used) FROM points_return_used u WHERE u.rule_id = r.id AND u.period LIKE 'day:%'), 0)] AS found,
            ARRAY[g.left_over, g.left_over] AS wanted
       FROM points_return_rule r CROSS JOIN LATERAL (SELECT coalesce(sum(g.granted - g.taken_back), 0) AS left_over FROM points_return_grant g WHERE g.rule_id = r.id) g`,
  ),
  sqlInvariant(
    'points_return.booked: what was given and taken back stands in the ledger',
    `SELECT 'grant ' || g.id AS what, ARRAY[g.booked, g.taken_back] AS found,
            ARRAY[coalesce((SELECT sum(e.amount) FROM ledger_transfer t JOIN ledger_entry e ON e.transfer_id = t.id
                             WHERE t.source_type = 'points_return' AND t.source_id = g.id::text AND t.purpose = 'return' AND e.amount > 0), 0),
                  coalesce((SELECT sum(c.amount) FROM points_pending_cut c WHERE c.source_type = 'points_return' AND c.source_id = g.id::text), 0)
                + coalesce((SELECT sum(e.amount) FROM ledger_transfer t JOIN ledger_entry e ON e.transfer_id = t.id JOIN ledger_account a ON a.id = e.account_id
                             WHERE t.source_type = 'points_return' AND t.source_id = g.id::text AND t.purpose LIKE 'back:%' AND a.kind = 'points_clawed_back'), 0)] AS wanted
       FROM points_return_grant g`,
  ),
  sqlInvariant(
    'points_return.lines: the parts of the lines are the whole at first',
    `SELECT 'grant ' || g.id AS what, ARRAY[(SELECT coalesce(sum(l.points), 0) FROM points_return_line l WHERE l.grant_id = g.id)] AS found, ARRAY[g.granted] AS wanted
       FROM points_return_grant g WHERE g.settled = 0`,
  ),
];
