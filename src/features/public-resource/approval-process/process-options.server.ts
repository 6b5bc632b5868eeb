import { nodesInScope } from '../../../domain/places/node-scope.server.ts';
import { isFound } from '../../../domain/places/spelling.server.ts';
import { run } from '../../../kernel/server/database.ts';
import type { OptionSource } from '../../../kernel/server/registration.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import { nameOrder } from '../../../kernel/server/resource/name-order.ts';
import { tenantOptions } from '../../../kernel/server/resource/tenant-options.ts';
import { approvalProcess } from './approval-process.contract.ts';

const MENU = [approvalProcess.menu];

/** Who and what a process may name: of every company for the platform, of the own one for everybody else. */
export const processOptions: readonly OptionSource[] = [
  tenantOptions({
    target: 'approvalStaff',
    from: 'staff t JOIN tenant n ON n.id = t.tenant_id',
    usable: `t.state = 'normal'`,
    search: ['t.name', 't.account', 't.staff_no'],
    note: `concat_ws(' · ', t.account, n.name)`,
    order: nameOrder('t.name'),
    ofEveryCompany: MENU,
  }),
  tenantOptions({
    target: 'approvalGroup',
    from: 'permission_group t JOIN tenant n ON n.id = t.tenant_id',
    usable: 't.enabled',
    search: ['t.name', 't.code'],
    note: 'n.name',
    order: 'n.kind, n.id, t.name',
    ofEveryCompany: MENU,
  }),
  tenantOptions({
    target: 'approvalStation',
    from: 'station t JOIN tenant n ON n.id = t.tenant_id',
    usable: 't.enabled',
    search: ['t.name', 't.code', 'n.name'],
    note: 'n.name',
    order: 'n.kind, n.id, t.sort',
    ofEveryCompany: MENU,
  }),
  tenantOptions({
    target: 'approvalDepartment',
    from: 'department t JOIN tenant n ON n.id = t.tenant_id',
    usable: 't.enabled',
    search: ['t.name', 'n.name'],
    note: 'n.name',
    order: 'n.kind, n.id, cardinality(t.path), t.sort',
    ofEveryCompany: MENU,
  }),
  {
    target: 'approvalTenant',
    anyOf: MENU,
    find: async ({ caller, platform }, query) => {
      const rows = await run<{ id: number; title: string; note: string }>(
        platform.database.db,
        `SELECT id, name AS title, account AS note FROM tenant WHERE ($1 = 3 OR id = $2) AND name ILIKE $3
            AND (cardinality($4::bigint[]) = 0 OR id = ANY($4::bigint[])) ORDER BY kind, id LIMIT $5 OFFSET $6`,
        [
          caller.tenantKind,
          caller.tenantId,
          containing(query.searchVal),
          query.ids.map(Number),
          query.limit,
          query.offset,
        ],
      );
      return rows.map((row) => ({ ...row, id: String(row.id) }));
    },
  },
  {
    target: 'approvalUnit',
    anyOf: MENU,
    find: async ({ caller, platform }, query) => {
      const asked = query.ids.length > 0;
      const units = await nodesInScope(platform.database.db, caller, {
        kind: 'management_unit',
        includeStopped: asked,
        merged: asked,
      });
      return units
        .filter((unit) =>
          asked ? query.ids.includes(String(unit.id)) : isFound([unit.name, unit.code], query.searchVal),
        )
        .slice(query.offset, query.offset + query.limit)
        .map((unit) => ({ id: String(unit.id), title: unit.name, note: unit.code }));
    },
  },
];
