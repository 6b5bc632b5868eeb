import { counted, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, run } from '../../../testing/oracle/world.ts';

/** Accounts of the merchants' app belong to no tenant: only the platform sees them. */
export const oracle = defineOracle({
  name: 'bossAccount',
  menu: 'maoBossAccount',
  table: 'boss_account',
  standing: (row) => ({ tenant: null, projects: undefined, owner: row.created_by, rule: 'platform' }),
  filters: {
    state: words('state', ['normal', 'disabled', 'locked']),
    role: {
      value: (dice) => dice.pick(['owner', 'manager', 'finance,clerk']),
      keeps: (row, value, world) =>
        (by(world, 'boss_link', 'boss_account_id').get(row.id) ?? []).some((one) =>
          value.split(',').includes(String(one.role)),
        ),
    },
    merchant: {
      value: (dice, world) => String(dice.pick(world.rows.boss_link!)?.merchant_id ?? 0),
      keeps: (row, value, world) =>
        (by(world, 'boss_link', 'boss_account_id').get(row.id) ?? []).some(
          (one) => String(one.merchant_id) === value,
        ),
    },
  },
  export: counted,
  owner: 'created_by',
  reads: ['boss_link'],
  sample: (turn) => ({ phone: `177${String(10_000_000 + (turn % 80_000_000))}` }),
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id }] of staff.slice(0, 20).entries())
      await run(
        db,
        `WITH made AS (INSERT INTO boss_account (phone, name, state, created_by) VALUES ($1, '随机店员', $2, $3) RETURNING id)
         INSERT INTO boss_link (boss_account_id, position, merchant_id, role, permissions)
         SELECT made.id, 1, m.id, $4, ARRAY['take'] FROM made, (SELECT id FROM tenant WHERE kind = 2 ORDER BY id OFFSET $5 LIMIT 1) m`,
        [
          `178${String(10_000_000 + index)}`,
          dice.pick(['normal', 'disabled']),
          id,
          dice.pick(['manager', 'finance', 'clerk']),
          index % 3,
        ],
      );
  },
});
