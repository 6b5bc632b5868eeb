import type { Caller } from '../../../kernel/server/caller.ts';

/** Of some projects those the caller works in: whoever sees a row of several projects is not told of the others. */
export function projectsInReach<T extends { readonly id: string | number }>(
  caller: Pick<Caller, 'projectIds'>,
  projects: readonly T[],
): readonly T[] {
  if (caller.projectIds === null) return projects;
  const held = new Set(caller.projectIds);
  return projects.filter((project) => held.has(Number(project.id)));
}
