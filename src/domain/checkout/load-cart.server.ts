import type { Label } from '../../kernel/contract/label.ts';
import { rushOffers, type RushOffer } from '../rush/rush-offer.server.ts';
import { run, type Executor } from '../../kernel/server/database.ts';
import { invalid, notFound, ruleBroken } from '../../kernel/server/http/errors.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { engineRule } from '../coin-deduction/coin-deduction.rules.ts';
import { offeredRules } from '../coin-deduction/coin-deduction.server.ts';
import { spendableOf } from '../points-ledger/points-ledger.server.ts';
import { groupOffer, type GroupOffer } from '../group-buy/group-cart.server.ts';
import { seckillOffer, type SeckillOffer, type SeckillWanted } from '../seckill/seckill-offer.server.ts';
import { refuseUndeliverable } from './delivery-area.server.ts';
import { pointsSettingsOf, readOverrides } from '../trade-money/points-settings.rules.ts';
import {
  quote,
  type MemberCoupon,
  type PointsSettings,
  type PostageBand,
  type Quote,
  type QuoteLine,
  type Wanted,
} from '../trade-money/quote.rules.ts';

/** What a member wants to buy. Quantities are pieces; a spec named twice is one line. */
export interface CartRequest {
  readonly memberId: number;
  readonly projectId: number;
  readonly lines: readonly { readonly specId: number; readonly qty: number }[];
  /** A seat in a team at the group price; the cart has exactly one line then. `teamId` null opens a team. */
  readonly group?:
    { readonly itemId: number; readonly teamId: number | null; readonly openNewIfFull: boolean } | undefined;
  /** A claim in a seckill at its price; the cart has exactly one line then. */
  readonly seckill?: SeckillWanted | undefined;
  /** The time of a visit: the cart is one service then. `personId` null: nobody was chosen. */
  readonly visit?:
    | {
        readonly startsAt: Date;
        readonly personId: number | null;
        readonly houseId: number | null;
        /** Staff with the right to it book beyond the capacity or inside the lead hours, with this reason. */
        readonly overbook?: { readonly reason: string } | undefined;
      }
    | undefined;
  /** `best`: the best coupons for the member; else exactly these member coupons. */
  readonly coupons: 'best' | readonly number[];
  readonly pointsWanted: Wanted;
  /** Absent: none. */
  readonly coinsWanted?: Wanted | undefined;
  /** Merchant staff may sell goods of this tenant only; goods of others do not exist for them (404). */
  readonly onlyTenantId?: number | undefined;
  /** Staff limited to projects may sell what is sold in one of them; other goods do not exist for them (404). */
  readonly onlyProjectIds?: readonly number[] | undefined;
}

/** One line as the catalogue has it at this moment; prices in fen. */
export interface CartLine {
  readonly lineNo: number;
  readonly specId: number;
  readonly productId: number;
  readonly tenantId: number;
  readonly qty: number;
  readonly code: string;
  readonly productName: string;
  readonly specName: string;
  readonly imageId: string | null;
  readonly supplier: string;
  readonly salesWay: string;
  readonly unit: string;
  readonly price: number;
  readonly stock: number;
  /** Pieces are counted; a service that only its times limit is not. */
  readonly stocked: boolean;
  /** Visits of one piece of a service; 1 for goods. */
  readonly times: number;
  readonly accountLimit: number;
  readonly businessId: number;
  readonly payMinutes: number | null;
  readonly merchantName: string;
}

/** A cart with its price; `quote` is the money engine's answer, `coupons` names what the member holds. */
export interface PricedCart {
  readonly lines: readonly CartLine[];
  readonly coupons: readonly MemberCoupon[];
  readonly pointsBalance: number;
  readonly coinsBalance: number;
  readonly quote: Quote;
  /** Of a group order: its pieces come from the activity, not from the shelf. */
  readonly group?: GroupOffer | undefined;
  /** Of a seckill order: its pieces come from the activity too. */
  readonly seckill?: SeckillOffer | undefined;
  /** Sold in a rush that runs now; its pieces come from the shelf. */
  readonly rush: boolean;
}

/** Type of the business whose goods are sold in rushes. */
const RUSH = 4;
const NO_RUSH: ReadonlyMap<number, RushOffer> = new Map();

/** Most different specs of one checkout. */
export const MAX_LINES = 50;
/** Most pieces of one line. */
export const MAX_QTY = 9_999;

/**
 * Prices a cart from the catalogue as it stands now: one function for the live quote and for creating orders.
 * Throws 422 for an empty or absurd cart, 404 for a spec that is not visible, 30101 for goods that are not on sale in
 * the project or not delivered to its district, sold only in activities, or above the per-account limit. Stock is not looked at: creation reserves it.
 * Source: group 08, Money engine.
 */
export async function priceCart(db: Executor, platform: Platform, request: CartRequest): Promise<PricedCart> {
  const wanted = mergeLines(request.lines);
  if (request.visit && wanted.size > 1)
    throw invalid({ lines: ['每次预约一项服务', 'One service is booked at a time'] });
  const lines = await loadLines(db, request, wanted);
  const rushed = lines.filter((line) => line.rushPrice !== null).length;
  if (rushed > 0 && rushed < lines.length)
    throw ruleBroken(['疯抢商品请单独下单', 'Rush goods are ordered on their own']);
  await refuseUndeliverable(db, request.projectId, lines);
  const group = request.group ? await groupOffer(db, request.group, request) : undefined;
  const seckill = request.seckill ? await seckillOffer(db, request.seckill, request) : undefined;
  await checkLimits(db, request.memberId, lines);
  const { coupons: held, now } = await loadCoupons(db, request.memberId);
  const coupons = held.filter(
    // A merchant is told nothing of what the member holds of other merchants; it could not be used either.
    (coupon) =>
      request.onlyTenantId === undefined ||
      coupon.merchantId === null ||
      coupon.merchantId === String(request.onlyTenantId),
  );
  const { point: balance, coin: coinsBalance } = await spendableOf(db, request.memberId);
  const rules = await pointsRules(db, platform, request.projectId);
  const classes = await classIdsOf(
    db,
    lines.map((line) => line.productId),
  );
  const scoped = lines.map((line) => ({
    merchantId: line.tenantId,
    businessId: line.businessId,
    productId: line.productId,
    classIds: (classes.get(line.productId) ?? []).map(Number),
  }));
  const coinRules =
    coinsBalance === 0
      ? []
      : (await offeredRules(db, request)).map((rule) => engineRule(rule, request.projectId, scoped));
  const result = quote({
    now,
    projectId: String(request.projectId),
    lines: lines.map((line) =>
      quoteLine(line, classes, rules, group ?? seckill, seckill ? 'seckill' : 'group'),
    ),
    coupons,
    choice:
      request.coupons === 'best'
        ? { kind: 'best' }
        : { kind: 'named', memberCouponIds: request.coupons.map(String) },
    pointsSettings: rules.settings,
    pointsBalance: balance,
    pointsWanted: request.pointsWanted,
    coinRules,
    coinsBalance,
    coinsWanted: request.coinsWanted ?? 0,
    postage: await loadPostage(
      db,
      lines.map((line) => line.tenantId),
    ),
  });
  return {
    lines,
    coupons,
    pointsBalance: balance,
    coinsBalance,
    quote: result,
    group,
    seckill,
    rush: rushed > 0,
  };
}

/** Postage bands by merchant id, amounts in fen; used again when a new address changes the freight. */
export async function loadPostage(
  db: Executor,
  tenantIds: readonly number[],
): Promise<Record<string, PostageBand[]>> {
  const rows = await run<{ tenant_id: number; start_fen: number; end_fen: number | null; freight: number }>(
    db,
    'SELECT tenant_id, start_fen, end_fen, freight FROM postage_rule WHERE tenant_id = ANY($1::bigint[]) ORDER BY tenant_id, start_fen',
    [[...new Set(tenantIds)]],
  );
  const bands: Record<string, PostageBand[]> = {};
  for (const row of rows)
    (bands[String(row.tenant_id)] ??= []).push({
      start: row.start_fen,
      end: row.end_fen ?? null,
      freight: row.freight,
    });
  return bands;
}

function mergeLines(lines: CartRequest['lines']): Map<number, number> {
  const wanted = new Map<number, number>();
  for (const line of lines) wanted.set(line.specId, (wanted.get(line.specId) ?? 0) + line.qty);
  if (wanted.size === 0) throw invalid({ lines: ['请添加商品', 'Please add goods'] });
  if (wanted.size > MAX_LINES)
    throw invalid({ lines: [`最多${MAX_LINES}种商品`, `At most ${MAX_LINES} goods`] });
  for (const qty of wanted.values())
    if (!Number.isSafeInteger(qty) || qty < 1 || qty > MAX_QTY)
      throw invalid({ lines: [`数量应为1至${MAX_QTY}`, `Quantities must be 1 to ${MAX_QTY}`] });
  return wanted;
}

interface SpecRow extends Omit<CartLine, 'lineNo' | 'qty'> {
  readonly enabled: boolean;
  readonly kind: string;
  readonly status: string;
  readonly recycled: boolean;
  readonly open: boolean;
  readonly inProject: boolean;
  readonly inReach: boolean;
  readonly businessType: number;
  readonly businessEnabled: boolean;
  readonly pointsAllowed: boolean;
  readonly minQty: number;
}

async function loadLines(
  db: Executor,
  request: CartRequest,
  wanted: Map<number, number>,
): Promise<LoadedLine[]> {
  const ids = [...wanted.keys()];
  const rows = await run<SpecRow>(
    db,
    `SELECT s.id AS "specId", p.id AS "productId", p.tenant_id AS "tenantId", s.code, p.name AS "productName", s.name AS "specName",
            coalesce(s.image_id, p.logo_ids[1]) AS "imageId", p.supplier, p.sales_way AS "salesWay", s.unit, s.price, s.stock,
            p.account_limit AS "accountLimit", p.business_id AS "businessId", b.auto_cancel_minutes AS "payMinutes",
            m.name AS "merchantName", s.enabled, p.kind, p.status, p.recycled_at IS NOT NULL AS recycled,
            m.enabled AND m.state = 'open' AND m.merchant_state = 'operating' AS open, b.type AS "businessType", b.enabled AS "businessEnabled", p.points_allowed AS "pointsAllowed",
            p.kind <> 'service' OR coalesce(v.limited, false) AS stocked, coalesce(v.times, 1) AS times, coalesce(v.min_qty, 1) AS "minQty",
            EXISTS (SELECT FROM product_project pp WHERE pp.product_id = p.id AND pp.project_id = $2) AS "inProject",
            $3::bigint[] IS NULL OR EXISTS (SELECT FROM product_project pr WHERE pr.product_id = p.id AND pr.project_id = ANY($3::bigint[])) AS "inReach"
       FROM product_spec s JOIN product p ON p.id = s.product_id JOIN business b ON b.id = p.business_id
       JOIN tenant m ON m.id = p.tenant_id LEFT JOIN service_setting v ON v.product_id = p.id
      WHERE s.id = ANY($1::bigint[])`,
    [ids, request.projectId, request.onlyProjectIds ?? null],
  );
  const bySpec = new Map(rows.map((row) => [row.specId, row]));
  // Most carts hold none of them and are not asked about.
  const rushed =
    request.group || request.seckill || request.visit
      ? []
      : rows.filter((row) => row.businessType === RUSH).map((row) => row.specId);
  const rush = rushed.length > 0 ? await rushOffers(db, rushed) : NO_RUSH;
  return ids.map((specId, index) => {
    const row = bySpec.get(specId);
    // Nothing is told of goods outside the caller's reach or not on sale, not even that they exist: names of drafts are
    // their merchant's.
    if (
      !row ||
      row.kind !== (request.visit ? 'service' : 'goods') ||
      !row.inReach ||
      row.status !== 'published' ||
      row.recycled ||
      (request.onlyTenantId !== undefined && row.tenantId !== request.onlyTenantId)
    )
      throw notFound([
        `第${index + 1}行商品不存在或未上架`,
        `The goods of line ${index + 1} do not exist or are not on sale`,
      ]);
    const rushPrice = rush.get(specId)?.price ?? null;
    const refused =
      refusalOf(row, request.group !== undefined || request.seckill !== undefined || rushPrice !== null) ??
      tooFew(row, wanted.get(specId)!);
    if (refused) throw ruleBroken([`${row.productName}：${refused[0]}`, `${row.productName}: ${refused[1]}`]);
    return { ...row, rushPrice, lineNo: index + 1, qty: wanted.get(specId)! };
  });
}

type LoadedLine = CartLine & Pick<SpecRow, 'pointsAllowed' | 'kind'> & { readonly rushPrice: number | null };

function tooFew(row: SpecRow, qty: number): Label | undefined {
  return qty < row.minQty
    ? [`最少购买${row.minQty}${row.unit}`, `At least ${row.minQty} ${row.unit}`]
    : undefined;
}

function refusalOf(row: SpecRow, inActivity: boolean): Label | undefined {
  if (!row.enabled) return ['规格已停售', 'The spec is no longer sold'];
  if (!row.open) return ['商户已打烊', 'The merchant is closed for now'];
  if (!row.businessEnabled) return ['业务已停用', 'The business is disabled'];
  if (!row.inProject) return ['不在该小区销售', 'Not sold in this project'];
  // Group-buy and rush goods have their price in an activity only.
  if (!inActivity && (row.businessType === 2 || row.businessType === RUSH))
    return ['请在活动中下单', 'Sold in activities only'];
  return undefined;
}

function quoteLine(
  line: LoadedLine,
  classes: ReadonlyMap<number, readonly string[]>,
  rules: PointsRules,
  offer: GroupOffer | SeckillOffer | undefined,
  kind: 'group' | 'seckill',
): QuoteLine {
  const classIds = classes.get(line.productId) ?? [];
  const isExcluded =
    rules.products.has(String(line.productId)) || classIds.some((id) => rules.classes.has(id));
  return {
    lineNo: line.lineNo,
    merchantId: String(line.tenantId),
    productId: String(line.productId),
    classIds,
    specId: String(line.specId),
    listPrice: line.price,
    unitPrice: offer?.unitPrice ?? line.rushPrice ?? line.price,
    qty: line.qty,
    priceKind: offer ? kind : line.rushPrice === null ? 'ordinary' : 'rush',
    activityAllowsCoupon: offer?.allowCoupon ?? false,
    activityAllowsPoints: offer?.allowPoints ?? false,
    activityAllowsCoins: offer?.allowCoin ?? false,
    pointsAllowed: line.pointsAllowed && !isExcluded,
    service: line.kind === 'service',
  };
}

/** Per-account limits count pieces of orders that are not closed, less the refunded ones. */
async function checkLimits(db: Executor, memberId: number, lines: readonly CartLine[]): Promise<void> {
  const limited = lines.filter((line) => line.accountLimit > 0);
  if (limited.length === 0) return;
  const rows = await run<{ product_id: number; qty: number }>(
    db,
    `SELECT l.product_id, sum(l.qty - l.qty_refunded / l.times)::integer AS qty FROM order_line l JOIN sales_order o ON o.id = l.order_id
      WHERE o.member_id = $1 AND o.kind IN ('goods', 'service') AND o.state <> 'closed' AND l.product_id = ANY($2::bigint[]) GROUP BY 1`,
    [memberId, limited.map((line) => line.productId)],
  );
  const bought = new Map(rows.map((row) => [row.product_id, row.qty]));
  for (const line of limited) {
    const now = limited
      .filter((one) => one.productId === line.productId)
      .reduce((sum, one) => sum + one.qty, 0);
    const left = line.accountLimit - (bought.get(line.productId) ?? 0);
    if (now > left)
      throw ruleBroken([
        `${line.productName}：每人限购${line.accountLimit}件，还可购买${Math.max(0, left)}件`,
        `${line.productName}: at most ${line.accountLimit} per person, ${Math.max(0, left)} left`,
      ]);
  }
}

interface CouponRow {
  readonly id: number;
  readonly coupon_id: number;
  readonly name: string;
  readonly type: 'cash' | 'discount';
  readonly issuer: 'platform' | 'merchant';
  readonly tenant_id: number;
  readonly threshold: number;
  readonly face: number | null;
  readonly rate: number | null;
  readonly max_discount: number | null;
  readonly percent: number;
  readonly scope: 'all' | 'classes' | 'products';
  readonly scope_ids: number[];
  readonly excluded_product_ids: number[];
  /** Merchants who agreed to bear a part; null: nobody had to be asked. */
  readonly consenting: number[] | null;
  readonly project_ids: number[];
  readonly starts_at: Date;
  readonly ends_at: Date;
  readonly locked: boolean;
  readonly clock: Date;
}

/**
 * Coupons the member holds, expired ones of the last 30 days too: the quote says why each cannot be used. `now` is the
 * database's clock in milliseconds, by which they begin and end; without coupons nothing asks for it.
 */
async function loadCoupons(
  db: Executor,
  memberId: number,
): Promise<{ coupons: MemberCoupon[]; now: number }> {
  const rows = await run<CouponRow>(
    db,
    `SELECT mc.id, mc.coupon_id, c.name, c.type, c.issuer, c.tenant_id, c.threshold, c.face, c.rate, c.max_discount,
            c.bearer_platform_percent AS percent, c.scope, c.scope_ids, c.excluded_product_ids, c.project_ids, c.starts_at,
            -- What was recalled cannot be used, also where an order held it at that moment.
            least(mc.ends_at, c.recalled_at) AS ends_at, mc.locked_payment IS NOT NULL AS locked,
            CASE WHEN c.consent_needed THEN ARRAY(SELECT n.tenant_id FROM coupon_consent n WHERE n.coupon_id = c.id AND n.state = 'yes') END AS consenting,
            clock_timestamp() AS clock
       FROM member_coupon mc JOIN coupon c ON c.id = mc.coupon_id
      WHERE mc.member_id = $1 AND mc.status IN ('claimed', 'expired') AND mc.ends_at > now() - interval '30 days'
      ORDER BY mc.ends_at, mc.id LIMIT 200`,
    [memberId],
  );
  const coupons = rows.map((row): MemberCoupon => ({
    memberCouponId: String(row.id),
    couponId: String(row.coupon_id),
    name: row.name,
    issuer: row.issuer,
    merchantId: row.issuer === 'merchant' ? String(row.tenant_id) : null,
    value:
      row.type === 'cash'
        ? { kind: 'cash', face: row.face! }
        : { kind: 'discount', rate: row.rate!, maxDiscount: row.max_discount },
    threshold: row.threshold,
    scope: {
      kind: row.scope,
      ids: row.scope_ids.map(String),
      excludedProductIds: row.excluded_product_ids.map(String),
    },
    projectIds: row.project_ids.length === 0 ? null : row.project_ids.map(String),
    validFrom: row.starts_at.getTime(),
    validTo: row.ends_at.getTime(),
    locked: row.locked,
    bearerPlatformPercent: row.percent,
    consentingMerchantIds: row.consenting?.map(String) ?? null,
  }));
  return { coupons, now: rows[0]?.clock.getTime() ?? Date.now() };
}

/** How points may pay in a project, and what they may not pay. */
interface PointsRules {
  readonly settings: PointsSettings;
  readonly classes: ReadonlySet<string>;
  readonly products: ReadonlySet<string>;
}

/** Read over the same connection: asking the pool from inside a transaction would wait for itself when all are busy. */
async function pointsRules(db: Executor, platform: Platform, projectId: number): Promise<PointsRules> {
  const rows = await run<{ key: string; value: unknown }>(
    db,
    `SELECT key, value FROM setting WHERE key LIKE 'mall.points.%'`,
  );
  const value = (name: string): unknown => {
    const key = `mall.points.${name}`;
    const stored = rows.find((row) => row.key === key);
    return stored ? stored.value : platform.settings.defaultOf(key);
  };
  const base: PointsSettings = {
    enabled: value('enabled') === true,
    perYuan: Number(value('per_yuan')),
    step: Number(value('step')),
    maxPercent: Number(value('max_percent')),
    maxPerOrder: Number(value('max_per_order')),
    withCoupon: value('with_coupon') === true,
    withCoin: value('with_coin') === true,
  };
  const ids = (name: string) => new Set((value(name) as readonly unknown[]).map(String));
  const { overrides } = readOverrides(value('project_overrides'), base);
  return {
    settings: pointsSettingsOf(base, overrides, String(projectId)),
    classes: ids('excluded_classes'),
    products: ids('excluded_products'),
  };
}

/** The classes of products with all classes above them. */
async function classIdsOf(db: Executor, productIds: readonly number[]): Promise<Map<number, string[]>> {
  const rows = await run<{ product_id: number; class_id: number }>(
    db,
    `WITH RECURSIVE up AS (
       SELECT m.product_id, c.id, c.parent_id FROM product_class_member m JOIN product_class c ON c.id = m.class_id
        WHERE m.product_id = ANY($1::bigint[])
       UNION
       SELECT up.product_id, c.id, c.parent_id FROM up JOIN product_class c ON c.id = up.parent_id)
     SELECT product_id, id AS class_id FROM up`,
    [productIds],
  );
  const classes = new Map<number, string[]>();
  for (const row of rows)
    classes.set(row.product_id, [...(classes.get(row.product_id) ?? []), String(row.class_id)]);
  return classes;
}
