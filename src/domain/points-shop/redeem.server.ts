import { randomInt } from 'node:crypto';
import type { Label } from '../../kernel/contract/label.ts';
import { run, runOne, type Tx } from '../../kernel/server/database.ts';
import { invalid, notFound, ruleBroken } from '../../kernel/server/http/errors.ts';
import { writeTimeline } from '../../kernel/server/audit/audit.ts';
import type { SettingsReader } from '../../kernel/server/settings/settings-store.ts';
import { nextCode } from '../../kernel/server/resource/codes.ts';
import { gradeIdSql } from '../grade/member-grade.server.ts';
import { LINE_KINDS, lockMembers } from '../points-ledger/ledger-book.server.ts';
import { refundPoints, spendPoints } from '../points-ledger/points-ledger.server.ts';
import { giveCards } from '../resign-card/resign-card.server.ts';
import { REDEMPTION_ENTITY, type RedemptionWay } from './points-shop.rules.ts';

const OUT_OF_STOCK: Label = ['库存不足', 'Out of stock'];
const spendOf = (id: number) => ({ type: 'points_redemption', id: String(id), purpose: 'spend' });

/** What a member wants. */
export interface RedeemAsked {
  readonly memberId: number;
  readonly projectId: number;
  readonly specId: number;
  readonly qty: number;
  readonly receiver?: string | undefined;
  readonly phone?: string | undefined;
  readonly address?: string | undefined;
  readonly remark?: string | undefined;
  /** When it happens; demonstration rows alone have a past. */
  readonly at?: Date | undefined;
}

/** What came of it; the code is for who collects. */
export interface Redeemed {
  readonly id: number;
  readonly code: string;
  readonly points: number;
  readonly state: string;
  readonly collectCode: string | null;
}

/**
 * Redeems a product: the member's limits, its points and last the stock, each by a conditional update, so that nothing is had
 * twice whatever comes at once. Throws 30101 with the reason, 404 for what is not offered there. Source: group 01, os_integralCash.
 */
export async function redeem(tx: Tx, settings: SettingsReader, asked: RedeemAsked): Promise<Redeemed> {
  await lockMembers(tx, [asked.memberId]);
  const offer = await runOne<{
    id: number;
    name: string;
    spec: string;
    points: number;
    way: RedemptionWay;
    place: string;
    perMember: number;
    perMonth: number;
    open: boolean;
    graded: boolean;
    month: string;
  }>(
    tx,
    `SELECT p.id, p.name, s.name AS spec, s.points, p.way, p.place, p.per_member AS "perMember", p.per_month AS "perMonth",
            coalesce(p.sale_from <= now(), true) AND coalesce(p.sale_to > now(), true) AS open,
            p.grade_id IS NULL OR (SELECT g.threshold FROM grade g WHERE g.id = ${gradeIdSql('$2')}) >= (SELECT g.threshold FROM grade g WHERE g.id = p.grade_id) AS graded,
            to_char(coalesce($4::timestamptz, now()) AT TIME ZONE 'Asia/Shanghai', 'YYYY-MM') AS month
       FROM points_product_spec s JOIN points_product p ON p.id = s.points_product_id
       JOIN points_product_project x ON x.points_product_id = p.id AND x.project_id = $3
      WHERE s.id = $1 AND p.state = 'published' FOR SHARE OF p`,
    [asked.specId, asked.memberId, asked.projectId, asked.at ?? null],
  );
  if (!offer) throw notFound(['商品不存在或已下架', 'There is no such product here']);
  if (!offer.open) throw ruleBroken(['不在兑换时间内', 'It cannot be redeemed at this time']);
  if (!offer.graded) throw ruleBroken(['等级不足', 'The grade is too low']);
  if (offer.way === 'card') {
    const most = await settings.numberIn(tx, 'signin.card.buy_per_month');
    const bought = (await runOne<{ n: number }>(
      tx,
      `SELECT coalesce(sum(qty), 0)::int AS n FROM points_redemption WHERE member_id = $1 AND way = 'card' AND month = $2 AND state = 'completed'`,
      [asked.memberId, offer.month],
    ))!.n;
    if (bought + asked.qty > most)
      throw ruleBroken([`每月最多兑换${most}张补签卡`, `At most ${most} make-up cards a month`]);
  }
  if (offer.way === 'ship' && (!asked.receiver || !asked.phone || !asked.address))
    throw invalid({ address: ['请填写收件人、电话与地址', 'Receiver, phone and address are needed'] });
  await take(tx, offer.id, asked, 'all', offer.perMember);
  await take(tx, offer.id, asked, offer.month, offer.perMonth);
  const points = offer.points * asked.qty;
  const state = offer.way === 'ship' ? 'to_fulfil' : offer.way === 'collect' ? 'to_collect' : 'completed';
  const collectCode = state === 'to_collect' ? await freeCode(tx) : null;
  const code = await nextCode(tx, 'RD');
  const { id } = (await runOne<{ id: number }>(
    tx,
    `INSERT INTO points_redemption (code, product_id, spec_id, product_name, spec_name, member_id, project_id, month, qty, points, way,
                                    receiver, receiver_phone, address, place, collect_code, collect_until, completed_at, remark, state, created_at, updated_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16,
             CASE WHEN $16::text IS NOT NULL THEN coalesce($20::timestamptz, now()) + make_interval(days => $17::int) END,
             CASE WHEN $18 = 'completed' THEN coalesce($20::timestamptz, now()) END, $19, $18, coalesce($20::timestamptz, now()), coalesce($20::timestamptz, now())) RETURNING id`,
    [
      code,
      offer.id,
      asked.specId,
      offer.name,
      offer.spec,
      asked.memberId,
      asked.projectId,
      offer.month,
      asked.qty,
      points,
      offer.way,
      asked.receiver ?? '',
      asked.phone ?? '',
      asked.address ?? '',
      offer.place,
      collectCode,
      await settings.numberIn(tx, 'redemption.collect_days'),
      state,
      asked.remark ?? '',
      asked.at ?? null,
    ],
  ))!;
  await spendPoints(tx, {
    memberId: asked.memberId,
    amount: points,
    source: spendOf(id),
    kind: offer.way === 'card' ? LINE_KINDS.card : LINE_KINDS.redemption,
    note: code,
    ...(asked.at && { at: asked.at }),
  });
  // Last: the row everybody wants is held as shortly as can be.
  const left = await runOne(
    tx,
    'UPDATE points_product_spec SET taken = taken + $2 WHERE id = $1 AND quantity - taken >= $2 RETURNING id',
    [asked.specId, asked.qty],
  );
  if (!left) throw ruleBroken(OUT_OF_STOCK);
  if (offer.way === 'card')
    await giveCards(tx, settings, {
      memberId: asked.memberId,
      projectId: asked.projectId,
      qty: asked.qty,
      source: 'shop',
      reason: '',
      points,
    });
  await writeTimeline(tx, {
    entity: REDEMPTION_ENTITY,
    entityId: id,
    action: 'redeem',
    label: ['兑换', 'Redeemed'],
    to: state,
    ...(asked.at && { at: asked.at }),
  });
  return { id, code, points, state, collectCode };
}

/** Counts up what a member took in a period; 0 is no limit. */
async function take(
  tx: Tx,
  productId: number,
  asked: RedeemAsked,
  period: string,
  limit: number,
): Promise<void> {
  const row = await runOne<{ n: number }>(
    tx,
    `INSERT INTO points_redemption_count AS c (product_id, member_id, period, n) VALUES ($1, $2, $3, $4)
     ON CONFLICT (product_id, member_id, period) DO UPDATE SET n = c.n + excluded.n RETURNING n`,
    [productId, asked.memberId, period, asked.qty],
  );
  if (limit > 0 && row!.n > limit)
    throw ruleBroken(
      period === 'all'
        ? ['已达兑换上限', 'Limit per person reached']
        : ['已达本月兑换上限', 'Limit of this month reached'],
    );
}

/** Eight digits that nobody waits to collect with. */
async function freeCode(tx: Tx): Promise<string> {
  for (;;) {
    const code = String(randomInt(100_000_000)).padStart(8, '0');
    if (!(await runOne(tx, 'SELECT FROM points_redemption WHERE collect_code = $1', [code]))) return code;
  }
}

/**
 * Gives a redemption back, whole or some pieces: points into their lots, stock where it is wanted, the member's limits. The row
 * is locked by the caller. Returns the points. Source: group 01, os_integralCash, cancel and return.
 */
export async function giveBackRedemption(
  tx: Tx,
  settings: SettingsReader,
  back: {
    readonly id: number;
    readonly qty?: number | undefined;
    readonly restock: boolean;
    readonly note: string;
  },
): Promise<number> {
  const row = (await runOne<{
    member_id: number;
    product_id: number;
    spec_id: number;
    month: string;
    qty: number;
    points: number;
    points_back: number;
    qty_back: number;
  }>(tx, 'SELECT * FROM points_redemption WHERE id = $1 FOR UPDATE', [back.id]))!;
  const qty = back.qty ?? row.qty - row.qty_back;
  if (qty < 1 || qty > row.qty - row.qty_back)
    throw invalid({ qty: ['退回数量不正确', 'More than is left to give back'] });
  // Every piece costs the same.
  const points = (row.points / row.qty) * qty;
  await refundPoints(tx, settings, {
    memberId: row.member_id,
    amount: points,
    spend: spendOf(back.id),
    source: { ...spendOf(back.id), purpose: `back:${row.qty_back + qty}` },
    note: back.note,
  });
  if (back.restock)
    await run(tx, 'UPDATE points_product_spec SET taken = taken - $2 WHERE id = $1', [row.spec_id, qty]);
  await run(
    tx,
    `UPDATE points_redemption_count SET n = n - $4 WHERE product_id = $1 AND member_id = $2 AND period IN ('all', $3)`,
    [row.product_id, row.member_id, row.month, qty],
  );
  await run(
    tx,
    'UPDATE points_redemption SET points_back = points_back + $2, qty_back = qty_back + $3 WHERE id = $1',
    [back.id, points, qty],
  );
  return points;
}

/** A member gives up what was not shipped or collected yet, or says that it has come. Throws 30101 in any other state. */
export async function memberMoves(
  tx: Tx,
  settings: SettingsReader,
  move: { readonly memberId: number; readonly id: number; readonly what: 'cancel' | 'receive' },
): Promise<{ readonly state: string; readonly points: number }> {
  await lockMembers(tx, [move.memberId]);
  const row = await runOne<{ state: string; way: RedemptionWay }>(
    tx,
    'SELECT state, way FROM points_redemption WHERE id = $1 AND member_id = $2 FOR UPDATE',
    [move.id, move.memberId],
  );
  if (!row) throw notFound(['兑换不存在', 'There is no such redemption']);
  const cancel = move.what === 'cancel';
  if (cancel ? !['to_fulfil', 'to_collect'].includes(row.state) : row.state !== 'shipped')
    throw ruleBroken(
      cancel ? ['已发放，不能取消', 'It was handed out already'] : ['尚未发货', 'It was not shipped yet'],
    );
  const points = cancel
    ? await giveBackRedemption(tx, settings, { id: move.id, restock: true, note: 'cancel' })
    : 0;
  const state = cancel ? 'cancelled' : 'completed';
  await run(
    tx,
    `UPDATE points_redemption SET state = $2, collect_code = NULL, receive_by = NULL, completed_at = CASE WHEN $2 = 'completed' THEN now() ELSE completed_at END,
            version = version + 1, updated_at = now() WHERE id = $1`,
    [move.id, state],
  );
  await writeTimeline(tx, {
    entity: REDEMPTION_ENTITY,
    entityId: move.id,
    action: move.what,
    label: cancel ? ['会员取消', 'Cancelled by the member'] : ['会员签收', 'Received'],
    from: row.state,
    to: state,
  });
  return { state, points };
}
