import { addDays, businessDayOf } from '../../kernel/contract/time.rules.ts';
import { yuanFromFen } from '../../kernel/contract/money.rules.ts';
import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';
import { invalid, notFound, ruleBroken } from '../../kernel/server/http/errors.ts';
import { prepaidOf, returnPrepaid } from '../charging/prepaid.server.ts';
import type { IDENTITIES } from './registration.rules.ts';

/** What becomes of open bills when a house gets a new owner. */
export type ArrearsChoice = 'stay_with_old' | 'taken_over';
/** What becomes of the prepaid money of the house. */
export type PrepaidChoice = 'moves' | 'is_refunded';

/** A house that changes hands. */
export interface HouseTransfer {
  readonly houseId: number;
  /** Member who owns it from the day on. */
  readonly ownerId: number;
  /** First day of the new owner, at most `BACK_DAYS` back, not in the future. */
  readonly date: string;
  readonly arrears?: ArrearsChoice | undefined;
  readonly prepaid?: PrepaidChoice | undefined;
  readonly staffId: number;
}

/** What a transfer did, in fen; `ended` are the households that ended, `household` is the new owner's. */
export interface HouseTransferred {
  readonly household: number;
  readonly ended: readonly number[];
  readonly arrears: number;
  readonly refunded: number;
}

/** How far back a transfer may lie. */
const BACK_DAYS = 31;

/** Open bills of a house, in fen. */
export async function arrearsOf(db: Executor, houseId: number): Promise<number> {
  const row = await runOne<{ owed: number }>(
    db,
    `SELECT coalesce(sum(owed_principal + owed_late_fee), 0)::bigint AS owed FROM bill WHERE house_id = $1 AND state IN ('unpaid', 'part')`,
    [houseId],
  );
  return row!.owed;
}

/**
 * Binds a member to a house. A household that ended or was refused is taken up again: its id, visits and custody stay. Throws
 * 30101 when the person is in the house already.
 */
export async function bindHousehold(
  tx: Tx,
  bound: {
    readonly memberId: number;
    readonly houseId: number;
    readonly identity: keyof typeof IDENTITIES;
    readonly status: 'normal' | 'reviewing';
    readonly staffId: number;
  },
): Promise<number> {
  // The first owner pays: two bound at once come one after the other.
  await runOne(tx, 'SELECT 1 FROM house WHERE id = $1 FOR NO KEY UPDATE', [bound.houseId]);
  const row = await runOne<{ id: number }>(
    tx,
    `INSERT INTO household AS x (member_id, house_id, identity, status, created_by) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (member_id, house_id) DO UPDATE SET identity = EXCLUDED.identity, status = EXCLUDED.status, applied_at = now(), version = x.version + 1
       WHERE x.status IN ('deleted', 'refused') RETURNING id`,
    [bound.memberId, bound.houseId, bound.identity, bound.status, bound.staffId],
  );
  if (!row) throw ruleBroken(['该住户已在此房屋', 'This person is in the house already']);
  return row.id;
}

/**
 * Gives a house to a new owner: the households of before end, open bills stay with their debtor or go to the new owner, bills of
 * periods from the day on are the new owner's, prepaid money stays with the house or is returned. What is open has to be decided.
 * Source: group 06, cs_houseEnquiry rules.
 */
export async function transferHouse(tx: Tx, transfer: HouseTransfer): Promise<HouseTransferred> {
  const { houseId, ownerId, date, staffId } = transfer;
  const today = businessDayOf(new Date());
  if (date > today) throw invalid({ date: ['不能晚于今天', 'Not after today'] });
  if (date < addDays(today, -BACK_DAYS))
    throw invalid({ date: [`最早为 ${BACK_DAYS} 天前`, `At most ${BACK_DAYS} days back`] });
  // Two transfers of a house, and a bind beside one, come one after the other.
  const house = await runOne(
    tx,
    'SELECT 1 FROM house WHERE id = $1 AND merged_into_id IS NULL FOR NO KEY UPDATE',
    [houseId],
  );
  const owner = await runOne<{ name: string }>(
    tx,
    `SELECT coalesce(nullif(name, ''), nickname) AS name FROM member WHERE id = $1`,
    [ownerId],
  );
  if (!house || !owner) throw notFound();
  const payer = await runOne<{ member_id: number }>(
    tx,
    `SELECT member_id FROM household WHERE house_id = $1 AND identity = 'owner' AND status = 'normal' ORDER BY pays DESC, id LIMIT 1`,
    [houseId],
  );
  if (payer?.member_id === ownerId) throw ruleBroken(['该住户已是业主', 'This person is the owner already']);
  // Payments and late fees lock bills in this order, too.
  await run(
    tx,
    `SELECT FROM bill WHERE house_id = $1 AND state IN ('unpaid', 'part') ORDER BY id FOR UPDATE`,
    [houseId],
  );
  const arrears = await arrearsOf(tx, houseId);
  if (arrears > 0 && !transfer.arrears)
    throw ruleBroken([
      `该房屋欠费${yuanFromFen(arrears)}，请选择欠费处理方式`,
      `Arrears of ${yuanFromFen(arrears)}: choose how to treat them`,
    ]);
  const money = Object.values(await prepaidOf(tx, houseId)).reduce((sum, one) => sum + one, 0);
  if (money > 0 && !transfer.prepaid)
    throw ruleBroken([
      `该房屋有预存${yuanFromFen(money)}，请选择预存处理方式`,
      `Prepaid money of ${yuanFromFen(money)}: choose how to treat it`,
    ]);
  const ended = await run<{ id: number }>(
    tx,
    `UPDATE household SET status = 'deleted', version = version + 1, updated_at = now(), updated_by = $2 WHERE house_id = $1 AND status IN ('normal', 'reviewing') RETURNING id`,
    [houseId, staffId],
  );
  const household = await bindHousehold(tx, {
    memberId: ownerId,
    houseId,
    identity: 'owner',
    status: 'normal',
    staffId,
  });
  await run(
    tx,
    `UPDATE bill SET debtor_id = $2, debtor_name = $3, version = version + 1, updated_at = now(), updated_by = $4
      WHERE house_id = $1 AND state IN ('unpaid', 'part') AND (period_from >= $5::date OR $6)`,
    [houseId, ownerId, owner.name, staffId, date, transfer.arrears === 'taken_over'],
  );
  const refunded =
    transfer.prepaid === 'is_refunded'
      ? await returnPrepaid(
          tx,
          houseId,
          { type: 'house_transfer', id: `${houseId}:${household}:${date}`, purpose: 'return' },
          staffId,
        )
      : 0;
  return { household, ended: ended.map((one) => one.id), arrears, refunded };
}
