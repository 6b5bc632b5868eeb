import type { Label } from '../../kernel/contract/label.ts';
import type { Caller } from '../../kernel/server/people/caller.ts';
import { invalid, notFound } from '../../kernel/server/http/errors.ts';
import type { DbRow } from '../../kernel/server/resource/binding.ts';

type Reach = Pick<Caller, 'projectIds'>;

/** Of some projects those the caller works in: whoever sees a row of several projects is not told of the others. */
export function projectsInReach<T extends { readonly id: string | number }>(
  caller: Reach,
  projects: readonly T[],
): readonly T[] {
  if (caller.projectIds === null) return projects;
  const held = new Set(caller.projectIds);
  return projects.filter((project) => held.has(Number(project.id)));
}

/** Of some project ids those the caller works in, also when no such project exists. */
export function projectIdsInReach(caller: Reach, ids: readonly number[]): readonly number[] {
  return projectsInReach(
    caller,
    ids.map((id) => ({ id })),
  ).map((one) => one.id);
}

/**
 * Ids of a filter by projects, cut to those the caller works in before they meet a row: asked for others, rows answer as
 * for projects that do not exist. Throws 422 for what are no ids.
 */
export function filteredProjects(caller: Reach, name: string, value: string): readonly number[] {
  const ids = value.split(',').filter((id) => id !== '');
  if (ids.length > 500 || ids.some((id) => !/^\d{1,15}$/.test(id)))
    throw invalid({ [name]: ['没有此选项', 'There is no such choice'] });
  return projectIdsInReach(caller, ids.map(Number));
}

/**
 * Refuses (404) projects the caller does not work in. Comes before every look at rows, so that the answer is the same
 * whether such a project exists, and whether what is changed stands in it already.
 */
export function requireProjectsInReach(caller: Reach, ids: readonly number[]): void {
  if (projectIdsInReach(caller, ids).length < ids.length) throw notFound();
}

/** Said where a row reaches beyond the caller's projects. */
export const OUT_OF_REACH: Label = ['包含您无权管理的项目', 'Includes projects outside your scope'];

/** Row rule over `projectIds`: who works in some projects only changes nothing that reaches beyond them. */
export function inReach(row: DbRow, caller: Caller): Label | undefined {
  return caller.projectIds === null ||
    (row.projectIds as readonly number[]).every((id) => caller.projectIds!.includes(Number(id)))
    ? undefined
    : OUT_OF_REACH;
}
