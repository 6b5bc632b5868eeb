import type { Label } from '../../../kernel/contract/label.ts';
import { run, transaction, type Executor, type Tx } from '../../../kernel/server/database.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { endActivitiesOf } from '../../../domain/group-buy/activity.server.ts';
import { endSeckillsOf } from '../../../domain/seckill/activity.server.ts';
import { boundDecorPackage } from '../../home-furnishing/decor-package/decor-package.server.ts';
import { boundService } from '../../home-services/service/service.server.ts';
import { boundProduct } from '../../mall/product/product.server.ts';
import { CERTIFICATES } from './merchant.contract.ts';

type Cause = 'cert_expired' | 'merchant_closing';

/** Kinds of certificates a merchant showed once and has none left of that is valid today. */
const LAPSED = `SELECT c.tenant_id, c.type FROM merchant_certificate c GROUP BY c.tenant_id, c.type
  HAVING NOT bool_or(c.long_term OR c.valid_to >= (now() AT TIME ZONE 'Asia/Shanghai')::date)`;

/** The lapsed kind goods `p` of a business `b` need: the licence for all of them, another one where the line of trade asks for it. */
const LACKING = `(SELECT l.type FROM (${LAPSED}) l WHERE l.tenant_id = p.tenant_id AND l.type IN ('licence', b.needs_certificate)
  ORDER BY l.type = 'licence' DESC LIMIT 1)`;

/** SQL: goods of the merchant `t` that were taken off the shelf for a certificate. */
export const GOODS_OFF = `(SELECT count(*) FROM product p WHERE p.tenant_id = t.id AND p.off_cause = 'cert_expired')::integer`;

async function takeOff(
  tx: Tx,
  platform: Platform,
  product: number,
  cause: Cause,
  reason: string,
): Promise<void> {
  await endActivitiesOf(tx, product, reason);
  await endSeckillsOf(tx, product, reason);
  await boundProduct.actAsSystem(tx, platform, 'takeDown', product, { reason });
  await run(tx, 'UPDATE product SET off_cause = $2, off_version = version WHERE id = $1', [product, cause]);
}

/** How what is sold beside goods leaves the shelf, by kind of product. */
const OFF = {
  service: (tx: Tx, platform: Platform, id: number, reason: string) =>
    boundService.actAsSystem(tx, platform, 'withdraw', id, { reason }),
  home_decor: (tx: Tx, platform: Platform, id: number, reason: string) =>
    boundDecorPackage.actAsSystem(tx, platform, 'takeDown', id, { reason }),
} as const;

/** Takes everything a merchant sells off the shelf as it is closed down. Returns how much that was. */
export async function takeAllOff(
  tx: Tx,
  platform: Platform,
  merchant: number,
  reason: string,
): Promise<number> {
  const goods = await run<{ id: number }>(
    tx,
    `SELECT id FROM product WHERE tenant_id = $1 AND kind = 'goods' AND status = 'published' AND recycled_at IS NULL ORDER BY id`,
    [merchant],
  );
  for (const { id } of goods) await takeOff(tx, platform, id, 'merchant_closing', reason);
  // What else it sells in groups (services) ends as well.
  const others = await run<{ id: number }>(
    tx,
    `SELECT DISTINCT s.product_id AS id FROM group_buy g JOIN group_buy_item i ON i.group_buy_id = g.id JOIN product_spec s ON s.id = i.spec_id
       JOIN product p ON p.id = s.product_id WHERE p.tenant_id = $1 AND g.state = 'published' ORDER BY 1`,
    [merchant],
  );
  for (const { id } of others) await endActivitiesOf(tx, id, reason);
  const beside = await run<{ id: number; kind: keyof typeof OFF }>(
    tx,
    `SELECT id, kind FROM product WHERE tenant_id = $1 AND kind = ANY($2) AND status = 'published' AND recycled_at IS NULL ORDER BY id`,
    [merchant, Object.keys(OFF)],
  );
  for (const { id, kind } of beside) await OFF[kind](tx, platform, id, reason);
  return goods.length + beside.length;
}

/** Goods on sale of which a certificate lapsed go off the shelf, each in a transaction of its own. Returns how many. */
export async function takeLapsedOff(platform: Platform): Promise<number> {
  const goods = await run<{ id: number; type: keyof typeof CERTIFICATES }>(
    platform.database.db,
    `SELECT * FROM (SELECT p.id, ${LACKING} AS type FROM product p JOIN business b ON b.id = p.business_id
       WHERE p.kind = 'goods' AND p.status = 'published' AND p.recycled_at IS NULL) x WHERE type IS NOT NULL ORDER BY id`,
  );
  for (const { id, type } of goods)
    await transaction(platform.database.db, async (tx) => {
      const still = await run(
        tx,
        `SELECT FROM product WHERE id = $1 AND status = 'published' AND recycled_at IS NULL FOR UPDATE`,
        [id],
      );
      if (still.length > 0)
        await takeOff(tx, platform, id, 'cert_expired', `资质到期：${CERTIFICATES[type].label[0]}`);
    });
  if (goods.length > 0) platform.changed('product');
  return goods.length;
}

/** What became of goods that waited for a certificate. */
export interface PutBack {
  readonly back: number;
  /** Edited while they were off: they are reviewed first. */
  readonly edited: number;
  /** Their certificate is still missing. */
  readonly lacking: number;
}

/** Puts back exactly the goods a lapsed certificate took off the shelf and nobody touched since. */
export async function putGoodsBack(tx: Tx, platform: Platform, merchant: number): Promise<PutBack> {
  const goods = await run<{ id: number; lacking: boolean; edited: boolean }>(
    tx,
    `SELECT p.id, ${LACKING} IS NOT NULL AS lacking, p.version <> p.off_version AS edited
       FROM product p JOIN business b ON b.id = p.business_id WHERE p.tenant_id = $1 AND p.off_cause = 'cert_expired' ORDER BY p.id FOR UPDATE OF p`,
    [merchant],
  );
  const ready = goods.filter((one) => !one.lacking && !one.edited);
  for (const { id } of ready) await boundProduct.actAsSystem(tx, platform, 'putBack', id);
  if (ready.length > 0) platform.changed('product');
  return {
    back: ready.length,
    edited: goods.filter((one) => !one.lacking && one.edited).length,
    lacking: goods.filter((one) => one.lacking).length,
  };
}

/** A certificate or agreement that ends on a day somebody wants to hear of. */
export interface Ending {
  readonly id: number;
  readonly account: string;
  readonly name: string;
  readonly left: number;
  readonly what: Label;
}

/** Certificates that end in one of some numbers of days, and those that ended yesterday (0). */
export async function endingCertificates(db: Executor, days: readonly number[]): Promise<Ending[]> {
  const rows = await run<Omit<Ending, 'what'> & { type: keyof typeof CERTIFICATES }>(
    db,
    `SELECT t.id, t.account, t.name, c.type, greatest(c.valid_to - (now() AT TIME ZONE 'Asia/Shanghai')::date, 0)::int AS left
       FROM merchant_certificate c JOIN tenant t ON t.id = c.tenant_id
      WHERE NOT c.long_term AND t.merchant_state <> 'closed'
        AND (c.valid_to - (now() AT TIME ZONE 'Asia/Shanghai')::date = ANY($1::int[]) OR c.valid_to = (now() AT TIME ZONE 'Asia/Shanghai')::date - 1)
        AND NOT EXISTS (SELECT FROM merchant_certificate n WHERE n.tenant_id = c.tenant_id AND n.type = c.type AND (n.long_term OR n.valid_to > c.valid_to))
      ORDER BY t.id, c.id`,
    [days],
  );
  return rows.map(({ type, ...row }) => ({ ...row, what: CERTIFICATES[type].label }));
}

/** Agreements in force that end in one of some numbers of days and have no successor. */
export async function endingAgreements(db: Executor, days: readonly number[]): Promise<Ending[]> {
  const rows = await run<Omit<Ending, 'what'> & { no: number }>(
    db,
    `SELECT t.id, t.account, t.name, a.agreement_version AS no,
            ((a.effective_to AT TIME ZONE 'Asia/Shanghai')::date - (now() AT TIME ZONE 'Asia/Shanghai')::date)::int AS left
       FROM merchant_agreement a JOIN tenant t ON t.id = a.tenant_id
      WHERE a.state = 'active' AND a.effective_to > now() AND t.merchant_state IN ('operating', 'suspended')
        AND (a.effective_to AT TIME ZONE 'Asia/Shanghai')::date - (now() AT TIME ZONE 'Asia/Shanghai')::date = ANY($1::int[])
        AND NOT EXISTS (SELECT FROM merchant_agreement n WHERE n.tenant_id = a.tenant_id AND n.state = 'active' AND n.effective_from >= a.effective_to)
      ORDER BY t.id, a.id`,
    [days],
  );
  return rows.map(({ no, ...row }) => ({ ...row, what: [`协议 V${no}`, `agreement V${no}`] }));
}
