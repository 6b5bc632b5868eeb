import { counted, ids, isMerchant } from '../../../testing/oracle/filters.ts';
import { defineOracle, type Oracle } from '../../../testing/oracle/oracle.ts';
import { by, type Raw, type World } from '../../../testing/oracle/world.ts';

const one = (world: World, table: string, id: unknown) => by(world, table, 'id').get(id as number)?.[0];
const TYPES = ['ordinary', 'group', 'rush', 'seckill'];

/** The order of a line. */
export const orderOf = (line: Raw, world: World): Raw => one(world, 'sales_order', line.order_id)!;

/** When a line counts as sold; null: never. */
export function soldAt(line: Raw, world: World): Date | null {
  const order = orderOf(line, world);
  if (order.kind !== 'goods' || line.product_id === null || order.paid_at === null) return null;
  if (order.type !== 'group') return new Date(order.paid_at);
  const formed = (by(world, 'order_event', 'order_id').get(order.id) ?? [])
    .filter((event) => event.code === 16)
    .sort((a, b) => Number(a.id) - Number(b.id))[0];
  return formed ? new Date(formed.at) : null;
}

const ownClass = (line: Raw, world: World): number =>
  Math.min(
    ...(by(world, 'product_class_member', 'product_id').get(line.product_id) ?? []).map((member) =>
      Number(member.class_id),
    ),
  );
const classOf = (line: Raw, world: World) => {
  const id = ownClass(line, world);
  return Number.isFinite(id) ? id : 0;
};

/** Filters over the sale of a row; `line` finds it. */
export function saleFilters(line: (row: Raw, world: World) => Raw): NonNullable<Oracle['filters']> {
  const product = (row: Raw, world: World) => one(world, 'product', line(row, world).product_id)!;
  const order = (row: Raw, world: World) => orderOf(line(row, world), world);
  const project = ids('project_id', 'project');
  const merchant = ids('tenant_id', 'tenant', isMerchant);
  const business = ids('business_id', 'business');
  return {
    project: {
      ...project,
      keeps: (row, value, world, held) => project.keeps(order(row, world), value, world, held),
    },
    merchant: {
      ...merchant,
      keeps: (row, value, world, held) => merchant.keeps(order(row, world), value, world, held),
    },
    business: {
      ...business,
      keeps: (row, value, world, held) => business.keeps(product(row, world), value, world, held),
    },
    merchantKind: {
      value: (dice) => dice.pick(['self', 'resident']),
      keeps: (row, value, world) =>
        value.split(',').includes(String(one(world, 'tenant', order(row, world).tenant_id)!.merchant_kind)),
    },
    class: {
      value: (dice, world) => String(dice.pick(world.rows.product_class!).id),
      keeps: (row, value, world) => {
        const wanted = new Set(value.split(',').map(Number));
        for (let at: number | null = classOf(line(row, world), world); at;) {
          if (wanted.has(at)) return true;
          const above: unknown = one(world, 'product_class', at)?.parent_id ?? null;
          at = above === null ? null : Number(above);
        }
        return false;
      },
    },
    ownClass: {
      value: (dice, world) => String(dice.pick(world.rows.product_class!).id),
      keeps: (row, value, world) => String(classOf(line(row, world), world)) === value,
    },
    product: {
      value: (dice, world) => String(dice.pick(world.rows.product!).id),
      keeps: (row, value, world) => value.split(',').includes(String(line(row, world).product_id)),
    },
    spec: {
      value: (dice, world) => String(dice.pick(world.rows.product_spec!).id),
      keeps: (row, value, world) => String(line(row, world).spec_id) === value,
    },
    type: {
      value: (dice) => dice.pick(TYPES),
      keeps: (row, value, world) => value.split(',').includes(String(order(row, world).type)),
    },
    source: {
      value: (dice) => dice.pick(['1', '2', '3', '4', '5']),
      keeps: (row, value, world) => value.split(',').includes(String(order(row, world).source)),
    },
    promotion: {
      value: (dice) => dice.pick(['coupon', 'seckill', 'group']),
      keeps: (row, value, world) =>
        value
          .split(',')
          .some((wanted) =>
            wanted === 'coupon'
              ? (by(world, 'order_share', 'line_id').get(line(row, world).id) ?? []).some((share) =>
                  [20, 30].includes(Number(share.step)),
                )
              : order(row, world).type === wanted,
          ),
    },
  };
}

/** Days `from~to` of an instant. */
export const days = (at: (row: Raw, world: World) => Date | null) => ({
  value: () => '2026-09-01~2026-11-20',
  keeps: (row: Raw, _value: string, world: World) => {
    const instant = at(row, world)?.getTime() ?? 0;
    return (
      instant >= Date.parse('2026-09-01T00:00:00+08:00') && instant < Date.parse('2026-11-21T00:00:00+08:00')
    );
  },
});

/** Tables the rules of a sale are read from. */
export const SALE_TABLES = [
  'sales_order',
  'order_event',
  'order_share',
  'product',
  'product_spec',
  'product_class',
  'product_class_member',
  'tenant',
  'business',
];

/** Where the sale of a line stands. */
export const saleStanding = (line: Raw, world: World) => {
  const order = orderOf(line, world);
  return {
    tenant: order.tenant_id,
    projects: [Number(order.project_id)],
    owner: order.created_by,
    rule: 'places' as const,
  };
};

export const oracle = defineOracle({
  name: 'soldLine',
  menu: 'sa_goodsSale',
  table: 'order_line',
  extra: (row, world) => soldAt(row, world) !== null,
  standing: saleStanding,
  filters: { ...saleFilters((row) => row), soldAt: days(soldAt) },
  export: counted,
  reads: SALE_TABLES,
});
