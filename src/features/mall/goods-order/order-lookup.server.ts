import { containing } from '../../../kernel/server/resource/like-text.ts';
import { maskValue } from '../../../kernel/contract/mask.rules.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { notFound } from '../../../kernel/server/http/errors.ts';
import type { Platform, PlatformConfig } from '../../../kernel/server/platform.ts';
import { noteGuesses } from '../../../kernel/server/http/guess-limit.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { countCall, type RateLimit } from '../../../kernel/server/http/rate-limit.ts';
import { goodsOrder } from './goods-order.contract.ts';
import { isMemberTicket } from './member-ticket.server.ts';

/** A member an order can be made for, as stored: masked before it leaves the server. */
export interface OrderMember {
  readonly id: number;
  readonly name: string;
  readonly phone: string;
  readonly projectId: number | null;
}

/** A house an order can be sent to, with the address text of a parcel. */
export interface OrderHouse {
  readonly id: number;
  readonly projectId: number;
  readonly projectName: string;
  readonly address: string;
}

const MEMBER = `m.id, coalesce(nullif(m.name, ''), m.nickname) AS name, m.phone, m.project_id AS "projectId"`;
const HOUSE = `h.id, h.project_id AS "projectId", p.name AS "projectName",
  concat_ws(' ', p.name, b.name, u.name, h.number) AS address`;
const HOUSE_FROM = `house h JOIN project p ON p.id = h.project_id JOIN building_unit u ON u.id = h.unit_id JOIN building b ON b.id = u.building_id`;

/**
 * A member the caller may order for: one whose rows it sees anyway, or one it found by the whole phone number a moment
 * ago (`ticket`). Throws 404 else, the same for unknown ids: nobody leafs through members by number.
 */
export async function findOrderMember(
  db: Executor,
  caller: Caller,
  config: PlatformConfig,
  asked: { readonly memberId: number; readonly ticket: string | null | undefined },
): Promise<OrderMember> {
  const [member] = isMemberTicket(config, caller, asked.memberId, asked.ticket)
    ? await membersInReach(db, caller, (parameters) => `m.id = ${parameters.bind(asked.memberId)}`)
    : await membersByIds(db, caller, [asked.memberId]);
  if (!member) throw notFound(['会员不存在或无权查看', 'The member does not exist or is not visible to you']);
  return member;
}

/** Numbers a staff may look up: a busy desk takes a call in more than two seconds, a list of numbers is tried faster. */
export const PHONE_LOOK_UPS: RateLimit = { purpose: 'memberByPhone', most: 30, seconds: 60 };

/**
 * Members by exact phone number: the only way to find one, so that nobody can leaf through them. Throws 429 when a staff
 * tries one number after the other.
 */
export async function membersByPhone(
  platform: Platform,
  caller: Caller,
  phone: string,
): Promise<OrderMember[]> {
  if (!/^1\d{10}$/.test(phone)) return [];
  const { db } = platform.database;
  await noteGuesses(platform, caller, [phone]);
  await countCall(db, caller.staffId, PHONE_LOOK_UPS);
  return membersInReach(db, caller, (parameters) => `m.phone = ${parameters.bind(phone)}`);
}

/**
 * Members by id whose rows the caller sees anyway: residents of its projects for company and centre city, everybody for
 * the platform, and for a merchant and for who does not see all orders the buyers of the orders it sees.
 */
export async function membersByIds(
  db: Executor,
  caller: Caller,
  ids: readonly number[],
): Promise<OrderMember[]> {
  return membersInReach(db, caller, (parameters) => {
    const named = `m.id = ANY(${parameters.bind(ids)}::bigint[])`;
    const seesAll = caller.menus.get(goodsOrder.menu)?.some((scope) => scope.kind === 'all') === true;
    if (caller.tenantKind !== 2 && seesAll) return named;
    const scope = scopeCondition(caller, goodsOrder.menu, BUYER_SCOPE, parameters);
    return `${named} AND EXISTS (SELECT FROM sales_order o WHERE o.member_id = m.id AND o.kind = 'goods' AND ${scope})`;
  });
}

/** Houses of a member with a living household, in projects the caller works in. */
export async function housesOf(db: Executor, caller: Caller, memberId: number): Promise<OrderHouse[]> {
  const parameters = new Parameters();
  const member = parameters.bind(memberId);
  const inside = projectsOf(caller, parameters);
  return run<OrderHouse>(
    db,
    `SELECT ${HOUSE} FROM household x JOIN ${HOUSE_FROM.replace('house h', 'house h ON h.id = x.house_id')}
      WHERE x.member_id = ${member} AND x.status = 'normal'${inside ? ` AND h.project_id IN (${inside})` : ''} ORDER BY h.id LIMIT 50`,
    parameters.values,
  );
}

/** A house by id, or undefined. */
export async function findHouse(db: Executor, houseId: number): Promise<OrderHouse | undefined> {
  return runOne<OrderHouse>(db, `SELECT ${HOUSE} FROM ${HOUSE_FROM} WHERE h.id = $1`, [houseId]);
}

/** A member as the page sees it. */
export function wireMember(member: OrderMember): { id: string; name: string; phone: string } {
  return {
    id: String(member.id),
    name: maskValue('name', member.name),
    phone: maskValue('phone', member.phone),
  };
}

/** Goods that can be ordered in a project, by keyword over product and code; merchants see their own. Money as yuan text. */
export async function findSpecs(
  db: Executor,
  caller: Caller,
  query: {
    readonly projectId: number;
    readonly searchVal: string;
    readonly ids?: readonly number[];
    readonly limit: number;
  },
) {
  const parameters = new Parameters();
  const parts = [
    `p.kind = 'goods' AND p.status = 'published' AND p.recycled_at IS NULL AND s.enabled AND m.enabled AND m.state = 'open'`,
    'b.type IN (1, 3)',
    `EXISTS (SELECT FROM product_project pp WHERE pp.product_id = p.id AND pp.project_id = ${parameters.bind(query.projectId)})`,
  ];
  if (caller.tenantKind === 2) parts.push(`p.tenant_id = ${parameters.bind(caller.tenantId)}`);
  if (query.ids && query.ids.length > 0) parts.push(`s.id = ANY(${parameters.bind(query.ids)}::bigint[])`);
  if (query.searchVal !== '') {
    const like = parameters.bind(containing(query.searchVal.toLowerCase()));
    parts.push(`(p.search LIKE ${like} OR lower(s.name) LIKE ${like} OR lower(s.code) LIKE ${like})`);
  }
  const rows = await run<{
    id: number;
    productName: string;
    specName: string;
    code: string;
    unit: string;
    price: number;
    stock: number;
    imageId: string | null;
    tenantId: number;
    merchant: string;
  }>(
    db,
    `SELECT s.id, p.name AS "productName", s.name AS "specName", p.code || '-' || s.code AS code, s.unit, s.price, s.stock,
            coalesce(s.image_id, p.logo_ids[1]) AS "imageId", p.tenant_id AS "tenantId", m.name AS merchant
       FROM product_spec s JOIN product p ON p.id = s.product_id JOIN business b ON b.id = p.business_id JOIN tenant m ON m.id = p.tenant_id
      WHERE ${parts.join(' AND ')} ORDER BY p.sold_total DESC, p.id, s.id LIMIT ${parameters.bind(query.limit)}`,
    parameters.values,
  );
  return rows.map((row) => ({
    id: String(row.id),
    productName: row.productName,
    specName: row.specName,
    code: row.code,
    unit: row.unit,
    stock: row.stock,
    price: yuanFromFen(row.price),
    image: row.imageId,
    merchant: { id: String(row.tenantId), title: row.merchant },
  }));
}

const BUYER_SCOPE = { tenant: 'o.tenant_id', project: 'o.project_id', owner: 'o.created_by' } as const;

/** Members who belong to a project the caller works in: the widest reach, for who names a phone number. */
async function membersInReach(
  db: Executor,
  caller: Caller,
  condition: (parameters: Parameters) => string,
): Promise<OrderMember[]> {
  const parameters = new Parameters();
  const parts = [condition(parameters)];
  const inside = projectsOf(caller, parameters);
  if (inside)
    parts.push(`(m.project_id IN (${inside}) OR EXISTS (
      SELECT FROM household x JOIN house h ON h.id = x.house_id
       WHERE x.member_id = m.id AND x.status IN ('normal', 'reviewing') AND h.project_id IN (${inside})))`);
  return run<OrderMember>(
    db,
    `SELECT ${MEMBER} FROM member m WHERE ${parts.join(' AND ')} ORDER BY m.id LIMIT 200`,
    parameters.values,
  );
}

/** Projects members must belong to, as a subquery; undefined: all. A merchant without own limits has its tenant's. */
function projectsOf(caller: Caller, parameters: Parameters): string | undefined {
  if (caller.projectIds) return `SELECT unnest(${parameters.bind(caller.projectIds)}::bigint[])`;
  if (caller.tenantKind === 3) return undefined;
  return `SELECT tp.project_id FROM tenant_project tp WHERE tp.tenant_id = ${parameters.bind(caller.tenantId)}`;
}
