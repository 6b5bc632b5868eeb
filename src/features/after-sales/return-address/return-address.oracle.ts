import { ids, isMerchant, words, yes } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, run } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'returnAddress',
  menu: 'am_businessAddress',
  table: 'return_address',
  standing: (row, world) => ({
    tenant: row.tenant_id,
    projects: (by(world, 'tenant_project', 'tenant_id').get(row.tenant_id) ?? []).map((one) =>
      Number(one.project_id),
    ),
    owner: row.created_by,
    rule: 'places',
  }),
  filters: {
    merchant: ids('tenant_id', 'tenant', isMerchant),
    use: words('use', ['return', 'send']),
    isDefault: yes('is_default'),
    enabled: yes('enabled'),
  },
  text: (row) => row.address.toLowerCase(),
  owner: 'created_by',
  reads: ['tenant_project'],
  // A district: provinces and cities are the first few hundred regions.
  sample: () => ({ region: '1500', phone: '13700002222' }),
  fill: async ({ db, staff, dice }) => {
    const owners = staff.slice(0, 60);
    for (let n = 0; n < 12; n++) {
      const one = dice.pick(owners);
      await run(
        db,
        `INSERT INTO return_address (tenant_id, receiver, phone, region_id, address, use, enabled, created_by)
         SELECT t.id, '王五', '13700001111', (SELECT min(id) FROM region WHERE level = 3), '随机路' || $1 || '号', $2, $3, $4
           FROM tenant t WHERE t.kind = 2 ORDER BY t.id OFFSET $5 LIMIT 1`,
        [n, dice.pick(['return', 'send']), dice.chance(0.8), one.id, dice.upTo(5)],
      );
    }
  },
});
