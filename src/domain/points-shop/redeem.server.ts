import { yuanFromFen } from '../../kernel/contract/money.rules.ts';
import type { Label } from '../../kernel/contract/label.ts';
import { run, runOne, type Tx } from '../../kernel/server/database.ts';
import { invalid, notFound, ruleBroken } from '../../kernel/server/http/errors.ts';
import { writeTimeline } from '../../kernel/server/audit/audit.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { nextCode } from '../../kernel/server/resource/codes.ts';
import { claimCoupon } from '../coupon/claim.server.ts';
import { openPlainOrder } from '../checkout/plain-order.server.ts';
import { gradeIdSql } from '../grade/member-grade.server.ts';
import { LINE_KINDS, lockMembers } from '../points-ledger/ledger-book.server.ts';
import { holdPoints, spendPoints } from '../points-ledger/points-ledger.server.ts';
import { giveCards } from '../resign-card/resign-card.server.ts';
import { giveUpRedemption, orderReached } from './give-up-redemption.server.ts';
import { isVirtual, REDEMPTION_ENTITY, VIRTUAL_FOR_POINTS, type RedemptionWay } from './points-shop.rules.ts';
import {
  freeCode,
  handedOutState,
  holdOf,
  moveRedemption,
  spendOf,
  type OpenRedemption,
} from './redemption-row.server.ts';

const OUT_OF_STOCK: Label = ['库存不足', 'Out of stock'];

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
  /** What is to be paid within its time, in yuan; absent: points alone. */
  readonly payment?: { readonly amount: string; readonly checkoutCode: string; readonly payUntil: string };
}

/**
 * Redeems a product: the member's limits, its points and last the stock, each by a conditional update, so that nothing is had
 * twice whatever comes at once. Where a part is paid in cash, points are held and an order waits to be paid. Throws 30101 with the reason, 404 for what is not offered there. Source: group 01, os_integralCash.
 */
export async function redeem(tx: Tx, platform: Platform, asked: RedeemAsked): Promise<Redeemed> {
  const { settings } = platform;
  await lockMembers(tx, [asked.memberId]);
  const offer = await runOne<{
    id: number;
    name: string;
    spec: string;
    points: number;
    cash: number;
    image: string | null;
    way: RedemptionWay;
    place: string;
    coupon: number | null;
    perMember: number;
    perMonth: number;
    open: boolean;
    graded: boolean;
    month: string;
  }>(
    tx,
    `SELECT p.id, p.name, s.name AS spec, s.points, s.cash, p.image_ids[1] AS image, p.way, p.coupon_id AS coupon, p.place, p.per_member AS "perMember", p.per_month AS "perMonth",
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
  const cash = offer.cash * asked.qty;
  // They come with the spending of the points; the form lets none of them cost cash.
  if (cash > 0 && isVirtual(offer.way)) throw ruleBroken(VIRTUAL_FOR_POINTS);
  const order =
    cash > 0
      ? await openPlainOrder(tx, {
          kind: 'points',
          memberId: asked.memberId,
          projectId: asked.projectId,
          title: offer.name,
          specName: offer.spec,
          imageId: offer.image,
          address: offer.way === 'ship' ? (asked.address ?? '') : offer.place,
          qty: asked.qty,
          amount: cash,
          minutes: await settings.numberIn(tx, 'redemption.pay_minutes'),
          about: { pointsProduct: offer.id },
        })
      : undefined;
  const state = order ? 'pending_payment' : handedOutState(offer.way);
  const collectCode = state === 'to_collect' ? await freeCode(tx) : null;
  const code = await nextCode(tx, 'RD');
  const { id } = (await runOne<{ id: number }>(
    tx,
    `INSERT INTO points_redemption (code, product_id, spec_id, product_name, spec_name, member_id, project_id, month, qty, points, way,
                                    receiver, receiver_phone, address, place, collect_code, collect_until, completed_at, remark, state, created_at, updated_at, cash, order_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16,
             CASE WHEN $16::text IS NOT NULL THEN coalesce($20::timestamptz, now()) + make_interval(days => $17::int) END,
             CASE WHEN $18 = 'completed' THEN coalesce($20::timestamptz, now()) END, $19, $18, coalesce($20::timestamptz, now()), coalesce($20::timestamptz, now()), $21, $22) RETURNING id`,
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
      cash,
      order?.orderId ?? null,
    ],
  ))!;
  const moved = {
    memberId: asked.memberId,
    amount: points,
    note: code,
    ...(asked.at && { at: asked.at }),
  };
  if (order) await holdPoints(tx, { ...moved, source: holdOf(id) });
  else
    await spendPoints(tx, {
      ...moved,
      source: spendOf(id),
      kind: offer.way === 'card' ? LINE_KINDS.card : LINE_KINDS.redemption,
    });
  // Last: the row everybody wants is held as shortly as can be.
  const left = await runOne(
    tx,
    'UPDATE points_product_spec SET taken = taken + $2 WHERE id = $1 AND quantity - taken >= $2 RETURNING id',
    [asked.specId, asked.qty],
  );
  if (!left) throw ruleBroken(OUT_OF_STOCK);
  if (offer.coupon !== null) {
    const codes: string[] = [];
    for (let n = 0; n < asked.qty; n += 1)
      codes.push(
        (await claimCoupon(tx, platform, { couponId: offer.coupon, memberId: asked.memberId, pushed: true }))
          .code,
      );
    await run(tx, 'UPDATE points_redemption SET coupon_codes = $2 WHERE id = $1', [id, codes]);
  }
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
  return {
    id,
    code,
    points,
    state,
    collectCode,
    ...(order && {
      payment: {
        amount: yuanFromFen(cash),
        checkoutCode: order.checkoutCode,
        payUntil: order.until.toISOString(),
      },
    }),
  };
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

/** A member gives up what was not paid, shipped or collected yet, or says that it has come. Throws 30101 in any other state. */
export async function memberMoves(
  tx: Tx,
  platform: Platform,
  move: { readonly memberId: number; readonly id: number; readonly what: 'cancel' | 'receive' },
): Promise<{ readonly state: string; readonly points: number }> {
  const found = await runOne<{ order_id: number | null }>(
    tx,
    'SELECT order_id FROM points_redemption WHERE id = $1 AND member_id = $2',
    [move.id, move.memberId],
  );
  if (!found) throw notFound(['兑换不存在', 'There is no such redemption']);
  // The order first, as payments and the closing take them.
  if (found.order_id !== null)
    await run(tx, 'SELECT FROM sales_order WHERE id = $1 FOR UPDATE', [found.order_id]);
  await lockMembers(tx, [move.memberId]);
  const row = (await runOne<OpenRedemption>(tx, 'SELECT * FROM points_redemption WHERE id = $1 FOR UPDATE', [
    move.id,
  ]))!;
  const cancel = move.what === 'cancel';
  if (cancel ? !['pending_payment', 'to_fulfil', 'to_collect'].includes(row.state) : row.state !== 'shipped')
    throw ruleBroken(
      cancel ? ['已发放，不能取消', 'It was handed out already'] : ['尚未发货', 'It was not shipped yet'],
    );
  const points = cancel ? await giveUpRedemption(tx, platform, row, { reason: '会员取消' }) : 0;
  if (!cancel) await orderReached(tx, row.order_id, { code: 25, who: '会员', action: 'sign' });
  const state = cancel ? 'cancelled' : 'completed';
  await moveRedemption(tx, row, {
    to: state,
    action: move.what,
    label: cancel ? ['会员取消', 'Cancelled by the member'] : ['会员签收', 'Received'],
  });
  return { state, points };
}
