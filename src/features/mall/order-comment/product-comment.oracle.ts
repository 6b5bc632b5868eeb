import { dayRange, idsOfRows, isMerchant, ids, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, type Raw, type World } from '../../../testing/oracle/world.ts';

const orderOf = (row: Raw, world: World) => by(world, 'sales_order', 'id').get(row.order_id)![0]!;

/** Comments of orders of a kind, under a menu. */
export const commentsOf = (name: string, menu: string, kind: 'goods' | 'service') =>
  defineOracle({
    name,
    menu,
    table: 'order_comment',
    extra: (row, world) => orderOf(row, world).kind === kind,
    standing: (row) => ({
      tenant: row.tenant_id,
      projects: [Number(row.project_id)],
      owner: row.created_by,
      rule: 'places',
    }),
    filters: {
      merchant: ids('tenant_id', 'tenant', isMerchant),
      ...(name === 'productComment' ? {} : { person: idsOfRows('person_id', 'order_comment') }),
      product: {
        value: (dice, world) => String(dice.pick(world.rows.order_line!)?.product_id ?? 0),
        keeps: (row, value, world) =>
          (by(world, 'order_line', 'order_id').get(row.order_id) ?? []).some(
            (one) => String(one.product_id) === value,
          ),
      },
      stars: words('stars', ['1', '2', '3', '4', '5']),
      orderCode: {
        value: (dice, world) => {
          const one = dice.pick(world.rows.order_comment!);
          return one ? String(orderOf(one, world).code) : 'SO0';
        },
        keeps: (row, value, world) => orderOf(row, world).code === value,
      },
      createdAt: dayRange('created_at'),
    },
    reads: ['sales_order', 'order_line', 'tenant'],
  });

export const oracle = commentsOf('productComment', 'mm_commodityMana', 'goods');
