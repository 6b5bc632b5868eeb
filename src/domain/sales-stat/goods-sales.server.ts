import { filteredProjects } from '../permission/project-reach.server.ts';
import { endOfBusinessDay, isBusinessDay, startOfBusinessDay } from '../../kernel/contract/time.rules.ts';
import type { Label } from '../../kernel/contract/label.ts';
import { invalid } from '../../kernel/server/http/errors.ts';
import type { Caller } from '../../kernel/server/people/caller.ts';
import type { Parameters, ScopeColumns } from '../../kernel/server/people/scope.ts';
import { containing } from '../../kernel/server/resource/like-text.ts';

/** Where a sale or what came back of one (`s`) stands. */
export const SALE_SCOPE: ScopeColumns = {
  tenant: 's.tenant_id',
  project: 's.project_id',
  owner: 's.created_by',
};

/** A product counts under its first class only, so that shares add up to the whole. */
export const SALE_CLASS = `coalesce((SELECT min(c.class_id) FROM product_class_member c WHERE c.product_id = s.product_id), 0)`;
export const SALE_BUSINESS = `(SELECT p.business_id FROM product p WHERE p.id = s.product_id)`;

/** Days a team may take to form after the payment, generously. */
export const TEAM_DAYS = 7;

type Filter = (value: string, parameters: Parameters, caller: Caller) => string;

const some = (name: string, column: string): Filter => {
  return (value, parameters) => `${column} = ANY(${parameters.bind(idsIn(name, value))}::bigint[])`;
};

/** Filters over sales and refunds (`s`), one for the report and the rows its figures open. */
export const SALE_FILTERS = {
  project: (value, parameters, caller) =>
    `s.project_id = ANY(${parameters.bind(filteredProjects(caller, 'project', value))}::bigint[])`,
  merchant: some('merchant', 's.tenant_id'),
  merchantKind: (value, parameters) =>
    `EXISTS (SELECT FROM tenant m WHERE m.id = s.tenant_id AND m.merchant_kind = ANY(${parameters.bind(value.split(','))}::text[]))`,
  business: some('business', SALE_BUSINESS),
  class: (value, parameters) => {
    const ids = parameters.bind(idsIn('class', value));
    return `${SALE_CLASS} IN (WITH RECURSIVE below AS (SELECT unnest(${ids}::bigint[]) AS id UNION SELECT k.id FROM product_class k JOIN below b ON k.parent_id = b.id) SELECT id FROM below)`;
  },
  /** The class itself, without those below it: what a row of the table stands for. */
  ownClass: some('ownClass', SALE_CLASS),
  product: some('product', 's.product_id'),
  spec: some('spec', 's.spec_id'),
  type: (value, parameters) => `s.type = ANY(${parameters.bind(value.split(','))}::text[])`,
  source: (value, parameters) => `s.source = ANY(${parameters.bind(idsIn('source', value))}::smallint[])`,
  promotion: (value) =>
    `(${value
      .split(',')
      .map((one) =>
        one === 'coupon'
          ? 'EXISTS (SELECT FROM order_share h WHERE h.step IN (20, 30) AND h.line_id = LINE)'
          : one === 'seckill'
            ? `s.type = 'seckill'`
            : one === 'group'
              ? `s.type = 'group'`
              : refuse('promotion'),
      )
      .join(' OR ')})`,
  keyword: (value, parameters) =>
    `EXISTS (SELECT FROM product p WHERE p.id = s.product_id AND p.search LIKE ${parameters.bind(containing(value.trim().toLowerCase()))})`,
} as const satisfies Readonly<Record<string, Filter>>;
export type SaleFilter = keyof typeof SALE_FILTERS;

/** The condition of one filter over sales (`line`: s.id) or refunds (`line`: s.line_id). */
export function saleFilter(
  name: SaleFilter,
  line: 's.id' | 's.line_id',
  value: string,
  parameters: Parameters,
  caller: Caller,
): string {
  return SALE_FILTERS[name](value, parameters, caller).replaceAll('LINE', line);
}

/** Sales in the days `from~to`. The payment comes first: it is what an index finds. */
export function soldIn(value: string, parameters: Parameters): string {
  const [from, to] = daysIn(value, parameters);
  return `s.paid_at >= ${from} - interval '${TEAM_DAYS} days' AND s.paid_at < ${to} AND s.sold_at >= ${from} AND s.sold_at < ${to}`;
}

const within = (column: string) => (value: string, parameters: Parameters) => {
  const [from, to] = daysIn(value, parameters);
  return `${column} >= ${from} AND ${column} < ${to}`;
};

/** Looks in the days. */
export const visitedIn = within('s.at');

/** Orders made in the days. */
export const orderedIn = within('s.ordered_at');

/** Refunds that succeeded in the days. */
export const backIn = within('s.succeeded_at');

/** Refunds put back on the days of their sales; corrections of closed months on their own. A refund follows its sale. */
export function bookedIn(value: string, parameters: Parameters): string {
  const [from, to] = daysIn(value, parameters);
  return `s.succeeded_at >= ${from} AND s.booked_at >= ${from} AND s.booked_at < ${to}`;
}

function daysIn(value: string, parameters: Parameters): readonly [string, string] {
  const [from = '', to = '', more] = value.split('~');
  if (more !== undefined || !isBusinessDay(from) || !isBusinessDay(to)) throw invalid({ _: BAD_RANGE });
  return [
    `${parameters.bind(startOfBusinessDay(from))}::timestamptz`,
    `${parameters.bind(endOfBusinessDay(to))}::timestamptz`,
  ];
}

const BAD_RANGE: Label = ['范围不正确', 'The range is not valid'];
const NO_CHOICE: Label = ['没有此选项', 'There is no such choice'];

function refuse(name: string): never {
  throw invalid({ [name]: NO_CHOICE });
}

function idsIn(name: string, value: string): number[] {
  const ids = value.split(',').filter((one) => one !== '');
  if (ids.length > 500 || ids.some((one) => !/^\d{1,15}$/.test(one))) refuse(name);
  return ids.map(Number);
}
