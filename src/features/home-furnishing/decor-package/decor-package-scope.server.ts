import { listSight } from '../../../domain/notification/row-sight.server.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import { Parameters, placeCondition, type ScopeColumns } from '../../../kernel/server/people/scope.ts';
import type { OptionSource } from '../../../kernel/server/registration.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import { residentScope } from '../../../domain/residents/residents.server.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';

export const PACKAGE_MENU = 'mj_mercureCommodity';
export const REVIEW_MENU = 'mj_mercureCommodityApprove';

/** Where a package stands: merchants see their own, company and centre city what is sold in their projects. Alias `t`. */
export const PACKAGE_SCOPE: ScopeColumns = {
  tenant: 't.tenant_id',
  project: (ids) =>
    `EXISTS (SELECT 1 FROM product_project scope_project WHERE scope_project.product_id = t.id AND scope_project.project_id = ANY(${ids}::bigint[]))`,
  owner: 't.created_by',
};

/** Packages as those read of them who see the list. */
export const packageSight = listSight({
  entity: 'decorPackage',
  menu: PACKAGE_MENU,
  table: 'product',
  where: `t.kind = 'home_decor' AND t.recycled_at IS NULL`,
  scope: PACKAGE_SCOPE,
});

/** House types (`y`) a caller may price: of the projects a merchant works in, else of the own projects. */
function typesInReach(caller: Caller, parameters: Parameters): string {
  return caller.tenantKind === 2
    ? `EXISTS (SELECT FROM tenant_project tp WHERE tp.tenant_id = ${parameters.bind(caller.tenantId)} AND tp.project_id = y.project_id)${
        caller.projectIds ? ` AND y.project_id = ANY(${parameters.bind(caller.projectIds)}::bigint[])` : ''
      }`
    : placeCondition(caller, residentScope('y.project_id'), parameters);
}

/** Picker of house types; disabled ones are named where they are chosen already. */
export const decorHouseTypes: OptionSource = {
  target: 'decorHouseType',
  anyOf: [PACKAGE_MENU],
  find: async ({ caller, platform }, query) => {
    const parameters = new Parameters();
    const parts = [typesInReach(caller, parameters)];
    if (query.ids.length > 0) parts.push(`y.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
    else {
      parts.push('y.enabled');
      for (const word of query.searchVal.split(/\s+/).filter(Boolean).slice(0, 4))
        parts.push(`(p.name || y.name) ILIKE ${parameters.bind(containing(word))}`);
    }
    const rows = await run<{ id: number; title: string; note: string }>(
      platform.database.db,
      `SELECT y.id, p.name || ' · ' || y.name AS title, y.built_area::text || ' m²' AS note FROM house_type y JOIN project p ON p.id = y.project_id
        WHERE ${parts.join(' AND ')} ORDER BY p.id, y.name, y.id LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
      parameters.values,
    );
    return rows.map((row) => ({ ...row, id: String(row.id) }));
  },
};

/** Of some house types those the caller may price. */
export async function reachableTypes(
  db: Executor,
  caller: Caller,
  ids: readonly number[],
): Promise<Set<number>> {
  const parameters = new Parameters();
  const reach = typesInReach(caller, parameters);
  const rows = await run<{ id: number }>(
    db,
    `SELECT y.id FROM house_type y WHERE ${reach} AND y.id = ANY(${parameters.bind(ids)}::bigint[])`,
    parameters.values,
  );
  return new Set(rows.map((row) => row.id));
}

/** Styles of the business dictionary. */
export const decorStyles: OptionSource = {
  target: 'decorStyle',
  anyOf: [PACKAGE_MENU],
  find: async ({ platform, facts }, query) => {
    const rows = await run<{ id: number; title: string }>(
      platform.database.db,
      `SELECT b.id, ${facts.language === 'zh' ? 'b.name' : 'b.name_en'} AS title FROM biz_dict b JOIN biz_dict r ON r.id = b.root_id AND r.code = 'decor_style'
        WHERE b.id <> b.root_id AND CASE WHEN cardinality($1::bigint[]) > 0 THEN b.id = ANY($1::bigint[]) ELSE b.enabled AND (b.name ILIKE $2 OR b.name_en ILIKE $2) END
        ORDER BY b.view_sort, b.id LIMIT $3 OFFSET $4`,
      [query.ids.map(Number), containing(query.searchVal), query.limit, query.offset],
    );
    return rows.map((row) => ({ ...row, id: String(row.id) }));
  },
};
