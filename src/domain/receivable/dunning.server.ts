import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';
import { fill, type Label } from '../../kernel/contract/label.ts';
import { yuanFromFen } from '../../kernel/contract/money.rules.ts';
import { daysBetween } from '../../kernel/contract/time.rules.ts';
import { interest, overdueDays } from './receivable.rules.ts';
import { lockReceivables, setMoney, type LockedReceivable } from './receivable.server.ts';

/** A level of dunning as a project has it. */
export interface DunningLevel {
  readonly level: number;
  readonly after_days: number;
  readonly channels: readonly string[];
  readonly template_zh: string;
  readonly template_en: string;
  /** Fen. */
  readonly fee: number;
  readonly yearly_bp: number;
  readonly auto_send: boolean;
  readonly escalate_to: number | null;
}

/** Levels of a project, lowest first: its own, else those for all. */
export async function levelsOf(db: Executor, projectId: number): Promise<readonly DunningLevel[]> {
  return run<DunningLevel>(
    db,
    `SELECT level, after_days, channels, template_zh, template_en, fee, yearly_bp, auto_send, escalate_to FROM dunning_level
      WHERE project_id IS NOT DISTINCT FROM (SELECT project_id FROM dunning_level WHERE project_id = $1 LIMIT 1) ORDER BY level`,
    [projectId],
  );
}

/** Lines that may be asked for now: something is owed, nobody disputes it, no promise is still to come. */
export const ASKED = (today: string): string =>
  `t.state IN ('open', 'part') AND NOT t.disputed AND (t.promised_on IS NULL OR t.promised_on < ${today}) AND t.due_on < ${today}`;

interface AskedLine {
  readonly id: number;
  readonly payer_id: number;
  readonly project_id: number;
  readonly due_on: string;
  readonly dunning_level: number;
  readonly owner_id: number | null;
  readonly balance: number;
}

/**
 * Proposes for a payer the lowest level that was not sent yet and whose days have passed; one a day, none skipped. Returns the id
 * of the proposal, or nothing where there is none. Source: group 19, dunning.propose.
 */
export async function proposeDunning(
  tx: Tx,
  payerId: number,
  today: string,
): Promise<{ readonly id: number; readonly autoSend: boolean } | undefined> {
  const lines = await run<AskedLine>(
    tx,
    `SELECT t.id, t.payer_id, t.project_id, t.due_on, t.dunning_level, t.owner_id, t.principal + t.charges - t.received AS balance
       FROM receivable t WHERE t.payer_id = $1 AND ${ASKED('$2::date')} ORDER BY t.due_on, t.id`,
    [payerId, today],
  );
  const due: { line: AskedLine; level: DunningLevel }[] = [];
  const levels = new Map<number, readonly DunningLevel[]>();
  for (const line of lines) {
    if (!levels.has(line.project_id)) levels.set(line.project_id, await levelsOf(tx, line.project_id));
    const level = levels.get(line.project_id)!.find((one) => one.level > line.dunning_level);
    if (level && level.after_days <= overdueDays(line.due_on, today)) due.push({ line, level });
  }
  if (due.length === 0) return undefined;
  // The oldest line says where; of its project the lowest level that is due.
  const project = due[0]!.line.project_id;
  const there = due.filter((one) => one.line.project_id === project);
  const lowest = Math.min(...there.map((one) => one.level.level));
  const chosen = there.filter((one) => one.level.level === lowest);
  const { level } = chosen[0]!;
  const sum = chosen.reduce((total, one) => total + one.line.balance, 0);
  // The name is kept out of the text: whoever reads it may see less of it than the payer.
  const said = fill([level.template_zh, level.template_en] as Label, {
    payer: '{payer}',
    count: String(chosen.length),
    sum: yuanFromFen(sum),
    days: String(overdueDays(chosen[0]!.line.due_on, today)),
  });
  const made = await runOne<{ id: number }>(
    tx,
    `INSERT INTO receivable_dunning (payer_id, project_id, level, day, sum, count, channels, text_zh, text_en, owner_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (payer_id, day) DO NOTHING RETURNING id`,
    [
      payerId,
      project,
      lowest,
      today,
      sum,
      chosen.length,
      level.channels,
      said[0].slice(0, 500),
      said[1].slice(0, 500),
      chosen.find((one) => one.line.owner_id !== null)?.line.owner_id ?? level.escalate_to,
    ],
  );
  if (!made) return undefined;
  await run(
    tx,
    `INSERT INTO receivable_dunning_line (dunning_id, receivable_id, amount) SELECT $1, x.id, x.amount FROM unnest($2::bigint[], $3::bigint[]) AS x (id, amount)`,
    [made.id, chosen.map((one) => one.line.id), chosen.map((one) => one.line.balance)],
  );
  return { id: made.id, autoSend: level.auto_send };
}

/**
 * Books what a level that is sent puts on its lines: interest since the due day or the last interest, the fee on the oldest line;
 * never above the ceiling of charges. Lines that are paid, disputed or promised meanwhile are left alone. Returns the lines that
 * were asked for.
 */
export async function bookDunning(
  tx: Tx,
  dunningId: number,
  today: string,
  capBp: number,
  staffId: number | null,
): Promise<readonly number[]> {
  const record = (await runOne<{ level: number; project_id: number }>(
    tx,
    'SELECT level, project_id FROM receivable_dunning WHERE id = $1',
    [dunningId],
  ))!;
  const held = await run<{ id: number }>(
    tx,
    `SELECT t.id FROM receivable t JOIN receivable_dunning_line l ON l.receivable_id = t.id
      WHERE l.dunning_id = $1 AND ${ASKED('$2::date')} AND t.dunning_level < $3 ORDER BY t.id FOR UPDATE OF t`,
    [dunningId, today, record.level],
  );
  const lines = await lockReceivables(
    tx,
    held.map((one) => one.id),
  );
  const level = (await levelsOf(tx, record.project_id)).find((one) => one.level === record.level);
  let feeOpen = level?.fee ?? 0;
  for (const line of lines.toSorted((a, b) => a.due_on.localeCompare(b.due_on) || a.id - b.id)) {
    const booked = level ? await bookInterest(tx, line, level.yearly_bp, today, capBp, staffId) : 0;
    let charges = line.charges + booked;
    const room = ceiling(line, capBp) - charges;
    const fee = Math.max(0, Math.min(feeOpen, room));
    if (fee > 0) {
      feeOpen = 0;
      await run(
        tx,
        `INSERT INTO receivable_charge (receivable_id, kind, amount, to_on, note, created_by) VALUES ($1, 'dunning_fee', $2, $3, $4, $5)`,
        [line.id, fee, today, `催收级别 ${record.level}`, staffId],
      );
      charges += fee;
    }
    if (charges !== line.charges) await setMoney(tx, line, { charges });
    await run(
      tx,
      'UPDATE receivable SET dunning_level = $2, version = version + 1, updated_at = now() WHERE id = $1',
      [line.id, record.level],
    );
  }
  return lines.map((line) => line.id);
}

/** Books the interest of overdue lines that a level with interest was sent for, as money comes in for them. */
export async function accrueInterest(
  tx: Tx,
  ids: readonly number[],
  day: string,
  capBp: number,
  staffId: number | null,
): Promise<void> {
  const sent = await run<{ id: number; project_id: number; dunning_level: number }>(
    tx,
    `SELECT id, project_id, dunning_level FROM receivable WHERE id = ANY($1::bigint[]) AND dunning_level > 0 AND state IN ('open', 'part') AND NOT disputed`,
    [ids],
  );
  const bps = new Map<number, number>();
  for (const row of sent) {
    const level = (await levelsOf(tx, row.project_id))
      .filter((one) => one.level <= row.dunning_level && one.yearly_bp > 0)
      .at(-1);
    if (level) bps.set(row.id, level.yearly_bp);
  }
  for (const line of await lockReceivables(tx, [...bps.keys()])) {
    const booked = await bookInterest(tx, line, bps.get(line.id)!, day, capBp, staffId);
    if (booked > 0) await setMoney(tx, line, { charges: line.charges + booked });
  }
}

const ceiling = (line: LockedReceivable, capBp: number) => Math.floor((line.principal * capBp) / 10_000);

/** Writes an interest line of a locked receivable up to a day; returns its fen. */
async function bookInterest(
  tx: Tx,
  line: LockedReceivable,
  bp: number,
  day: string,
  capBp: number,
  staffId: number | null,
): Promise<number> {
  if (bp <= 0) return 0;
  const past = (await runOne<{ last: string | null; paid: number }>(
    tx,
    `SELECT (SELECT max(to_on) FROM receivable_charge WHERE receivable_id = $1 AND kind = 'interest') AS last,
            coalesce((SELECT sum(a.principal) FROM receipt_allocation a JOIN receipt c ON c.id = a.receipt_id AND c.state = 'confirmed'
                       WHERE a.receivable_id = $1), 0)::bigint AS paid`,
    [line.id],
  ))!;
  const from = past.last !== null && past.last > line.due_on ? past.last : line.due_on;
  const days = daysBetween(from, day) - 1;
  if (days <= 0) return 0;
  const principal = line.principal - past.paid;
  const amount = interest(
    { principal, bp, days },
    { of: line.principal, bp: capBp, charged: Math.max(0, line.charges) },
  );
  if (amount <= 0) return 0;
  const made = await runOne(
    tx,
    `INSERT INTO receivable_charge (receivable_id, kind, amount, from_on, to_on, note, created_by) VALUES ($1, 'interest', $2, $3, $4, $5, $6)
     ON CONFLICT (receivable_id, to_on) WHERE kind = 'interest' DO NOTHING RETURNING id`,
    [
      line.id,
      amount,
      from,
      day,
      `本金 ${yuanFromFen(principal)} × 年化 ${(bp / 100).toFixed(2)}% × ${days} 天 ÷ 365`,
      staffId,
    ],
  );
  return made ? amount : 0;
}
