import {
  saleFilter,
  SALE_FILTERS,
  SALE_SCOPE,
  soldIn,
  type SaleFilter,
} from '../../../domain/sales-stat/goods-sales.server.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { Binding } from '../../../kernel/server/resource/binding.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import { soldLine } from './goods-sales.contract.ts';

const off = (steps: string, amount: string) =>
  `(SELECT coalesce(sum(h.${amount}), 0)::bigint FROM order_share h WHERE h.line_id = s.id AND h.step IN (${steps}))`;

/** Columns both lists share: the side of the sale, and filters without a value of their own. */
export const SALE_COLUMNS = {
  project: { id: 's.project_id', title: 'j.name' },
  merchant: { id: 's.tenant_id', title: 'm.name' },
  product: { id: 's.product_id', title: 'p.name' },
  productName: 'p.name',
  type: 's.type',
  source: 's.source::text',
  merchantKind: 'm.merchant_kind',
  business: { id: 'p.business_id', title: 'b.name', titleEn: 'b.name_en' },
  class: { id: 'NULL::bigint', title: 'NULL::text' },
  ownClass: 'NULL::text',
  spec: 'NULL::text',
  promotion: 'NULL::text',
} as const;
export const SALE_JOINS = `JOIN tenant m ON m.id = s.tenant_id JOIN project j ON j.id = s.project_id JOIN product p ON p.id = s.product_id JOIN business b ON b.id = p.business_id`;

/** The report's own filters for a list of its rows. */
export const saleFilters = (line: 's.id' | 's.line_id'): NonNullable<Binding['filters']> =>
  Object.fromEntries(
    Object.keys(SALE_FILTERS)
      .filter((name) => name !== 'keyword')
      .map((name) => [
        name,
        (value, parameters, caller) => saleFilter(name as SaleFilter, line, value, parameters, caller),
      ]),
  );

/** A keyword finds the product as the report does, or the order by its whole number. */
export const saleKeyword: NonNullable<Binding['keyword']> = (value, parameters) =>
  `(p.search LIKE ${parameters.bind(containing(value.trim().toLowerCase()))} OR s.order_code = ${parameters.bind(value.trim())})`;

const bound: BoundResource = bindResource(soldLine, {
  table: 'order_line',
  from: `order_line t JOIN goods_sale s ON s.id = t.id ${SALE_JOINS}`,
  scope: SALE_SCOPE,
  extra: { version: '1' },
  columns: {
    ...SALE_COLUMNS,
    order: 's.order_code',
    soldAt: 's.sold_at',
    specName: 't.spec_name',
    pieces: 's.qty',
    goods: 's.goods',
    platformOff: off('20, 30', 'platform_amount'),
    merchantOff: off('20, 30', 'amount - h.platform_amount'),
    pointsOff: off('40', 'amount'),
    coinsOff: off('45', 'amount'),
    manualOff: off('60', 'amount'),
    paid: 's.cash',
  },
  filters: { ...saleFilters('s.id'), soldAt: soldIn },
  keyword: saleKeyword,
});

/** Order lines behind the figures of goods sales. */
export const registration = bound.registration;
