import { dayOf, ids } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';

const KINDS: Readonly<Record<number, string>> = { 1: 'company', 3: 'platform', 4: 'city' };
const DAY = 86_400_000;

export const oracle = defineOracle({
  name: 'tenantCompany',
  menu: 'tenantManager',
  table: 'tenant',
  extra: (row) => row.kind !== 2,
  // The platform's staff see every tenant, others the own one.
  standing: (row) => ({ tenant: row.id, projects: undefined, owner: row.created_by, rule: 'places' }),
  filters: {
    kind: {
      value: (dice) => dice.pick(['company', 'city', 'platform,city']),
      keeps: (row, value) => value.split(',').includes(KINDS[row.kind]!),
    },
    enabled: {
      value: (dice) => dice.pick(['true', 'false']),
      keeps: (row, value) => String(row.enabled) === value,
    },
    package: ids('package_id', 'tenant_package'),
    expiresWithin: {
      value: (dice) => dice.pick(['0', '7', '30', '400']),
      keeps: (row, value) => {
        if (row.expires_on === null) return false;
        const end = String(row.expires_on).slice(0, 10);
        return end >= dayOf(new Date()) && end <= dayOf(new Date(Date.now() + Number(value) * DAY));
      },
    },
  },
  text: (row) => `${row.account} ${row.name}`.toLowerCase(),
  export: { field: 'account', key: (row) => String(row.account) },
  owner: 'created_by',
  reads: ['tenant_package'],
  fill: async ({ db, dice, staff }) => {
    await run(
      db,
      `INSERT INTO tenant_package (name, kind, rights, max_staff, months) VALUES ('随机套餐', 1, ARRAY['tenantManager'], 50000, 12), ('随机城市套餐', 4, ARRAY['tenantManager'], 50000, 12)`,
    );
    for (const [index, { id }] of staff.slice(0, 24).entries())
      await run(
        db,
        `INSERT INTO tenant (kind, account, name, contact_name, contact_phone, package_id, expires_on, enabled, created_by)
         SELECT p.kind, $1, $2, '随机', '13900000000', p.id, (now() AT TIME ZONE 'Asia/Shanghai')::date + $3::int, $4, $5
           FROM tenant_package p WHERE p.name = $6`,
        [
          `Z${String(100_000 + index)}`,
          `随机公司${index}`,
          dice.upTo(60) - 10,
          dice.upTo(4) > 0,
          id,
          dice.pick(['随机套餐', '随机城市套餐']),
        ],
      );
  },
});
