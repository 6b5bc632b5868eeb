import { maskValue } from '../../../kernel/contract/mask.rules.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import type { SettingsReader } from '../../../kernel/server/settings/settings-store.ts';
import { gradeIdSql } from '../../../domain/grade/member-grade.server.ts';
import { livesIn } from '../../../domain/points-ledger/points-members.server.ts';
import { BUDGET_FIGURES } from '../../../domain/points-ledger/points-budget.server.ts';
import type { SendPreview } from './send.contract.ts';

/** Above it two approve in turn. Source: group 22, pointsSend. */
export const TWO_APPROVE = 1_000_000;

/** Members (`m`) a batch (`b`) goes to, inside the projects of who wrote it; operation users earn none; imported ones have their lines already. */
const AUDIENCE = `CASE b.audience
    WHEN 'chosen' THEN m.id = ANY(b.member_ids)
    WHEN 'import' THEN EXISTS (SELECT FROM points_grant_line l WHERE l.batch_id = b.id AND l.member_id = m.id)
    ELSE (b.project_ids = '{}' OR ${livesIn('m', 'b.project_ids')})
      AND (b.registered_from IS NULL OR (m.registered_at AT TIME ZONE 'Asia/Shanghai')::date >= b.registered_from)
      AND (b.registered_to IS NULL OR (m.registered_at AT TIME ZONE 'Asia/Shanghai')::date <= b.registered_to)
      AND (b.active_from IS NULL OR m.last_active_on >= b.active_from) AND (b.active_to IS NULL OR m.last_active_on <= b.active_to)
      AND (NOT b.has_activity OR m.last_active_on IS NOT NULL)
      AND (b.grade_ids = '{}' OR ${gradeIdSql('m.id')} = ANY(b.grade_ids))
      AND (b.identity IS NULL OR EXISTS (SELECT FROM household i WHERE i.member_id = m.id AND i.status = 'normal' AND i.identity = b.identity)) END
  AND NOT m.official AND (b.reach_ids IS NULL OR ${livesIn('m', 'b.reach_ids')})`;

/** Points of a member: those of its imported row, or the one figure of the batch. */
const POINTS = `CASE b.audience WHEN 'import' THEN (SELECT l.points FROM points_grant_line l WHERE l.batch_id = b.id AND l.member_id = m.id) ELSE b.points END`;

/** Writes the lines of a batch as its members are now and returns how many and how much. */
export async function freezeLines(
  tx: Executor,
  batchId: number,
): Promise<{ readonly members: number; readonly total: number; readonly most: number }> {
  await run(
    tx,
    `DELETE FROM points_grant_line l USING points_grant_batch b WHERE b.id = $1 AND l.batch_id = b.id AND b.audience <> 'import'`,
    [batchId],
  );
  await run(
    tx,
    `INSERT INTO points_grant_line (batch_id, row_no, member_id, points)
     SELECT b.id, row_number() OVER (ORDER BY m.id), m.id, b.points FROM points_grant_batch b JOIN member m ON (${AUDIENCE})
      WHERE b.id = $1 AND b.audience <> 'import'`,
    [batchId],
  );
  return (await runOne<{ members: number; total: number; most: number }>(
    tx,
    'SELECT count(*)::int AS members, coalesce(sum(points), 0)::bigint AS total, coalesce(max(points), 0)::int AS most FROM points_grant_line WHERE batch_id = $1',
    [batchId],
  ))!;
}

/** How many approve a batch, one after the other. */
export async function approvalsFor(
  tx: Executor,
  settings: SettingsReader,
  batch: { readonly total: number; readonly most: number },
): Promise<0 | 1 | 2> {
  const freeTotal = await settings.numberIn(tx, 'points.send.free_total');
  const freeEach = await settings.numberIn(tx, 'points.send.free_each');
  if (batch.total <= freeTotal && batch.most <= freeEach) return 0;
  return batch.total <= TWO_APPROVE ? 1 : 2;
}

/** Members, total and budget of a batch as they are now, with its first lines. */
export async function previewOf(
  db: Executor,
  settings: SettingsReader,
  batchId: number,
): Promise<SendPreview> {
  const sum = (await runOne<{ members: number; total: number; most: number; left: number }>(
    db,
    `SELECT count(m.id)::int AS members, coalesce(sum(${POINTS}), 0)::bigint AS total, coalesce(max(${POINTS}), 0)::int AS most,
            (SELECT ${BUDGET_FIGURES.left} FROM points_budget t WHERE t.id = min(b.budget_id)) AS left
       FROM points_grant_batch b LEFT JOIN member m ON (${AUDIENCE}) WHERE b.id = $1`,
    [batchId],
  ))!;
  const first = await run<{ name: string; phone: string; points: number }>(
    db,
    `SELECT m.name, m.phone, ${POINTS} AS points FROM points_grant_batch b JOIN member m ON (${AUDIENCE}) WHERE b.id = $1 ORDER BY m.id LIMIT 20`,
    [batchId],
  );
  return {
    members: sum.members,
    total: sum.total,
    liability: yuanFromFen(sum.total * (await settings.numberIn(db, 'points.fen_per_point'))),
    budgetLeft: sum.left,
    budgetAfter: sum.left - sum.total,
    approvals: await approvalsFor(db, settings, sum),
    first: first.map((one) => ({
      member: maskValue('name', one.name),
      phone: maskValue('phone', one.phone),
      points: one.points,
    })),
  };
}
