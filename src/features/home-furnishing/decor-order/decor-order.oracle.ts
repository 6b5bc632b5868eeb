import { byCode, dayOf, ids, inProject, isMerchant, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, run, type Raw, type World } from '../../../testing/oracle/world.ts';

export const DECOR_MENU = 'mj_mercureCommodityOrder';
const STATES = [
  'quoting',
  'deposit_due',
  'to_accept',
  'measuring',
  'designing',
  'signing',
  'to_start',
  'constructing',
  'accepting',
  'reworking',
  'tail_due',
  'warranty',
  'finished',
  'closed',
];
const today = () => dayOf(new Date());

/** Where an order stands. */
export const standingOfOrder = (row: Raw) => ({ ...inProject(row), owner: row.created_by });

const overdue = (row: Raw, world: World) =>
  (by(world, 'receivable', 'source_id').get(row.id) ?? []).some(
    (one) =>
      one.source_kind === 'decor' && (one.state === 'open' || one.state === 'part') && one.due_on < today(),
  );
const late = (row: Raw, world: World) =>
  row.state === 'constructing' &&
  (by(world, 'decor_node', 'order_id').get(row.id) ?? []).some(
    (one) => one.state !== 'passed' && one.planned_to < today(),
  );
const among =
  (...states: readonly string[]) =>
  (row: Raw) =>
    states.includes(String(row.state));
const yes = (test: (row: Raw, world: World) => boolean) => ({
  value: (dice: { chance: (share: number) => boolean }) => (dice.chance(0.5) ? 'true' : 'false'),
  keeps: (row: Raw, value: string, world: World) => test(row, world) === (value === 'true'),
});

export const oracle = defineOracle({
  name: 'decorOrder',
  menu: DECOR_MENU,
  table: 'decor_order',
  standing: standingOfOrder,
  filters: {
    state: words('state', STATES),
    merchant: {
      ...ids('tenant_id', 'tenant', isMerchant),
      // From a merchant another tenant's id is ignored.
      keeps: (row, value, _world, held) =>
        held.kind === 2 || value.split(',').includes(String(row.tenant_id)),
    },
    package: {
      value: (dice, world) => String(dice.pick(world.rows.decor_order!).product_id),
      keeps: (row, value) => value.split(',').includes(String(row.product_id)),
    },
    manager: ids('manager_id', 'staff'),
    overdue: yes(overdue),
    late: yes(late),
  },
  tabs: {
    all: () => true,
    quotes: among('quoting', 'deposit_due'),
    before: among('to_accept', 'measuring', 'designing', 'signing', 'to_start'),
    works: among('constructing', 'accepting', 'reworking', 'tail_due'),
    overdue,
    late,
    warranty: among('warranty', 'finished'),
    closed: among('closed'),
    acceptLate: (row) =>
      row.state === 'to_accept' && row.accept_until !== null && new Date(row.accept_until) <= new Date(),
    signed: (row) => row.signed_at !== null && row.state !== 'closed',
    owed: (row, world) =>
      (by(world, 'receivable', 'source_id').get(row.id) ?? []).some(
        (one) =>
          one.source_kind === 'decor' &&
          (one.state === 'open' || one.state === 'part') &&
          Number(one.principal) + Number(one.charges) > Number(one.received),
      ),
  },
  text: (row) => String(row.code).toLowerCase(),
  export: byCode,
  owner: 'created_by',
  reads: ['receivable', 'decor_node', 'staff', 'tenant'],
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id }] of staff.slice(0, 24).entries())
      await run(
        db,
        `WITH who AS (INSERT INTO payer (kind, name) VALUES ('name', $1) RETURNING id),
              sold AS (SELECT v.id AS version, v.product_id AS product, p.tenant_id AS tenant, y.id AS type, y.project_id AS project, h.id AS house, y.built_area, y.inner_area, y.rooms
                FROM decor_version v JOIN product p ON p.id = v.product_id JOIN decor_price x ON x.version_id = v.id JOIN house_type y ON y.id = x.house_type_id
                JOIN house h ON h.project_id = y.project_id WHERE v.standing = 'live' ORDER BY h.id OFFSET $2 LIMIT 1),
              made AS (
           INSERT INTO decor_order (code, tenant_id, project_id, member_id, payer_id, house_id, house_type_id, product_id, version_id, built_area, inner_area, rooms,
             gross, price, quote_until, state, closed_at, created_by)
           SELECT $3, s.tenant, s.project, (SELECT min(id) FROM member), who.id, s.house, s.type, s.product, s.version, s.built_area, s.inner_area, s.rooms,
             1000, 1000, current_date + 5, $4, CASE $4 WHEN 'closed' THEN now() END, $5 FROM sold s, who RETURNING id, code, project_id, payer_id),
              line AS (INSERT INTO decor_line (order_id, position, kind, name, quantity, unit_price, amount) SELECT id, 0, 'base', '整装', 100, 1000, 1000 FROM made),
              part AS (INSERT INTO decor_instalment (order_id, seq, name, share, due_event, due_days, amount) SELECT id, 1, '全款', 10000, 'order', 0, 1000 FROM made),
              changed AS (INSERT INTO decor_change (code, order_id, title, amount, reason, state) SELECT $6, id, '增项', 100, '随机', $7 FROM made)
         INSERT INTO receivable (code, source_kind, source_id, source_code, payer_id, project_id, posted_on, due_on, principal, state)
         SELECT $8, 'decor', id, code, payer_id, project_id, current_date - 60, current_date + $9::int, 1000, 'void' FROM made`,
        [
          `随机美居客户${index}`,
          dice.upTo(40),
          `SODX${index}`,
          dice.pick(['quoting', 'closed']),
          id,
          `DGX${index}`,
          dice.pick(['refused', 'void', 'to_confirm']),
          `ARDX${index}`,
          dice.upTo(60) - 40,
        ],
      );
  },
  ownSample: 'src/features/home-furnishing/decor-order/decor-order.test.ts',
});
