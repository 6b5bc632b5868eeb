import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';

const KINDS: Readonly<Record<number, string>> = { 1: 'company', 4: 'city' };

export const oracle = defineOracle({
  name: 'tenantPackage',
  menu: 'tenantManager',
  table: 'tenant_package',
  standing: (row) => ({ tenant: null, projects: undefined, owner: row.created_by, rule: 'platform' }),
  filters: {
    kind: {
      value: (dice) => dice.pick(['company', 'city', 'company,city']),
      keeps: (row, value) => value.split(',').includes(KINDS[row.kind]!),
    },
  },
  text: (row) => String(row.name).toLowerCase(),
  export: { field: 'name', key: (row) => String(row.name) },
  owner: 'created_by',
  // A company finds the package it has: its name stands on the company's own row.
  offered: 'everybody',
  sample: (turn) => ({ rights: ['tenantManager'], maxStaff: 20 + turn }),
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id }] of staff.slice(0, 12).entries())
      await run(
        db,
        `INSERT INTO tenant_package (name, kind, rights, max_staff, months, created_by) VALUES ($1, $2, ARRAY['tenantManager'], $3, 12, $4)`,
        [`套餐${index}`, dice.pick([1, 4]), 10 + dice.upTo(90), id],
      );
  },
});
