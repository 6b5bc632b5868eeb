import type { MemberCoupon } from '../../../domain/trade-money/quote.rules.ts';
import { insertRows, type Runner, takeIds } from './insert-rows.ts';
import { createRandom } from './random.ts';
import { readSeedFile } from './seed-file.ts';
import { DAY, type SeedCoupon, type SeedMemberCoupon, type World } from './world.ts';

/** Fills the world with coupons and with what members claimed of them. Writes nothing yet. */
export async function planCoupons(client: Runner, world: World): Promise<void> {
  const { coupons } = readSeedFile<{ coupons: CouponData[] }>('demo-goods');
  const random = createRandom(world.seed, 'coupons');
  const first = await takeIds(client, 'coupon', coupons.length);
  coupons.forEach((data, index) => {
    const merchant = data.issuer === 'platform' ? null : world.merchants[data.issuer - 1]!;
    const status = data.status ?? 'in_use';
    world.coupons.push({
      id: first + index,
      code: `CP${String(first + index).padStart(6, '0')}`,
      name: data.name,
      issuer: merchant ? 'merchant' : 'platform',
      merchant,
      type: data.type,
      threshold: data.threshold,
      face: data.face ?? 0,
      rate: data.rate ?? 0,
      maxDiscount: data.max ?? 0,
      bearer: data.bearer ?? 0,
      rule: data.rule,
      startsAt: new Date(world.now.getTime() - (status === 'draft' ? -10 : 118) * DAY),
      endsAt: new Date(world.now.getTime() + (status === 'expired' ? -20 : 60) * DAY),
      perLimit: data.perLimit,
      weight: data.weight,
      total: data.total,
      status,
    });
  });

  const claims = world.coupons.flatMap((coupon) => {
    const span = Math.min(coupon.endsAt.getTime(), world.now.getTime()) - coupon.startsAt.getTime();
    return world.members.flatMap((member) => {
      const isExampleClaim = !member.shops && (coupon === world.coupons[0] || coupon === world.coupons[4]);
      const wanted = isExampleClaim || (member.shops && random.chance(coupon.weight * 0.1)) ? 1 : 0;
      const count = wanted === 0 ? 0 : isExampleClaim ? 1 : random.int(1, coupon.perLimit);
      return Array.from({ length: count }, (_, n) => ({
        coupon,
        memberId: member.id,
        claimSeq: n + 1,
        claimedAt: new Date(coupon.startsAt.getTime() + Math.floor(random.next() * span)),
      }));
    });
  });
  claims.sort((a, b) => a.claimedAt.getTime() - b.claimedAt.getTime());
  // Coupons that refunds give back take their keys behind these.
  const firstClaim = await takeIds(client, 'member_coupon', claims.length);
  claims.forEach((claim, index) => {
    world.memberCoupons.push({
      ...claim,
      id: firstClaim + index,
      code: couponCode(random.digits(6), firstClaim + index),
      returnedFrom: null,
      status: 'claimed',
      lockedPayment: null,
      usedPayment: null,
      usedAt: null,
    });
  });
}

/** Writes coupons with their counts. */
export async function writeCoupons(client: Runner, world: World): Promise<void> {
  const creator = world.staff.get('mall1')!.id;
  await insertRows(
    client,
    'coupon',
    world.coupons.map((coupon) => {
      const own = world.memberCoupons.filter((row) => row.coupon === coupon);
      return {
        id: coupon.id,
        code: coupon.code,
        name: coupon.name,
        type: coupon.type,
        issuer: coupon.issuer,
        tenant_id: coupon.merchant?.id ?? world.platformId,
        threshold: coupon.threshold,
        face: coupon.type === 'cash' ? coupon.face : null,
        rate: coupon.type === 'discount' ? coupon.rate : null,
        max_discount: coupon.type === 'discount' ? coupon.maxDiscount : null,
        bearer_platform_percent: coupon.issuer === 'platform' ? coupon.bearer : 0,
        refund_rule: coupon.rule,
        total: coupon.total,
        claimed: own.filter((row) => row.returnedFrom === null).length,
        used: own.filter((row) => row.status === 'used').length,
        per_limit: coupon.perLimit,
        starts_at: coupon.startsAt,
        ends_at: coupon.endsAt,
        status: coupon.status,
        created_at: new Date(coupon.startsAt.getTime() - 2 * DAY),
        created_by: coupon.merchant ? world.staff.get(`merchant${coupon.merchant.no}`)!.id : creator,
        updated_at: coupon.startsAt,
      };
    }),
  );
}

/** Writes what members hold; payments must exist, as used coupons name theirs. */
export async function writeMemberCoupons(client: Runner, world: World): Promise<void> {
  await insertRows(
    client,
    'member_coupon',
    world.memberCoupons.map((row) => ({
      id: row.id,
      code: row.code,
      coupon_id: row.coupon.id,
      member_id: row.memberId,
      claim_seq: row.claimSeq,
      status: row.status === 'claimed' && row.coupon.endsAt < world.now ? 'expired' : row.status,
      locked_payment: row.lockedPayment?.id ?? null,
      used_payment: row.usedPayment?.id ?? null,
      returned_from: row.returnedFrom?.id ?? null,
      ends_at: row.coupon.endsAt,
      claimed_at: row.claimedAt,
      used_at: row.usedAt,
    })),
  );
}

/** A coupon the member holds in the words of the money engine. */
export function quoteCoupon(row: SeedMemberCoupon): MemberCoupon {
  const { coupon } = row;
  return {
    memberCouponId: String(row.id),
    couponId: String(coupon.id),
    name: coupon.name,
    issuer: coupon.issuer,
    merchantId: coupon.merchant ? String(coupon.merchant.id) : null,
    value:
      coupon.type === 'cash'
        ? { kind: 'cash', face: coupon.face }
        : { kind: 'discount', rate: coupon.rate, maxDiscount: coupon.maxDiscount },
    threshold: coupon.threshold,
    scope: { kind: 'all', ids: [] },
    projectIds: null,
    validFrom: coupon.startsAt.getTime(),
    validTo: coupon.endsAt.getTime(),
    locked: row.lockedPayment !== null,
    bearerPlatformPercent: coupon.bearer,
    consentingMerchantIds: null,
  };
}

/** The text a member shows; the key keeps it unique. */
export function couponCode(digits: string, id: number): string {
  return `${digits}${String(id).padStart(6, '0')}`;
}

interface CouponData {
  name: string;
  issuer: 'platform' | number;
  type: SeedCoupon['type'];
  threshold: number;
  face?: number;
  rate?: number;
  max?: number;
  bearer?: number;
  rule: SeedCoupon['rule'];
  total: number;
  perLimit: number;
  weight: number;
  status?: SeedCoupon['status'];
}
