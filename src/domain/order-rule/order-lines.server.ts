import { run, type Executor } from '../../kernel/server/database.ts';
import type { OrderScope, ScopedLine } from './order-scope.rules.ts';

/** SQL: ids of the classes of a product with all above them, as an array. */
export const classesAboveSql = (product: string): string =>
  `ARRAY(WITH RECURSIVE up AS (
     SELECT c.id, c.parent_id FROM product_class_member m JOIN product_class c ON c.id = m.class_id WHERE m.product_id = ${product}
     UNION SELECT c.id, c.parent_id FROM up JOIN product_class c ON c.id = up.parent_id) SELECT id FROM up)`;

/** Products as scopes look at them. */
export async function scopedProducts(
  db: Executor,
  productIds: readonly number[],
): Promise<ReadonlyMap<number, ScopedLine & { readonly name: string }>> {
  const rows = await run<ScopedLine & { name: string }>(
    db,
    `SELECT p.id AS "productId", p.name, p.tenant_id AS "merchantId", p.business_id AS "businessId", ${classesAboveSql('p.id')} AS "classIds"
       FROM product p WHERE p.id = ANY($1::bigint[])`,
    [productIds],
  );
  return new Map(
    rows.map((row) => [Number(row.productId), { ...row, classIds: row.classIds.map(Number) }] as const),
  );
}

/** SQL: a product `p` is one the scope holds for; `terms` is a jsonb with the scope under `scope`. Projects are not looked at. */
export const productInScopeSql = (terms: string, product = 'p'): string => {
  const list = (name: keyof OrderScope) =>
    `ARRAY(SELECT jsonb_array_elements_text(${terms}->'scope'->'${name}')::bigint)`;
  const open = (name: keyof OrderScope, own: string) =>
    `(jsonb_array_length(${terms}->'scope'->'${name}') = 0 OR ${own} && ${list(name)})`;
  return [
    open('merchantIds', `ARRAY[${product}.tenant_id]`),
    open('businessIds', `ARRAY[${product}.business_id]`),
    open('productIds', `ARRAY[${product}.id]`),
    `NOT (${product}.id = ANY(${list('excludedIds')}))`,
    `(jsonb_array_length(${terms}->'scope'->'classIds') = 0 OR ${classesAboveSql(`${product}.id`)} && ${list('classIds')})`,
  ].join(' AND ');
};
