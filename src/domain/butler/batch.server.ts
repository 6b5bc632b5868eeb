import type { Label } from '../../kernel/contract/label.ts';
import { businessDayOf, startOfBusinessDay } from '../../kernel/contract/time.rules.ts';
import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';
import { capCut, tierBonus, WHOLE_BP } from './butler.rules.ts';
import { endOfMonth } from './batch-month.rules.ts';
import { planAt } from './plan.server.ts';
import { dueRewards } from './task.server.ts';

export const MONTH_OPEN: Label = ['月份尚未结束', 'The month is not over'];

/** A butler's terms of a batch. */
export interface BatchTerms {
  readonly housekeeperId: number;
  readonly sale: number;
  readonly clawback: number;
  readonly valid: number;
  readonly bonus: number;
  readonly capCut: number;
  readonly carryIn: number;
  readonly score: string | null;
  readonly coefficientBp: number;
}

const OPEN = `i.state = 'payable' AND i.batch_id IS NULL AND i.kind IN ('sale', 'clawback') AND i.centre_id = $1 AND i.payable_at < $2`;

/**
 * The terms of each butler of a centre city for a month: rows that may be paid up to its end, the bonus of what became payable
 * in it, the cap, what earlier batches left. The bonus is the month's, whichever batch took its rows: of a month that was given up
 * the next batch takes them, and its own batch, made again, gives the bonus. Source: group 12, arithmetic 5 to 7.
 */
export async function termsOf(db: Executor, centreId: number, month: string): Promise<readonly BatchTerms[]> {
  const end = endOfMonth(month);
  const plan = await planAt(db, new Date(end.getTime() - 1));
  const rows = await run<Omit<BatchTerms, 'bonus' | 'capCut'>>(
    db,
    `WITH open AS (SELECT i.housekeeper_id, sum(i.amount) FILTER (WHERE i.kind = 'sale') AS sale, sum(i.amount) FILTER (WHERE i.kind = 'clawback') AS clawback
                     FROM incentive i WHERE ${OPEN} GROUP BY 1),
          month AS (SELECT i.housekeeper_id, sum(p.valid) AS valid FROM incentive i JOIN butler_performance p ON p.id = i.performance_id
                     WHERE i.kind = 'sale' AND i.state IN ('payable', 'paid', 'clawed_back') AND i.centre_id = $1 AND i.payable_at < $2 AND i.payable_at >= $3 GROUP BY 1),
          carry AS (SELECT l.housekeeper_id, sum(l.carry_out) AS carry FROM incentive_batch_line l JOIN incentive_batch b ON b.id = l.batch_id
                     WHERE b.centre_id = $1 AND b.state = 'paid' AND l.carry_out < 0 AND l.carried_to_id IS NULL GROUP BY 1)
     SELECT k.id AS "housekeeperId", coalesce(o.sale, 0)::bigint AS sale, coalesce(o.clawback, 0)::bigint AS clawback, coalesce(m.valid, 0)::bigint AS valid,
            coalesce(c.carry, 0)::bigint AS "carryIn", a.total::text AS score, coalesce(a.coefficient_bp, ${WHOLE_BP}) AS "coefficientBp"
       FROM housekeeper k LEFT JOIN open o ON o.housekeeper_id = k.id LEFT JOIN month m ON m.housekeeper_id = k.id LEFT JOIN carry c ON c.housekeeper_id = k.id
       LEFT JOIN butler_appraisal a ON a.housekeeper_id = k.id AND a.month = $4 AND a.state = 'confirmed'
      WHERE o.housekeeper_id IS NOT NULL OR m.housekeeper_id IS NOT NULL OR c.housekeeper_id IS NOT NULL ORDER BY k.id`,
    [centreId, end, startOfBusinessDay(`${month}-01`), month],
  );
  return rows.map((row) => ({
    ...row,
    bonus: plan ? tierBonus(row.valid, plan.tiers, row.coefficientBp) : 0,
    capCut: plan ? capCut(row.sale, plan.capFen) : 0,
  }));
}

/** Takes every row that may be paid into a new batch. `id` is the batch's row, written already; the month's live batch is unique. */
export async function fillBatch(
  tx: Tx,
  batch: { readonly id: number; readonly centreId: number; readonly month: string },
): Promise<void> {
  const end = endOfMonth(batch.month);
  // Whoever refunds meanwhile waits, or is in time: rows are locked before they are added up.
  await run(tx, `SELECT i.id FROM incentive i WHERE ${OPEN} ORDER BY i.id FOR UPDATE`, [batch.centreId, end]);
  const terms = await termsOf(tx, batch.centreId, batch.month);
  await run(tx, `UPDATE incentive i SET batch_id = $3, updated_at = now() WHERE ${OPEN}`, [
    batch.centreId,
    end,
    batch.id,
  ]);
  for (const one of terms) {
    await run(
      tx,
      `INSERT INTO incentive_batch_line (batch_id, housekeeper_id, valid, score, coefficient_bp, carry_in) VALUES ($1, $2, $3, $4, $5, $6)`,
      [batch.id, one.housekeeperId, one.valid, one.score, one.coefficientBp, one.carryIn],
    );
    for (const [kind, amount] of [
      ['tier_bonus', one.bonus],
      ['cap_cut', one.capCut],
    ] as const)
      if (amount !== 0)
        await run(
          tx,
          `INSERT INTO incentive (housekeeper_id, centre_id, kind, amount, state, batch_id, payable_at) VALUES ($1, $2, $3, $4, 'payable', $5, now())`,
          [one.housekeeperId, batch.centreId, kind, amount, batch.id],
        );
  }
  for (const reward of await dueRewards(tx, batch.centreId, batch.month)) {
    await run(
      tx,
      `INSERT INTO incentive (housekeeper_id, centre_id, kind, amount, state, batch_id, payable_at, reason, task_id) VALUES ($1, $2, 'manual', $3, 'payable', $4, now(), $5, $6)`,
      [
        reward.housekeeperId,
        batch.centreId,
        reward.amount,
        batch.id,
        `运营任务：${reward.title}`,
        reward.taskId,
      ],
    );
    await run(
      tx,
      `INSERT INTO incentive_batch_line (batch_id, housekeeper_id) VALUES ($1, $2) ON CONFLICT ON CONSTRAINT incentive_batch_line_once DO NOTHING`,
      [batch.id, reward.housekeeperId],
    );
  }
  await run(
    tx,
    `UPDATE incentive_batch_line l SET carried_to_id = $2 FROM incentive_batch b
      WHERE b.id = l.batch_id AND b.centre_id = $1 AND b.state = 'paid' AND l.carry_out < 0 AND l.carried_to_id IS NULL`,
    [batch.centreId, batch.id],
  );
  await sumBatch(tx, batch.id);
}

/** Adds the rows of a batch up, per butler and as a whole. */
export async function sumBatch(tx: Tx, batchId: number): Promise<void> {
  const of = (kind: string, as = kind) =>
    `coalesce(sum(i.amount) FILTER (WHERE i.kind = '${kind}'), 0)::bigint AS ${as}`;
  await run(
    tx,
    `UPDATE incentive_batch_line l SET sale = x.sale, bonus = x.bonus, clawback = x.clawback, cap_cut = x.cap_cut, manual = x.manual
       FROM (SELECT l.id, ${of('sale')}, ${of('tier_bonus', 'bonus')}, ${of('clawback')}, ${of('cap_cut')}, ${of('manual')}
               FROM incentive_batch_line l LEFT JOIN incentive i ON i.batch_id = l.batch_id AND i.housekeeper_id = l.housekeeper_id AND i.state <> 'cancelled'
              WHERE l.batch_id = $1 GROUP BY l.id) x WHERE x.id = l.id`,
    [batchId],
  );
  await run(
    tx,
    `UPDATE incentive_batch b SET butlers = x.butlers, sale = x.sale, bonus = x.bonus, clawback = x.clawback, cap_cut = x.cap_cut, manual = x.manual, carry_in = x.carry_in, net = x.net
       FROM (SELECT count(*)::int AS butlers, coalesce(sum(sale), 0) AS sale, coalesce(sum(bonus), 0) AS bonus, coalesce(sum(clawback), 0) AS clawback,
                    coalesce(sum(cap_cut), 0) AS cap_cut, coalesce(sum(manual), 0) AS manual, coalesce(sum(carry_in), 0) AS carry_in, coalesce(sum(net), 0) AS net
               FROM incentive_batch_line WHERE batch_id = $1) x WHERE b.id = $1`,
    [batchId],
  );
}

/** Refuses a month that is not over, and a second live batch of a month and city by the code of the first, also in a race. */
export async function requireFreeMonth(tx: Tx, centreId: number, month: string): Promise<void> {
  if (month >= businessDayOf(new Date()).slice(0, 7)) throw ruleBroken(MONTH_OPEN);
  // The second of two waits here until the first stands; the index holds in any case.
  await run(tx, `SELECT pg_advisory_xact_lock(hashtext('incentive_batch'), $1::integer)`, [centreId]);
  const other = await runOne<{ code: string }>(
    tx,
    `SELECT code FROM incentive_batch WHERE centre_id = $1 AND month = $2 AND state <> 'void'`,
    [centreId, month],
  );
  if (!other) return;
  const taken: Label = [`该月份已有批次 ${other.code}`, `The month has a batch already: ${other.code}`];
  throw ruleBroken(taken, { fields: { month: taken } });
}

/** A signed amount beside the rows of a batch. */
export async function addManual(
  tx: Tx,
  row: {
    readonly batchId: number;
    readonly centreId: number;
    readonly housekeeperId: number;
    readonly amount: number;
    readonly reason: string;
    readonly evidenceId: string | null;
    readonly by: number;
  },
): Promise<void> {
  await run(
    tx,
    `INSERT INTO incentive (housekeeper_id, centre_id, kind, amount, state, batch_id, payable_at, reason, evidence_id, created_by)
     VALUES ($1, $2, 'manual', $3, 'payable', $4, now(), $5, $6, $7)`,
    [row.housekeeperId, row.centreId, row.amount, row.batchId, row.reason, row.evidenceId, row.by],
  );
  await run(
    tx,
    `INSERT INTO incentive_batch_line (batch_id, housekeeper_id) VALUES ($1, $2) ON CONFLICT ON CONSTRAINT incentive_batch_line_once DO NOTHING`,
    [row.batchId, row.housekeeperId],
  );
  await sumBatch(tx, row.batchId);
}

/** The rows of a batch are paid; what was wholly given back meanwhile says so. */
export async function payRows(tx: Tx, batchId: number): Promise<void> {
  await run(
    tx,
    `UPDATE incentive i SET state = CASE WHEN i.kind = 'sale' AND i.amount + coalesce((SELECT sum(c.amount) FROM incentive c
              WHERE c.performance_id = i.performance_id AND c.kind = 'clawback' AND c.state <> 'cancelled'), 0) = 0 THEN 'clawed_back' ELSE 'paid' END, updated_at = now()
      WHERE i.batch_id = $1 AND i.state = 'payable'`,
    [batchId],
  );
}

/** The rows of a batch that is given up are free again; what only it had is cancelled. */
export async function freeRows(tx: Tx, batchId: number): Promise<void> {
  await run(
    tx,
    `UPDATE incentive SET state = 'cancelled', updated_at = now() WHERE batch_id = $1 AND kind IN ('tier_bonus', 'cap_cut', 'manual')`,
    [batchId],
  );
  await run(
    tx,
    `UPDATE incentive SET batch_id = NULL, updated_at = now() WHERE batch_id = $1 AND kind IN ('sale', 'clawback')`,
    [batchId],
  );
  await run(tx, 'UPDATE incentive_batch_line SET carried_to_id = NULL WHERE carried_to_id = $1', [batchId]);
}
