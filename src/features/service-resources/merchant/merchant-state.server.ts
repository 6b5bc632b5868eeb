import { LIVE_STATES } from '../../../domain/after-sale/case.rules.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { runOne, type Executor } from '../../../kernel/server/database.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { depositSql } from '../../../domain/merchant/deposit.server.ts';
import { PAYABLE, WALLET, WALLET_FROZEN } from '../../../domain/merchant/funds.server.ts';
import { HAS_VERIFIED_PAYEE } from '../../../domain/merchant/payee-verification.server.ts';
import type { Checklist } from '../../../domain/merchant/merchant.rules.ts';

/** What of the opening of a merchant is there at this moment. */
export async function checklistOf(db: Executor, id: number): Promise<Checklist> {
  return (await runOne<Checklist>(
    db,
    `SELECT a.id IS NOT NULL AS agreement,
            t.merchant_kind = 'self' OR EXISTS (SELECT FROM merchant_certificate c WHERE c.tenant_id = t.id AND c.type = 'licence'
              AND (c.long_term OR c.valid_to >= (now() AT TIME ZONE 'Asia/Shanghai')::date)) AS licence,
            t.merchant_kind = 'self' OR ${HAS_VERIFIED_PAYEE} AS payee,
            t.merchant_kind = 'self' OR ${depositSql('t.id')} >= coalesce(a.deposit, 0) AS deposit,
            EXISTS (SELECT FROM tenant_project p WHERE p.tenant_id = t.id) AS project,
            EXISTS (SELECT FROM tenant_business b WHERE b.tenant_id = t.id) AS business,
            EXISTS (SELECT FROM staff s WHERE s.tenant_id = t.id AND s.state = 'normal') AS staff
       FROM tenant t LEFT JOIN LATERAL (SELECT * FROM merchant_agreement f WHERE f.tenant_id = t.id AND f.state = 'active'
         AND f.effective_from <= now() AND (f.effective_to IS NULL OR f.effective_to > now()) LIMIT 1) a ON true
      WHERE t.id = $1`,
    [id],
  ))!;
}

/** One thing that keeps a merchant from being closed, with the list that shows it. */
export interface Blocker {
  readonly key: string;
  readonly label: Label;
  readonly route: string;
}

interface Found {
  readonly account: string;
  readonly orders: number;
  readonly visits: number;
  readonly works: number;
  readonly others: number;
  readonly refunds: number;
  readonly cases: number;
  readonly goods: number;
  readonly services: number;
  readonly decor: number;
  readonly lines: number;
  readonly statements: number;
  readonly payable: number;
  readonly wallet: number;
  readonly deposit: number;
}

/** SQL: how many products of a kind the merchant `t` sells. */
const ON_SALE = (kind: string) =>
  `(SELECT count(*) FROM product p WHERE p.tenant_id = t.id AND p.kind = '${kind}' AND p.status = 'published' AND p.recycled_at IS NULL)`;

/** SQL: how many orders of some kinds the merchant `t` has that have not ended. */
const OPEN = (kinds: string) =>
  `(SELECT count(*) FROM sales_order o WHERE o.tenant_id = t.id AND o.kind ${kinds} AND o.state NOT IN ('completed', 'closed'))`;

/** What keeps a merchant from being closed, as it is now. Source: group 03, ssm_merchantManager, closing; Must show 8. */
export async function closingBlockers(db: Executor, id: number): Promise<readonly Blocker[]> {
  const found = (await runOne<Found>(
    db,
    `SELECT t.account,
            ${OPEN(`= 'goods'`)} AS orders, ${OPEN(`= 'service'`)} AS visits, ${OPEN(`= 'home_decor'`)} AS works,
            ${OPEN(`NOT IN ('goods', 'service', 'home_decor')`)} AS others,
            (SELECT count(*) FROM refund r WHERE r.tenant_id = t.id AND r.state IN ('reviewing', 'refunding', 'failed')) AS refunds,
            (SELECT count(*) FROM after_sale c WHERE c.tenant_id = t.id AND after_sale_is_live(c.state)) AS cases,
            ${ON_SALE('goods')} AS goods, ${ON_SALE('service')} AS services, ${ON_SALE('home_decor')} AS decor,
            (SELECT count(*) FROM order_line l JOIN sales_order o ON o.id = l.order_id WHERE o.tenant_id = t.id AND t.merchant_kind = 'resident'
                AND o.kind IN ('goods', 'service') AND o.state = 'completed' AND l.qty_refunded < l.qty
                AND NOT EXISTS (SELECT FROM statement_line x WHERE x.source_type = 'order_line' AND x.source_id = l.id AND x.active)) AS lines,
            (SELECT count(*) FROM statement s WHERE s.tenant_id = t.id AND s.state NOT IN ('settled', 'void')) AS statements,
            ${PAYABLE} AS payable, (${WALLET} + ${WALLET_FROZEN}) AS wallet, ${depositSql('t.id')} AS deposit FROM tenant t WHERE t.id = $1`,
    [id],
  ))!;
  const mall = '/merchantManager';
  const own = `merchant=${id}`;
  const funds = `/serviceSourceManager/maoBossAccount?as=funds&searchVal=${found.account}`;
  const blockers: Blocker[] = [];
  const count = (
    key: Exclude<keyof Found, 'account' | 'payable' | 'wallet' | 'deposit'>,
    words: Label,
    route: string,
  ) => {
    const n = found[key];
    if (n > 0) blockers.push({ key, label: [`${n} ${words[0]}`, `${n} ${words[1]}`], route });
  };
  const amount = (key: 'payable' | 'wallet' | 'deposit', words: Label) => {
    const fen = found[key];
    if (fen === 0) return;
    const yuan = yuanFromFen(fen);
    blockers.push({ key, label: [`${words[0]} ${yuan} 元`, `${words[1]} of ${yuan} yuan`], route: funds });
  };
  count(
    'orders',
    ['笔未完成订单', 'open orders'],
    `${mall}/mm_businessOrder_wx?${own}&state=pending_payment,grouping,to_ship,part_shipped,to_receive`,
  );
  count(
    'visits',
    ['笔未完成服务订单', 'open service orders'],
    `${mall}/mm_reservationOrder_wx?${own}&state=pending_payment,grouping,to_accept,to_visit`,
  );
  count(
    'works',
    ['笔未完成美居订单', 'open decor orders'],
    `/mercureManager/mj_mercureCommodityOrder?${own}`,
  );
  count('others', ['笔其他未完成订单', 'other open orders'], `${mall}/mm_businessOrder?${own}`);
  count(
    'refunds',
    ['笔未完成退款', 'open refunds'],
    `${mall}/mm_orderRefund?${own}&tab=all&state=reviewing,refunding,failed`,
  );
  count(
    'cases',
    ['笔进行中的售后', 'open after-sales cases'],
    `/afterSalesManage/am_orderlist?${own}&state=${LIVE_STATES.join(',')}`,
  );
  count('goods', ['件在售商品', 'goods on sale'], `${mall}/mm_commodityMana?${own}`);
  count('services', ['项在售服务', 'services on sale'], `${mall}/mm_reservationSer?${own}`);
  count('decor', ['个在售美居套餐', 'decor packages on sale'], `/mercureManager/mj_mercureCommodity?${own}`);
  count('lines', ['条未结算明细', 'rows not settled'], `${mall}/mm_accountStatement?${own}`);
  count(
    'statements',
    ['份未结清账单', 'statements not paid or in dispute'],
    `${mall}/mm_accountStatement?${own}&state=to_confirm,disputed,to_pay,paying,failed`,
  );
  amount('payable', ['应结余额', 'a payable']);
  amount('wallet', ['钱包余额', 'a wallet balance']);
  amount('deposit', ['未退还的保证金', 'a deposit']);
  return blockers;
}

/** The refusal of a closing that lists what is left; undefined where nothing is. */
export function closingRefusal(blockers: readonly Blocker[]): Label | undefined {
  if (blockers.length === 0) return undefined;
  return [
    `还有 ${blockers.map((one) => one.label[0]).join('、')}，不能完成清退`,
    `Still there: ${blockers.map((one) => one.label[1]).join(', ')}`,
  ];
}

/** Where a merchant's business stands: how much there is of each, and the list that shows it. */
export async function businessOf(
  db: Executor,
  id: number,
): Promise<
  readonly { readonly key: string; readonly label: Label; readonly count: number; readonly route: string }[]
> {
  const found = (await runOne<Record<string, number>>(
    db,
    `SELECT (SELECT count(*) FROM product p WHERE p.tenant_id = $1 AND p.kind = 'goods' AND p.recycled_at IS NULL AND p.purged_at IS NULL)::int AS goods,
            (SELECT count(*) FROM sales_order o WHERE o.tenant_id = $1 AND o.kind = 'goods')::int AS orders,
            (SELECT count(*) FROM sales_order o WHERE o.tenant_id = $1 AND o.kind = 'service')::int AS visits,
            (SELECT count(*) FROM after_sale c WHERE c.tenant_id = $1)::int AS cases,
            (SELECT count(*) FROM statement s WHERE s.tenant_id = $1 AND s.state NOT IN ('draft', 'void'))::int AS bills,
            (SELECT count(*) FROM staff s WHERE s.tenant_id = $1)::int AS staff,
            (SELECT count(*) FROM boss_link l WHERE l.merchant_id = $1)::int AS bosses`,
    [id],
  ))!;
  const own = `?merchant=${id}`;
  const parts: readonly (readonly [string, Label, string])[] = [
    ['goods', ['商品', 'Goods'], `/merchantManager/mm_commodityMana${own}`],
    ['orders', ['商品订单', 'Goods orders'], `/merchantManager/mm_businessOrder_wx${own}`],
    ['visits', ['服务订单', 'Service orders'], `/merchantManager/mm_reservationOrder_wx${own}`],
    ['cases', ['售后', 'After-sales'], `/afterSalesManage/am_orderlist${own}`],
    ['bills', ['对账单', 'Bills'], `/merchantManager/mm_accountStatement${own}`],
    ['staff', ['员工账号', 'Staff'], ''],
    ['bosses', ['商户端账户', 'Merchant-app accounts'], `/serviceSourceManager/maoBossAccount${own}`],
  ];
  return parts.map(([key, label, route]) => ({ key, label, count: found[key]!, route }));
}
