import { z } from 'zod';
import type { Label } from '../../../kernel/contract/label.ts';
import type { FieldChange } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, transaction, type Tx } from '../../../kernel/server/database.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { invalid, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition, type ScopeColumns } from '../../../kernel/server/people/scope.ts';
import { endpoint, type Call } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { filteredProjects, projectsInReach } from '../../../domain/permission/project-reach.server.ts';
import { allNodes, type ProcessNode } from '../../../domain/approval/process.rules.ts';
import { approvalProcess, SCOPES } from './approval-process.contract.ts';
import { statisticsOf } from './process-figures.server.ts';
import { readNodes, requireNamed } from './process-nodes.server.ts';
import { processOptions } from './process-options.server.ts';
import {
  draftOf,
  openDraft,
  publish,
  requireDeclared,
  requireNoDraft,
  stop,
} from './process-publish.server.ts';
import { trialEndpoints } from './process-trial.server.ts';

const NOT_OWN: Label = [
  '该流程由平台或其他公司维护，您只能查看',
  'This process is kept by the platform or another company: you may only look at it',
];
const BEYOND: Label = [
  '该流程的适用范围包含您不负责的项目，您只能查看',
  'This process reaches projects you do not work in: you may only look at it',
];

/** SQL: projects version `t` reaches, for who may change it. */
const REACHED = `CASE t.scope_kind
  WHEN 'project' THEN ARRAY(SELECT p.project_id FROM approval_process_project p WHERE p.process_id = t.id)
  WHEN 'unit' THEN ARRAY(SELECT p.id FROM project p WHERE p.unit_id = t.unit_id)
  WHEN 'tenant' THEN ARRAY(SELECT p.project_id FROM tenant_project p WHERE p.tenant_id = t.tenant_id)
  ELSE '{}'::bigint[] END`;

/** Platform-wide ones are read by all; others by their company and by who works in a project they reach. */
const SCOPE: ScopeColumns = {
  tenant: 't.tenant_id',
  project: (ids, tenant) =>
    `(CASE t.scope_kind WHEN 'platform' THEN TRUE WHEN 'tenant' THEN t.tenant_id = ${tenant()}
       WHEN 'unit' THEN EXISTS (SELECT FROM project sp WHERE sp.unit_id = t.unit_id AND sp.id = ANY(${ids}::bigint[]))
       ELSE EXISTS (SELECT FROM approval_process_project sp WHERE sp.process_id = t.id AND sp.project_id = ANY(${ids}::bigint[])) END)`,
  owner: 't.created_by',
};

/** SQL over instances of a version's family; a draft has none of its own. */
const ofFamily = (what: string, rest: string) =>
  `CASE WHEN t.state = 'draft' THEN NULL ELSE (SELECT ${what} FROM approval_process f JOIN approval_instance i ON i.process_id = f.id ${rest}) END`;

const bound: BoundResource = bindResource(approvalProcess, {
  table: 'approval_process',
  where: 't.superseded_by IS NULL',
  columns: {
    running: `coalesce(${ofFamily('count(*)::int', `WHERE f.family_id = t.family_id AND i.state = 'running'`)}, 0)`,
    averageHours: ofFamily(
      `round(avg(extract(epoch FROM i.ended_at - i.started_at) / 3600), 1)::text`,
      `WHERE f.family_id = t.family_id AND i.state IN ('passed', 'refused') AND i.ended_at > now() - interval '30 days'`,
    ),
    overdueRate: ofFamily(
      `round(100.0 * count(*) FILTER (WHERE coalesce(k.decided_at, now()) > k.due_at) / nullif(count(*), 0), 2)::text`,
      `JOIN approval_task k ON k.instance_id = i.id WHERE f.family_id = t.family_id AND k.due_at IS NOT NULL AND k.arrived_at > now() - interval '30 days' AND k.state NOT IN ('cancelled', 'transferred')`,
    ),
  },
  joins: {
    tenant: 'tenant',
    unit: 'organisation',
    admin: 'staff',
    publisher: { table: 'staff', column: 'published_by' },
  },
  links: {
    projects: { table: 'approval_process_project', own: 'process_id', other: 'project_id', to: 'project' },
  },
  // The owner of a row goes by its scope and its maker; nodes are JSON.
  writes: { tenant: false, unit: false, nodes: false, projects: false },
  filters: {
    projects: (value, parameters, caller) => {
      const ids = parameters.bind(filteredProjects(caller, 'projects', value));
      return `(EXISTS (SELECT FROM approval_process_project p WHERE p.process_id = t.id AND p.project_id = ANY(${ids}::bigint[]))
        OR EXISTS (SELECT FROM project p WHERE p.unit_id = t.unit_id AND p.id = ANY(${ids}::bigint[])))`;
    },
  },
  scope: SCOPE,
  search: `lower(t.name_zh || ' ' || t.name_en)`,
  extra: { keeper: 't.tenant_id', reached: REACHED },
  ruleReads: ['keeper', 'reached'],
  rowRules: {
    update: mayKeep,
    revise: mayKeep,
    publish: mayKeep,
    stop: mayKeep,
    remove: mayKeep,
  },
  // Names of projects somebody does not work in are not told.
  present: async (rows, _db, caller) => {
    for (const row of rows)
      if (Array.isArray(row.projects))
        row.projects = projectsInReach(caller, row.projects as readonly { id: string }[]);
  },
  readChange: (change, caller) =>
    change.field === 'projects' && caller.projectIds !== null ? undefined : change,
  usedBy: { approval_process: false, approval_process_place: false },
  before: [place],
  after: [writeNodes, keepReach],
  handlers: {
    publish,
    stop,
    revise: async (context): Promise<ActionResult> => {
      const open = await openDraft(context.tx, context.row.family_id);
      const id = open ?? (await draftOf(context, context.id, 'version')).id;
      return { result: { id: String(id) } };
    },
    duplicate: async (context): Promise<ActionResult> => {
      const name = `${String(context.row.name_zh).slice(0, 37)} 副本`;
      const english = String(context.row.name_en);
      const nameEn = english === '' ? '' : `${english.slice(0, 73)} (copy)`;
      const { id } = await draftOf(context, context.id, { name, nameEn });
      await takeHome(context, id);
      return { result: { id: String(id), name, nameEn: nameEn || name } };
    },
  },
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/jinmao/web/approvalProcess/:id/versions',
      title: ['流程版本', 'Versions of a process'],
      access: { code: 'approvalProcess:btn_versions' },
      handle: (call) => versionsOf(call, idOf(call.params.id)),
    }),
    endpoint({
      method: 'POST',
      path: '/jinmao/web/approvalProcess/:id/rollback',
      title: ['回退到旧版本', 'Publish an old version anew'],
      access: { code: 'approvalProcess:btn_publish' },
      body: z.strictObject({ processVersion: z.number().int().positive() }),
      handle: (call) => rollBack(call, idOf(call.params.id), call.body.processVersion),
    }),
    endpoint({
      method: 'GET',
      path: '/jinmao/web/approvalProcess/:id/statistics',
      title: ['流程统计', 'Figures of a process'],
      access: { code: 'approvalProcess' },
      handle: async (call) => {
        const row = await bound.find(call, idOf(call.params.id));
        return statisticsOf(call.platform.database.db, call.caller, Number(row.id));
      },
    }),
    ...trialEndpoints,
  ],
  also: { options: processOptions },
});

/** Approval processes. */
export const registration = bound.registration;

/** Why somebody may only look at a version; its company and the projects it reaches decide. */
function mayKeep(row: DbRow, caller: Caller): Label | undefined {
  if (caller.tenantKind !== 3 && row.keeper !== caller.tenantId) return NOT_OWN;
  if (caller.projectIds === null) return undefined;
  if (caller.tenantKind === 3 && row.keeper === null && (row.reached as readonly number[]).length === 0)
    return BEYOND;
  const held = new Set(caller.projectIds);
  return (row.reached as readonly number[]).every((id) => held.has(id)) ? undefined : BEYOND;
}

const missing: Label = ['此项必填', 'This field is required'];

/** Where a version is to hold, by the kind of its scope: one company, unit or some projects, or everywhere. */
async function place(context: ActionContext): Promise<void> {
  const { action, platform, caller, input, row, columns } = context;
  if (action !== 'create' && action !== 'update') return;
  requireDeclared(platform, String(input.bizType ?? row.biz_type));
  if (input.nodes !== undefined) await requireNamed(context, readNodes(input.nodes));
  const kind = String(input.scopeKind ?? row.scope_kind) as keyof typeof SCOPES;
  const own = caller.tenantKind === 3 ? null : caller.tenantId;
  const tenant = (input.tenant === undefined ? row.tenant_id : input.tenant) as number | null | undefined;
  const unit = (input.unit === undefined ? row.unit_id : input.unit) as number | null | undefined;
  if (kind === 'platform' && own !== null)
    throw invalid({
      scopeKind: ['仅平台员工可设置全平台流程', 'Only the platform sets processes of the whole platform'],
    });
  if (kind === 'tenant' && own === null && !tenant) throw invalid({ tenant: missing });
  if (kind === 'unit' && !unit) throw invalid({ unit: missing });
  if (kind === 'project' && Array.isArray(input.projects) && input.projects.length === 0)
    throw invalid({ projects: missing });
  if (kind !== 'project' && Array.isArray(input.projects) && input.projects.length > 0)
    throw invalid({
      projects: ['适用范围为项目时才可选择', 'Only a scope of projects names them'],
    });
  if (kind === 'project' && input.projects === undefined && row.scope_kind !== 'project')
    throw invalid({ projects: missing });
  columns.tenant_id = kind === 'tenant' ? (own ?? tenant) : own;
  columns.unit_id = kind === 'unit' ? unit : null;
}

/** Writes the nodes; the history says how many there were. */
async function writeNodes({ tx, row, input }: ActionContext, id: number): Promise<FieldChange[]> {
  if (input.nodes === undefined) return [];
  const next = JSON.stringify(input.nodes);
  if (JSON.stringify(row.nodes ?? null) === next) return [];
  await run(tx, 'UPDATE approval_process SET nodes = $2::jsonb WHERE id = $1', [id, next]);
  const count = (nodes: unknown) => allNodes((nodes ?? []) as readonly ProcessNode[]).length;
  return row.id === undefined
    ? []
    : [{ field: 'nodes', before: count(row.nodes), after: count(input.nodes) }];
}

/** A scope that names no projects keeps none; nobody gives a version a reach beyond the own. */
async function keepReach(context: ActionContext, id: number): Promise<FieldChange[]> {
  const { tx, action, caller } = context;
  if (action !== 'create' && action !== 'update') return [];
  await run(
    tx,
    `DELETE FROM approval_process_project p USING approval_process t WHERE t.id = $1 AND p.process_id = t.id AND t.scope_kind <> 'project'`,
    [id],
  );
  const now = await runOne<DbRow>(
    tx,
    `SELECT t.tenant_id AS keeper, ${REACHED} AS reached FROM approval_process t WHERE t.id = $1`,
    [id],
  );
  // Projects are written behind this and are looked at by the picker themselves.
  const refused = mayKeep(now!, caller);
  if (refused && context.row.scope_kind !== 'project' && context.input.scopeKind !== 'project')
    throw ruleBroken(refused);
  return [];
}

/** A copy of somebody else's process becomes one of the own company. */
async function takeHome({ tx, caller }: ActionContext, id: number): Promise<void> {
  if (caller.tenantKind === 3) return;
  await run(
    tx,
    `UPDATE approval_process SET tenant_id = $2, scope_kind = 'tenant', unit_id = NULL WHERE id = $1 AND tenant_id IS DISTINCT FROM $2`,
    [id, caller.tenantId],
  );
  await run(
    tx,
    `DELETE FROM approval_process_project WHERE process_id = $1 AND EXISTS (SELECT FROM approval_process WHERE id = $1 AND scope_kind = 'tenant')`,
    [id],
  );
}

interface VersionRow {
  readonly id: number;
  readonly processVersion: number;
  readonly state: string;
  readonly superseded: boolean;
  readonly nodes: readonly ProcessNode[];
  readonly publishedAt: Date | null;
  readonly publisher: string | null;
  readonly running: number;
}

/** The versions of a process the caller sees, the newest first. */
async function versionsOf(call: Call, id: number) {
  const row = await bound.find(call, id);
  const parameters = new Parameters();
  const own = parameters.bind(row.id);
  const scope = scopeCondition(call.caller, approvalProcess.menu, SCOPE, parameters);
  const rows = await run<VersionRow>(
    call.platform.database.db,
    `SELECT t.id, t.process_version AS "processVersion", t.state, t.superseded_by IS NOT NULL AS superseded, t.nodes,
            t.published_at AS "publishedAt", s.name AS publisher,
            (SELECT count(*)::int FROM approval_instance i WHERE i.process_id = t.id AND i.state = 'running') AS running
       FROM approval_process t LEFT JOIN staff s ON s.id = t.published_by
      WHERE t.family_id = (SELECT family_id FROM approval_process WHERE id = ${own}) AND ${scope} ORDER BY t.process_version DESC LIMIT 200`,
    parameters.values,
  );
  return rows.map((one) => ({
    ...one,
    id: String(one.id),
    publishedAt: one.publishedAt?.toISOString() ?? null,
  }));
}

/** Publishes an old version anew: as a new version with its nodes and rules, through every check there is. */
async function rollBack(call: Call<unknown, unknown>, id: number, number: number) {
  const row = await bound.find(call, id);
  const done = await transaction(call.platform.database.db, async (tx: Tx) => {
    const family = (await runOne<{ family_id: number; old: number | null }>(
      tx,
      `SELECT t.family_id, (SELECT o.id FROM approval_process o WHERE o.family_id = t.family_id AND o.process_version = $2 AND o.published_at IS NOT NULL) AS old
         FROM approval_process t WHERE t.id = $1 FOR UPDATE OF t`,
      [row.id, number],
    ))!;
    if (family.old === null) throw notFound();
    await requireNoDraft(tx, family.family_id);
    const draft = await draftOf({ tx, caller: call.caller, facts: call.facts }, family.old, 'version');
    await bound.actIn(tx, call, 'publish', draft.id);
    return draft;
  });
  call.platform.changed(approvalProcess.name);
  return { id: String(done.id), processVersion: done.number };
}
