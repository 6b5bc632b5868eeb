import { memberOptions } from '../../../domain/points-ledger/points-members.server.ts';
import { listSight } from '../../../domain/notification/row-sight.server.ts';
import { residentScope } from '../../../domain/residents/residents.server.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import {
  Parameters,
  placeCondition,
  scopeCondition,
  type ScopeColumns,
} from '../../../kernel/server/people/scope.ts';
import type { OptionSource } from '../../../kernel/server/registration.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import { DECOR_MENU } from './decor-order.contract.ts';

/** Where a decor order (`t`) stands: merchants see those of their own packages. */
export const DECOR_SCOPE: ScopeColumns = {
  tenant: 't.tenant_id',
  project: 't.project_id',
  owner: 't.created_by',
};

/** Rows (`t`) that hang on orders the caller sees, by their column of the order. */
export const ofDecorOrders =
  (column: string) =>
  (caller: Caller, parameters: Parameters): string =>
    `${column} IN (SELECT t.id FROM decor_order t WHERE ${scopeCondition(caller, DECOR_MENU, DECOR_SCOPE, parameters)})`;

/** Orders as those read of them who see the list. */
export const decorOrderSight = listSight({
  entity: 'decorOrder',
  menu: DECOR_MENU,
  table: 'decor_order',
  scope: DECOR_SCOPE,
});

/** SQL: the project of a column is one the caller sells in: a merchant where it works, else the own projects. */
export function sellsIn(column: string, caller: Caller, parameters: Parameters): string {
  return caller.tenantKind === 2
    ? `EXISTS (SELECT FROM tenant_project tp WHERE tp.tenant_id = ${parameters.bind(caller.tenantId)} AND tp.project_id = ${column})${
        caller.projectIds ? ` AND ${column} = ANY(${parameters.bind(caller.projectIds)}::bigint[])` : ''
      }`
    : placeCondition(caller, residentScope(column), parameters);
}

/** Picker of customers: owners and tenants of houses where the caller sells. */
export const decorMembers = memberOptions(
  'decorMember',
  [DECOR_MENU],
  (caller, parameters) =>
    `EXISTS (SELECT FROM household h JOIN house o ON o.id = h.house_id WHERE h.member_id = t.id AND h.status = 'normal' AND ${sellsIn('o.project_id', caller, parameters)})`,
);

/** Picker of houses where the caller sells, with their house type. */
export const decorHouses: OptionSource = {
  target: 'decorHouse',
  anyOf: [DECOR_MENU],
  find: async ({ caller, platform }, query) => {
    const parameters = new Parameters();
    const parts = ['h.merged_into_id IS NULL', sellsIn('h.project_id', caller, parameters)];
    if (query.ids.length > 0) parts.push(`h.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
    else if (query.within && query.within.length > 0)
      parts.push(`h.project_id = ANY(${parameters.bind(query.within.map(Number))}::bigint[])`);
    for (const word of query.searchVal.split(/\s+/).filter(Boolean).slice(0, 4))
      parts.push(`(b.name || u.name || h.number) ILIKE ${parameters.bind(containing(word))}`);
    const rows = await run<{ id: number; title: string; note: string | null }>(
      platform.database.db,
      `SELECT h.id, b.name || u.name || h.number AS title, y.name AS note FROM house h JOIN building_unit u ON u.id = h.unit_id
         JOIN building b ON b.id = u.building_id LEFT JOIN house_type y ON y.id = h.house_type_id
        WHERE ${parts.join(' AND ')} ORDER BY h.id LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
      parameters.values,
    );
    return rows.map((row) => ({ id: String(row.id), title: row.title, note: row.note ?? '' }));
  },
};

/** A package on sale, with the version it is sold under. */
export interface DecorSale {
  readonly id: number;
  readonly title: string;
  readonly versionId: number;
  readonly tenantId: number;
}

/** Packages on sale where the caller sells; merchants their own. */
export async function decorSales(
  db: Executor,
  caller: Caller,
  query: {
    readonly ids: readonly number[];
    readonly projects: readonly number[];
    readonly searchVal: string;
    readonly limit: number;
    readonly offset: number;
  },
): Promise<readonly DecorSale[]> {
  const parameters = new Parameters();
  const parts = [
    `p.kind = 'home_decor' AND p.status = 'published' AND p.recycled_at IS NULL`,
    `EXISTS (SELECT FROM product_project x WHERE x.product_id = p.id AND ${sellsIn('x.project_id', caller, parameters)})`,
  ];
  if (caller.tenantKind === 2) parts.push(`p.tenant_id = ${parameters.bind(caller.tenantId)}`);
  if (query.ids.length > 0) parts.push(`p.id = ANY(${parameters.bind(query.ids)}::bigint[])`);
  if (query.projects.length > 0)
    parts.push(
      `EXISTS (SELECT FROM product_project x WHERE x.product_id = p.id AND x.project_id = ANY(${parameters.bind(query.projects)}::bigint[]))`,
    );
  if (query.searchVal) parts.push(`v.name ILIKE ${parameters.bind(containing(query.searchVal))}`);
  return run<DecorSale>(
    db,
    `SELECT p.id, v.name AS title, v.id AS "versionId", p.tenant_id AS "tenantId" FROM product p JOIN decor_version v ON v.product_id = p.id AND v.standing = 'live'
      WHERE ${parts.join(' AND ')} ORDER BY p.id DESC LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
    parameters.values,
  );
}

/** Picker of packages on sale. */
export const decorOnSale: OptionSource = {
  target: 'decorOnSale',
  anyOf: [DECOR_MENU],
  find: async ({ caller, platform }, query) => {
    const rows = await decorSales(platform.database.db, caller, {
      ...query,
      ids: query.ids.map(Number),
      projects: query.ids.length > 0 ? [] : (query.within ?? []).map(Number),
    });
    return rows.map((row) => ({ id: String(row.id), title: row.title }));
  },
};
