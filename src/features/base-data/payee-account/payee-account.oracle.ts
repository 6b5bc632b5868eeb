import { byCode, yes } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';

const SOON = 30 * 86_400_000;

export const oracle = defineOracle({
  name: 'payeeAccount',
  menu: 'pm_account',
  table: 'payee_account',
  where: (row) => row.purpose === 'collect',
  standing: (row) => ({ tenant: row.tenant_id, projects: undefined, owner: row.created_by, rule: 'places' }),
  filters: {
    owner: {
      value: (dice, world) =>
        String(dice.pick(world.rows.payee_account!.filter((row) => row.tenant_id !== null)).tenant_id),
      keeps: (row, value) => value.split(',').includes(String(row.tenant_id)),
    },
    expiring: {
      ...yes('id'),
      keeps: (row, value) =>
        (row.certificate_expires_on !== null &&
          row.certificate_expires_on.getTime() <= Date.now() + SOON &&
          ['active', 'expired'].includes(row.state)) ===
        (value === 'true'),
    },
    neverTested: {
      ...yes('id'),
      keeps: (row, value) => (row.tested_at === null && !row.built_in) === (value === 'true'),
    },
    certificateExpiresAt: {
      value: () => '2026-01-01~2030-01-01',
      keeps: (row) =>
        row.certificate_expires_on !== null &&
        row.certificate_expires_on >= new Date('2026-01-01T00:00:00+08:00') &&
        row.certificate_expires_on < new Date('2030-01-02T00:00:00+08:00'),
    },
  },
  text: (row) => `${row.code} ${row.name} ${row.account_name} ${row.bank}`.toLowerCase(),
  export: byCode,
  owner: 'created_by',
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id, tenantId }] of staff.slice(0, 60).entries())
      await run(
        db,
        `INSERT INTO payee_account (code, name, tenant_id, channel, bank, state, created_by, certificate_expires_on) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
        [
          `ora-${index}`,
          `随机账户${index}`,
          tenantId,
          dice.pick(['alipay', 'wechat', 'bank']),
          dice.pick(['', '中国银行']),
          dice.pick(['draft', 'rejected', 'stopped']),
          id,
          dice.chance(0.3) ? new Date(Date.now() + dice.upTo(90) * 86_400_000 + 3_600_000) : null,
        ],
      );
  },
});
