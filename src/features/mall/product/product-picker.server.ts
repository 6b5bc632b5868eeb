import { containing } from '../../../kernel/server/resource/like-text.ts';
import { textOf } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { run } from '../../../kernel/server/database.ts';
import { nameOrder } from '../../../kernel/server/resource/name-order.ts';
import { holds } from '../../../kernel/server/people/caller.ts';
import { Parameters, placeCondition, scopeCondition } from '../../../kernel/server/people/scope.ts';
import type { OptionSource } from '../../../kernel/server/registration.ts';
import { PRODUCT_SCOPE } from './product-scope.server.ts';

/**
 * Specs that can be ordered, for the order form: published goods inside the caller's tenant and projects, found by
 * name or number of the product. Title `商品 / 规格`, note price and stock. Named ids come whatever their state to who sees
 * the goods.
 */
export const productSpecOptions: OptionSource = {
  target: 'productSpec',
  anyOf: ['mm_businessOrder_wx', 'mm_commodityMana'],
  find: async (call, query) => {
    const parameters = new Parameters();
    const onSale = `t.status = 'published' AND t.recycled_at IS NULL AND s.enabled`;
    // Whoever takes orders is offered what can be bought; everything else is for who sees the goods themselves.
    const seen = scopeCondition(call.caller, 'mm_commodityMana', PRODUCT_SCOPE, parameters);
    const reach = holds(call.caller, 'mm_businessOrder_wx')
      ? `(${seen} OR (${onSale} AND ${placeCondition(call.caller, PRODUCT_SCOPE, parameters)}))`
      : seen;
    const parts = [`t.kind = 'goods'`, reach];
    if (query.ids.length > 0) parts.push(`s.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
    else parts.push(onSale);
    if (query.searchVal)
      parts.push(`t.search LIKE ${parameters.bind(containing(query.searchVal.toLowerCase()))}`);
    const rows = await run<{
      id: number;
      product: string;
      spec: string;
      price: number;
      stock: number;
      unit: string;
    }>(
      call.platform.database.db,
      `SELECT s.id, t.name AS product, s.name AS spec, s.price, s.stock, s.unit
         FROM product_spec s JOIN product t ON t.id = s.product_id WHERE ${parts.join(' AND ')}
        ORDER BY ${nameOrder('t.name')}, s.id LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
      parameters.values,
    );
    return rows.map((row) => ({
      id: String(row.id),
      title: `${row.product} / ${row.spec}`,
      note: textOf(
        [
          `¥${yuanFromFen(row.price)} · 库存 ${row.stock}${row.unit}`,
          `¥${yuanFromFen(row.price)} · stock ${row.stock}`,
        ],
        call.facts.language,
      ),
    }));
  },
};
