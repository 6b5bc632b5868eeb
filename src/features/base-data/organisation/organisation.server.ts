import { isRefused, readIds } from '../../../kernel/server/resource/list-query.ts';
import { runOne } from '../../../kernel/server/database.ts';
import { ruleBroken, notFound } from '../../../kernel/server/http/errors.ts';
import { writeTimeline, type FieldChange } from '../../../kernel/server/audit/audit.ts';
import { showFiles } from '../../../kernel/server/files/files.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import type { Registration } from '../../../kernel/server/registration.ts';
import { requireProjectsInReach } from '../../../domain/permission/project-reach.server.ts';
import { treeNode } from '../../../domain/places/consequences.server.ts';
import { NODE_SCOPE, nodesInScope } from '../../../domain/places/node-scope.server.ts';
import { noteChange, rearrange } from '../../../domain/places/organisation-commands.server.ts';
import { CITY_TAKEN, LICENCE_TAKEN, NAME_TAKEN } from '../../../domain/places/organisation.rules.ts';
import { placeFigures } from '../../../domain/places/place-figures.server.ts';
import { approvalConsequences } from './organisation-approvals.server.ts';
import { organisationEndpoints } from './organisation-endpoints.server.ts';
import { organisationInvariants } from './organisation-invariants.server.ts';
import {
  LICENCE_ENDS,
  licenceJob,
  licenceSight,
  licenceTodo,
  spellingJob,
} from './organisation-jobs.server.ts';
import { organisationOptions } from './organisation-options.server.ts';
import { bankAccountOf, create, ORGANISATION, update, writeParts } from './organisation-write.server.ts';
import { organisation } from './organisation.contract.ts';

const bound: BoundResource = bindResource(organisation, {
  table: 'organisation',
  scope: NODE_SCOPE,
  joins: {
    parent: 'organisation',
    region: 'region',
    leader: 'staff',
    tenant: 'tenant',
    mergedInto: { table: 'organisation', column: 'merged_into' },
  },
  columns: {
    path: `(SELECT string_agg(a.name, ' › ' ORDER BY array_position(t.path, a.id)) FROM organisation a WHERE a.id = ANY(t.path))`,
    // Counted for the rows that are shown, see present.
    projects: 'NULL::int',
    houses: 'NULL::int',
    staff: 'NULL::int',
    createTenant: 'NULL::boolean',
    hang: `'[]'::jsonb`,
    confirmName: 'NULL::text',
    licenceFile: 't.licence_file_id',
  },
  writes: {
    createTenant: false,
    hang: false,
    confirmName: false,
    bankAccount: false,
    licenceFile: 'licence_file_id',
  },
  search: `lower(t.name || ' ' || t.code || ' ' || t.short_name || ' ' || t.pinyin)`,
  searchExact: ['t.phone'],
  unique: {
    organisation_name_on_level: NAME_TAKEN,
    organisation_name_on_top: NAME_TAKEN,
    organisation_city: CITY_TAKEN,
    organisation_licence: LICENCE_TAKEN,
  },
  inUse: () => ['已被使用，只能停用', 'In use, can only be stopped'],
  filters: {
    // A province finds what lies in its cities and districts.
    region: (value, parameters) => {
      const asked = readIds(value);
      if (isRefused(asked)) return asked;
      const ids = parameters.bind(asked);
      return `EXISTS (SELECT FROM region r LEFT JOIN region u ON u.id = r.parent_id WHERE r.id = t.region_id AND (r.id = ANY(${ids}::bigint[]) OR r.parent_id = ANY(${ids}::bigint[]) OR u.parent_id = ANY(${ids}::bigint[])))`;
    },
  },
  tabs: { licence: () => LICENCE_ENDS },
  ruleReads: ['kind'],
  rowRules: {
    hang: (row) =>
      row.kind === 'management_unit'
        ? undefined
        : ['项目只能挂在管理单元下', 'Projects hang below management units only'],
  },
  present: async (rows, db, caller) => {
    if (rows.length === 0) return;
    const figures = await placeFigures(db, caller.projectIds);
    for (const row of rows) {
      const { projects, houses, staff } = figures.of(row.id as number);
      Object.assign(row, { projects, houses, staff });
    }
    if ('licenceFile' in rows[0]!) await showFiles(rows, db, 'licenceFile');
  },
  checks: { enable: requireParent },
  sets: { enable: { stopped_at: null } },
  handlers: { create, update, move, merge, hang, stop },
  after: [writeParts, noteEnabled],
  endpoints: organisationEndpoints(() => bound),
  also: {
    options: organisationOptions,
    jobs: [licenceJob, spellingJob],
    todos: [licenceTodo],
    sights: [licenceSight],
    invariants: organisationInvariants,
    placeConsequences: [approvalConsequences],
  },
});

/** Organisations: the tree, its changes with their consequences, licences. */
export const registration: Registration = {
  ...bound.registration,
  reveal: {
    ...bound.registration.reveal!,
    find: async (caller, platform, id) => {
      const shown = await bound.registration.reveal!.find(caller, platform, id);
      return shown && { ...shown, bankAccount: await bankAccountOf(platform, id) };
    },
  },
};

const said = ({ input }: ActionContext) => ({
  reason: String(input.reason ?? ''),
  confirmName: String(input.confirmName ?? ''),
});

/** Refuses (404) a node the caller cannot name. */
async function requireNode({ tx, caller }: ActionContext, id: number): Promise<void> {
  const known = await nodesInScope(tx, caller, { menu: organisation.menu, includeStopped: true });
  if (!known.some((node) => node.id === id)) throw notFound();
}

async function move(context: ActionContext): Promise<ActionResult> {
  const { tx, platform, caller, id, row, input } = context;
  const parent = (input.parent as number | null | undefined) ?? null;
  // The top is the platform's; nobody moves what is his out of his own sight.
  if (parent === null && (caller.tenantKind !== 3 || caller.projectIds !== null)) throw notFound();
  await rearrange(tx, platform, caller, { kind: 'move', node: id, parent }, said(context));
  return {
    remark: said(context).reason,
    changes: [{ field: 'parent_id', before: row.parent_id, after: parent }],
  };
}

async function merge(context: ActionContext): Promise<ActionResult> {
  const { tx, platform, caller, id, row } = context;
  const into = Number(context.input.into);
  await requireNode(context, into);
  const { reason } = said(context);
  await rearrange(tx, platform, caller, { kind: 'merge', node: id, into }, said(context));
  const target = await treeNode(tx, into);
  await writeTimeline(tx, {
    entity: ORGANISATION,
    entityId: into,
    caller,
    action: 'mergeIn',
    label: [`并入「${String(row.name)}」`, `"${String(row.name)}" merged in`],
    remark: reason,
  });
  return {
    set: { merged_into: into, stopped_at: row.stopped_at ?? (await nowOf(context)) },
    remark: reason,
    changes: [{ field: 'mergedInto', before: null, after: target.name }],
  };
}

async function hang(context: ActionContext): Promise<ActionResult> {
  const { tx, platform, caller, id, input } = context;
  const projects = (input.projects as number[] | undefined) ?? [];
  requireProjectsInReach(caller, projects);
  const { plan } = await rearrange(tx, platform, caller, { kind: 'hang', node: id, projects }, said(context));
  return {
    remark: said(context).reason,
    changes: [{ field: 'hang', before: null, after: plan.projects.map((one) => one.name).join('、') }],
  };
}

async function stop(context: ActionContext): Promise<ActionResult> {
  const { tx, platform, caller, id } = context;
  await rearrange(tx, platform, caller, { kind: 'stop', node: id }, said(context));
  return { set: { stopped_at: await nowOf(context) }, remark: said(context).reason };
}

async function requireParent({ tx, row }: ActionContext): Promise<void> {
  const parent = row.parent_id === null ? undefined : await treeNode(tx, Number(row.parent_id));
  if (parent && parent.state !== 'enabled')
    throw ruleBroken(['上级机构已停用，请先启用上级', 'The parent is stopped: enable it first']);
}

async function noteEnabled(context: ActionContext): Promise<readonly FieldChange[]> {
  const { action, tx, caller, id } = context;
  if (action === 'enable')
    await noteChange(tx, caller, { node: id, kind: 'enable', reason: said(context).reason });
  return [];
}

async function nowOf({ tx }: ActionContext): Promise<Date> {
  return (await runOne<{ now: Date }>(tx, 'SELECT now() AS now'))!.now;
}
