import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { tenantCompany, tenantPackage } from './company.contract.ts';

const DAY = 86_400_000;

/** Packages and what the tenants of the base set know of themselves. */
export const demo = defineDemo({
  key: 'companies',
  // Grants are made by the base set; what a package would take away is not for the demonstration to take.
  run: async ({ tx, insert, tell, now, as }) => {
    const author = as('mall1');
    const day = (days: number) => new Date(now.getTime() + days * DAY).toISOString().slice(0, 10);
    const all = await run<{ code: string; group: number }>(
      tx,
      `SELECT m.code, m.owner_group AS "group" FROM menu m WHERE m.built AND NOT m.retired AND m.code <> 'dashboard'
       UNION ALL SELECT e.code, m.owner_group FROM element e JOIN menu m ON m.code = e.menu_code AND m.built AND NOT m.retired AND m.code <> 'dashboard' WHERE NOT e.retired
       ORDER BY code`,
    );
    const rights = (groups?: readonly number[]) =>
      all.filter((one) => !groups || groups.includes(one.group)).map((one) => one.code);
    const made = new Date(now.getTime() - 200 * DAY);
    const packages = await insert(
      'tenant_package',
      [
        ['物业标准版', 1, rights([2, 6, 10, 11, 15]), 60, 12, '物业、工单、业主圈与报表'],
        ['物业旗舰版', 1, rights(), 500, 12, '全部功能'],
        ['中心城市版', 4, rights(), 200, 12, '全部功能，按城市开通'],
        ['物业试用版', 1, rights([6]), 10, 1, '试用一个月'],
      ].map(([name, kind, codes, max_staff, months, note]) => ({
        name,
        kind,
        rights: codes,
        max_staff,
        months,
        note,
        created_by: author.staffId,
        created_at: made,
        updated_at: made,
        version: 1,
      })),
    );
    for (const id of packages)
      await tell({
        entity: tenantPackage.name,
        entityId: id,
        at: made,
        caller: author,
        action: 'create',
        label: ['新增套餐', 'Add package'],
      });
    const tenants = await run<{ id: number; account: string; kind: number }>(
      tx,
      'SELECT id, account, kind FROM tenant WHERE kind IN (1, 4) ORDER BY account',
    );
    for (const [index, tenant] of tenants.entries()) {
      await run(
        tx,
        `UPDATE tenant SET package_id = $2, expires_on = $3, email = $4, address = $5, legal_person = $6,
                contact_name = CASE WHEN contact_name = '' THEN $6 ELSE contact_name END,
                contact_phone = CASE WHEN contact_phone = '' THEN $7 ELSE contact_phone END,
                founded_on = '2012-03-18', registered_capital = $8 WHERE id = $1`,
        [
          tenant.id,
          tenant.kind === 1 ? packages[1] : packages[2],
          day(index === 0 ? 26 : 120 + index * 40),
          `${tenant.account.toLowerCase()}@example.com`,
          `浦东新区世纪大道 ${100 + index * 8} 号`,
          ['沈国强', '韩梅', '杨建', '朱敏', '秦立'][index % 5],
          `021-5580${1000 + index * 17}`,
          tenant.kind === 1 ? 5000 + index * 500 : null,
        ],
      );
      const opened = new Date(now.getTime() - (190 - index * 7) * DAY);
      await tell({
        entity: tenantCompany.name,
        entityId: tenant.id,
        at: opened,
        caller: author,
        action: 'create',
        label: tenant.kind === 1 ? ['新增公司', 'Add company'] : ['新增中心城市', 'Centre city added'],
      });
    }
  },
});
