import { z } from 'zod';
import type { Label } from '../../../kernel/contract/label.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { forbidden, invalid } from '../../../kernel/server/http/errors.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import { fitPackage } from '../../../domain/tenant/tenant-package.server.ts';
import { COMPANY_MENU, tenantPackage } from './company.contract.ts';

const KIND = `CASE t.kind WHEN 1 THEN 'company' ELSE 'city' END`;

/** What can be put into a package: what a release brings and can be granted. */
const OFFERED = `SELECT m.code FROM menu m WHERE m.built AND NOT m.retired AND m.code <> 'dashboard'
  UNION ALL SELECT e.code FROM element e JOIN menu m ON m.code = e.menu_code AND m.built AND NOT m.retired AND m.code <> 'dashboard' WHERE NOT e.retired`;

/** Packages: the platform's alone. */
export const boundPackage = bindResource(tenantPackage, {
  table: 'tenant_package',
  columns: {
    kind: KIND,
    menus: `(SELECT count(*)::int FROM unnest(t.rights) x WHERE x !~ ':')`,
    elements: `(SELECT count(*)::int FROM unnest(t.rights) x WHERE x ~ ':')`,
    tenants: '(SELECT count(*)::int FROM tenant n WHERE n.package_id = t.id)',
  },
  writes: { kind: false, rights: false },
  scope: { tenant: 'none', project: 'none', owner: 't.created_by', platformOnly: true },
  search: 'lower(t.name)',
  usedBy: { tenant: ['公司', 'Companies'] },
  unique: { tenant_package_name: ['该类型已有同名套餐', 'A package of this name exists for the kind'] },
  before: [take],
  after: [
    async ({ action, tx, columns }, id) => {
      if (action !== 'update' || columns.rights === undefined) return [];
      const held = await run<{ id: number }>(tx, 'SELECT id FROM tenant WHERE package_id = $1 ORDER BY id', [
        id,
      ]);
      for (const one of held) await fitPackage(tx, one.id);
      return [];
    },
  ],
  // Hundreds of codes are no reading: how many there were is.
  readChange: (change) =>
    change.field === 'rights'
      ? { ...change, before: countOf(change.before), after: countOf(change.after) }
      : change,
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/jinmao/web/tenantPackage/rightsTree',
      title: ['套餐可选权限', 'Rights of packages'],
      access: { code: COMPANY_MENU },
      handle: async ({ platform, caller }) => {
        if (caller.tenantKind !== 3) throw forbidden();
        return rightsTree(platform.database.db);
      },
    }),
    endpoint({
      method: 'GET',
      path: '/jinmao/web/tenantPackage/affects',
      title: ['套餐影响的公司', 'Who holds a package'],
      access: { code: COMPANY_MENU },
      query: z.strictObject({ id: z.string().regex(/^\d{1,15}$/) }),
      handle: async ({ platform, caller, query }) => {
        if (caller.tenantKind !== 3) throw forbidden();
        return run(
          platform.database.db,
          `SELECT n.id::text, n.name, (SELECT count(*)::int FROM staff s WHERE s.tenant_id = n.id AND s.state = 'normal') AS staff
             FROM tenant n WHERE n.package_id = $1 ORDER BY n.account LIMIT 200`,
          [Number(query.id)],
        );
      },
    }),
  ],
});

export const registration = boundPackage.registration;

function countOf(value: unknown): unknown {
  return Array.isArray(value) ? value.length : (value ?? null);
}

async function take({ action, input, tx, columns, caller }: ActionContext): Promise<void> {
  if (caller.tenantKind !== 3) throw forbidden();
  if (action === 'create') columns.kind = input.kind === 'company' ? 1 : 4;
  if (input.rights === undefined) return;
  const problem = await rightsProblem(tx, input.rights);
  if (problem) throw invalid({ rights: problem });
  columns.rights = [...new Set(input.rights as string[])].sort();
}

async function rightsProblem(db: Executor, rights: unknown): Promise<Label | undefined> {
  if (!Array.isArray(rights) || rights.length === 0) return ['请选择菜单', 'Choose menus'];
  if (rights.length > 6000 || !rights.every((one) => typeof one === 'string' && one.length <= 100))
    return ['没有此权限', 'There is no such right'];
  const menus = new Set(rights.filter((one) => !one.includes(':')));
  const lonely = (rights as string[]).find((one) => one.includes(':') && !menus.has(one.split(':')[0]!));
  if (lonely) return [`${lonely} 的菜单未选`, `The menu of ${lonely} is not chosen`];
  const unknown = await runOne<{ code: string }>(
    db,
    `SELECT x AS code FROM unnest($1::text[]) x WHERE x NOT IN (${OFFERED}) LIMIT 1`,
    [rights],
  );
  return unknown ? [`没有此权限：${unknown.code}`, `No such right: ${unknown.code}`] : undefined;
}

/** Menus by their group with their elements, for the tree of the form. */
async function rightsTree(db: Executor) {
  return run<{
    code: string;
    zh: string;
    en: string;
    group: string;
    groupZh: string;
    groupEn: string;
    elements: { code: string; zh: string; en: string }[];
  }>(
    db,
    `SELECT m.code, m.title_zh AS zh, m.title_en AS en, coalesce(u.code, '') AS "group",
            coalesce(u.title_zh, '其他') AS "groupZh", coalesce(u.title_en, 'Other') AS "groupEn",
            coalesce((SELECT json_agg(json_build_object('code', e.code, 'zh', e.name_zh, 'en', e.name_en) ORDER BY e.code)
                        FROM element e WHERE e.menu_code = m.code AND NOT e.retired), '[]') AS elements
       FROM menu m LEFT JOIN LATERAL (SELECT g.code, g.title_zh, g.title_en FROM menu_place x JOIN menu g ON g.code = x.parent_code
                                 WHERE x.menu_code = coalesce(m.mode_of, m.code) ORDER BY x.parent_code LIMIT 1) u ON true
      WHERE m.built AND NOT m.retired AND m.code <> 'dashboard' ORDER BY m.owner_group, m.code`,
  );
}
