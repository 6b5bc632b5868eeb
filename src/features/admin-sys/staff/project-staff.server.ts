import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run } from '../../../kernel/server/database.ts';
import { invalid, notFound } from '../../../kernel/server/http/errors.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { Parameters, scopeCondition, type ScopeColumns } from '../../../kernel/server/people/scope.ts';
import { filteredProjects, requireProjectsInReach } from '../../../domain/permission/project-reach.server.ts';
import { departmentImpact } from './department-preview.server.ts';
import { projectStaff } from './staff.contract.ts';
import { staffBinding } from './staff-binding.server.ts';
import {
  projectIdsOf,
  requireColleagues,
  setProjects,
  STAFF,
  STAFF_SCOPE,
  worksIn,
} from './staff-commands.server.ts';
import { sessionEndpoints } from './staff-session-paths.server.ts';

const scope: ScopeColumns = {
  tenant: 't.tenant_id',
  owner: 't.id',
  ownTenant: true,
  // Whoever is limited to projects sees the staff of these only.
  project: worksIn,
};
const common = staffBinding(scope);

const bound: BoundResource = bindResource(projectStaff, {
  ...common,
  where: '(t.all_projects OR EXISTS (SELECT 1 FROM staff_project sp WHERE sp.staff_id = t.id))',
  filters: {
    ...common.filters,
    projects: (value, parameters, caller) =>
      worksIn(parameters.bind(filteredProjects(caller, 'projects', value))),
  },
  handlers: {
    ...common.handlers,
    create: (context) => {
      requireProject(context.input.projects);
      return common.handlers!.create!(context);
    },
    update: (context) => {
      if (context.input.projects !== undefined) requireProject(context.input.projects);
      return common.handlers!.update!(context);
    },
    addToProjects,
    removeFromProject,
  },
  endpoints: [
    ...sessionEndpoints(
      '/admin/projectStaff',
      'userManager1',
      // Whoever may end every session of somebody by a new password may end one of them.
      { sessions: { code: 'userManager1:btn_resetPwd' }, signIns: { code: 'userManager1' } },
      () => bound,
    ),
    departmentImpact({ root: '/admin/projectStaff', menu: 'userManager1', scope }),
  ],
});

/** Staff by project: the rows of the users under a menu of their own. */
export const registration = bound.registration;

function requireProject(projects: unknown): void {
  if (!Array.isArray(projects) || projects.length === 0)
    throw invalid({ projects: ['请至少选择一个项目', 'Choose at least one project'] });
}

/** Staff join projects; those they work in already stay. Staff the menu's data scope does not reach answer 404. */
async function addToProjects({ tx, caller, input }: ActionContext): Promise<ActionResult> {
  requireProjectsInReach(caller, input.projects as number[]);
  const ids = [...new Set(input.staff as number[])];
  const parameters = new Parameters();
  const wantedStaff = parameters.bind(ids);
  // Whoever joins a project is in none of the caller's yet: of the scope all but the projects counts.
  const scope = scopeCondition(caller, projectStaff.menu, STAFF_SCOPE, parameters);
  const known = await run<{ id: number }>(
    tx,
    `SELECT t.id FROM staff t WHERE t.state <> 'left' AND t.id = ANY(${wantedStaff}::bigint[]) AND ${scope} ORDER BY t.id FOR UPDATE`,
    parameters.values,
  );
  if (known.length !== ids.length) throw notFound();
  await requireColleagues(tx, caller, ids);
  for (const { id } of known) {
    const wanted = [...(await projectIdsOf(tx, id, caller)), ...(input.projects as number[])];
    await writeTimeline(tx, {
      entity: STAFF,
      entityId: id,
      caller,
      action: 'addToProjects',
      label: projectStaff.actions!.addToProjects!.label,
      changes: await setProjects(tx, caller, id, wanted, undefined),
    });
  }
  return { result: { ids: known.map((one) => String(one.id)) } };
}

async function removeFromProject({ tx, caller, id, input }: ActionContext): Promise<ActionResult> {
  requireProjectsInReach(caller, input.projects as number[]);
  const leaving = new Set(input.projects as number[]);
  const held = await projectIdsOf(tx, id, caller);
  if ([...leaving].some((project) => !held.includes(project)))
    throw invalid({ projects: ['该员工不在所选项目中', 'The staff is not in the chosen project'] });
  const rest = held.filter((project) => !leaving.has(project));
  return { changes: await setProjects(tx, caller, id, rest, undefined) };
}
