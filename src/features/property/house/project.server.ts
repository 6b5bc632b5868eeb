import { run, runOne, type Tx } from '../../../kernel/server/database.ts';
import { forbidden, invalid, notFound } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import type { OptionSource } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import { companyOf } from '../../../domain/work-order/create-work-order.server.ts';
import { nodesInScope } from '../../../domain/places/node-scope.server.ts';
import { isFound } from '../../../domain/places/spelling.server.ts';
import { residentScope } from '../../../domain/residents/residents.server.ts';
import { enquiryProject } from './house.contract.ts';
import { HOUSE_MENU } from './house-parts.contract.ts';

/** Projects are kept by the platform and by property companies. */
const keepsProjects = (caller: Caller) => caller.tenantKind === 3 || caller.tenantKind === 1;
const NOT_KEPT = ['项目由平台或物业公司维护', 'The platform and property companies keep projects'] as const;
const ofCompany = (what: string) => `(SELECT ${what} FROM tenant c WHERE c.id = (${companyOf('t.id')}))`;

const rule = (_row: unknown, caller: Caller) => (keepsProjects(caller) ? undefined : NOT_KEPT);

const bound: BoundResource = bindResource(enquiryProject, {
  table: 'project',
  from: `project t LEFT JOIN organisation o ON o.id = t.unit_id LEFT JOIN region r ON r.id = t.region_id`,
  columns: {
    company: { id: ofCompany('c.id'), title: ofCompany('c.name') },
    unit: { id: 't.unit_id', title: 'o.name' },
    region: { id: 't.region_id', title: 'r.name' },
    buildings: '(SELECT count(*)::integer FROM building b WHERE b.project_id = t.id)',
    houses: '(SELECT count(*)::integer FROM house h WHERE h.project_id = t.id AND h.merged_into_id IS NULL)',
  },
  writes: { company: false },
  scope: residentScope('t.id', 't.created_by'),
  search: `lower(t.code || ' ' || t.name)`,
  unique: { project_code_key: ['项目编码已存在', 'The code of the project exists'] },
  ruleReads: [],
  rowRules: { update: rule, enable: rule, disable: rule },
  before: [check],
  after: [giveToCompany],
  also: { options: [units(), companies()] },
});

/** Projects, as the property company keeps them. */
export const registration = bound.registration;

async function check({ action, caller, input, row, tx, columns, platform }: ActionContext): Promise<void> {
  if (action !== 'create' && action !== 'update') return;
  if (!keepsProjects(caller)) throw forbidden(NOT_KEPT);
  if (input.region !== undefined) {
    const region = await runOne(tx, 'SELECT 1 FROM region WHERE id = $1 AND enabled', [input.region]);
    if (!region) throw notFound();
  }
  if (action === 'update') {
    if (typeof input.code === 'string' && input.code !== row.code && (await hasReceipts(tx, Number(row.id))))
      throw invalid({ code: ['已出过收据，编码不能修改', 'There are receipts: the code is fixed'] });
    return;
  }
  const units = await nodesInScope(platform.database.db, caller, { kind: 'management_unit' });
  const unit = units.find((one) => one.id === Number(input.unit));
  if (!unit) throw notFound();
  columns.centre_id = unit.parentId;
  const company = await runOne<{ id: number }>(
    tx,
    'SELECT id FROM tenant WHERE id = $1 AND kind = 1 AND enabled AND ($2::bigint IS NULL OR id = $2)',
    [input.company, caller.tenantKind === 3 ? null : caller.tenantId],
  );
  if (!company) throw notFound();
}

async function hasReceipts(tx: Tx, project: number): Promise<boolean> {
  return (
    (await runOne(tx, 'SELECT 1 FROM receipt_series WHERE project_id = $1 LIMIT 1', [project])) !== undefined
  );
}

/** A new project belongs to the company that looks after it. */
async function giveToCompany({ action, tx, input }: ActionContext, id: number) {
  if (action === 'create')
    await run(tx, 'INSERT INTO tenant_project (tenant_id, project_id) VALUES ($1, $2)', [input.company, id]);
  return [];
}

/** Management units the caller may name, by name, code and pinyin. */
function units(): OptionSource {
  return {
    target: 'projectUnit',
    anyOf: [HOUSE_MENU],
    find: async ({ caller, platform }, query) => {
      const asked = query.ids.length > 0;
      const found = await nodesInScope(platform.database.db, caller, {
        kind: 'management_unit',
        includeStopped: asked,
        merged: asked,
      });
      return found
        .filter((node) =>
          asked ? query.ids.includes(String(node.id)) : isFound([node.name, node.code], query.searchVal),
        )
        .slice(query.offset, query.offset + query.limit)
        .map((node) => ({ id: String(node.id), title: node.name, note: node.parentName ?? node.code }));
    },
  };
}

/** Property companies: every one for the platform, the own one for a company. */
function companies(): OptionSource {
  return {
    target: 'projectCompany',
    anyOf: [HOUSE_MENU],
    find: async ({ caller, platform }, query) => {
      if (!keepsProjects(caller)) return [];
      const rows = await run<{ id: number; title: string }>(
        platform.database.db,
        `SELECT t.id, t.name AS title FROM tenant t
          WHERE t.kind = 1 AND ($1::bigint IS NULL OR t.id = $1) AND CASE WHEN cardinality($2::bigint[]) > 0 THEN t.id = ANY($2) ELSE t.enabled AND strpos(lower(t.name), lower($3)) > 0 END
          ORDER BY t.name, t.id LIMIT $4 OFFSET $5`,
        [
          caller.tenantKind === 3 ? null : caller.tenantId,
          query.ids.map(Number),
          query.searchVal,
          query.limit,
          query.offset,
        ],
      );
      return rows.map((row) => ({ ...row, id: String(row.id) }));
    },
  };
}
