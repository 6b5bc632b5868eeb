import { byCode, dayOf, ids, inProject, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, maySee, run, type Held, type Raw, type World } from '../../../testing/oracle/world.ts';

const MENU = 'order';
const today = () => dayOf(new Date());
const later = (days: number) => dayOf(new Date(Date.now() + days * 86_400_000));
const standing = (row: Raw) => ({ ...inProject(row), owner: row.seller_id });
const late = (row: Raw, world: World) =>
  (by(world, 'receivable', 'source_id').get(row.id) ?? []).some(
    (one) =>
      one.source_kind === 'package' && (one.state === 'open' || one.state === 'part') && one.due_on < today(),
  );

/** Seen with the order it hangs on. */
export const withOrder =
  (orderOf: (row: Raw, world: World) => unknown) =>
  (row: Raw, world: World, held: Held): boolean => {
    const order = by(world, 'package_order', 'id').get(orderOf(row, world) as number)?.[0];
    return order !== undefined && maySee(world, held, MENU, standing(order));
  };

export const oracle = defineOracle({
  name: 'packageOrder',
  menu: MENU,
  table: 'package_order',
  standing,
  filters: {
    state: words('state', [
      'draft',
      'pending_first',
      'to_start',
      'in_service',
      'paused',
      'finished',
      'cancelled',
    ]),
    seller: ids('seller_id', 'staff'),
    late: {
      value: (dice) => (dice.chance(0.5) ? 'true' : 'false'),
      keeps: (row, value, world) => late(row, world) === (value === 'true'),
    },
  },
  tabs: {
    all: () => true,
    pending: (row) => row.state === 'pending_first',
    service: (row) => row.state === 'in_service',
    late,
    ending: (row) =>
      (row.state === 'in_service' || row.state === 'paused') &&
      row.end_on >= today() &&
      row.end_on <= later(30),
    draft: (row) => row.state === 'draft',
  },
  text: (row) => String(row.code).toLowerCase(),
  export: byCode,
  owner: 'seller_id',
  reads: ['receivable', 'staff'],
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id }] of staff.slice(0, 30).entries())
      await run(
        db,
        `WITH who AS (INSERT INTO payer (kind, name) VALUES ('name', $1) RETURNING id),
              made AS (
           INSERT INTO package_order (code, tenant_id, project_id, package_id, version_id, payer_id, plan, price, total, seller_id, state, created_by)
           SELECT $2, p.tenant_id, x.id, p.id, v.id, who.id, 'once', v.price, v.price, $3, $4, $3 FROM who, service_package p
             JOIN service_package_version v ON v.package_id = p.id, (SELECT id FROM project ORDER BY id OFFSET $5 LIMIT 1) x ORDER BY p.id, v.id LIMIT 1
           RETURNING id, code, project_id, payer_id),
              item AS (INSERT INTO package_order_item (order_id, position, name, times, list_price, used) SELECT id, 0, '保洁', 4, 100, 1 FROM made RETURNING id, order_id),
              used AS (INSERT INTO package_usage (order_id, item_id, qty, used_on) SELECT order_id, id, 1, current_date - $6::int FROM item),
              rested AS (INSERT INTO package_pause (order_id, kind, reason, from_on, to_on, days) SELECT id, 'request', '外出', current_date - 30, current_date - 20, 10 FROM made)
         INSERT INTO receivable (code, source_kind, source_id, source_code, payer_id, project_id, posted_on, due_on, principal, state)
         SELECT $7, 'package', id, code, payer_id, project_id, current_date - 60, current_date + $8::int, 1000, 'void' FROM made`,
        [
          `随机套餐客户${index}`,
          `SOX${index}`,
          id,
          dice.pick(['draft', 'cancelled']),
          dice.upTo(3),
          dice.upTo(60),
          `ARPX${index}`,
          dice.upTo(60) - 40,
        ],
      );
  },
  leftOut: [],
  ownSample: 'src/features/life-service/package-order/package-order.test.ts',
});
