import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';

const DAY = 86_400_000;
const ROADS = ['张江路', '金科路', '沪南公路', '外环西路', '工业大道', '物流一路', '仓储路', '创新中路'];
const KEEPERS = ['周海燕', '孙志强', '吴桂芳', '郑国庆', '冯小军', '陈丽华', '褚建平', '卫东升'];

/** Two return addresses and one to send from for each merchant; some have an old one that is disabled. */
export const demo = defineDemo({
  key: 'returnAddresses',
  run: async ({ tx, base, insert, tell, random, now }) => {
    const regions = await run<{ id: number }>(
      tx,
      `SELECT id FROM region WHERE level = 3 AND enabled AND (code LIKE '3101%' OR code LIKE '3301%') ORDER BY code`,
    );
    const admins = await run<{ id: number; tenant_id: number; name: string }>(
      tx,
      `SELECT DISTINCT ON (tenant_id) id, tenant_id, name FROM staff WHERE tenant_id = ANY($1::bigint[]) ORDER BY tenant_id, id`,
      [base.merchants.map((one) => one.id)],
    );
    for (const merchant of base.merchants) {
      const author = admins.find((one) => one.tenant_id === merchant.id);
      const region = random.pick(regions).id;
      const at = new Date(now.getTime() - random.int(60, 300) * DAY);
      const row = (use: 'return' | 'send', no: number, isDefault: boolean, enabled = true) => ({
        tenant_id: merchant.id,
        receiver: random.pick(KEEPERS),
        phone: random.chance(0.7) ? `139${random.digits(8)}` : `021-${random.int(2, 8)}${random.digits(7)}`,
        region_id: region,
        address: `${random.pick(ROADS)}${random.int(8, 990)}号${['A', 'B', 'C'][no]}仓`,
        use,
        is_default: isDefault,
        enabled,
        created_by: author?.id ?? null,
        updated_by: author?.id ?? null,
        created_at: at,
        updated_at: at,
      });
      const rows = [
        row('return', 0, true),
        row('return', 1, false, random.chance(0.6)),
        row('send', 0, true),
      ];
      const made = await insert('return_address', rows);
      for (const entityId of made)
        await tell({
          entity: 'returnAddress',
          entityId,
          ...(author ? { caller: { staffId: author.id, name: author.name } } : {}),
          action: 'create',
          label: ['新增', 'New'],
          at,
        });
    }
  },
});
