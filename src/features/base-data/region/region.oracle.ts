import { byCode, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, type Held, type Raw, type World } from '../../../testing/oracle/world.ts';

/** Whether a project the caller may know of lies in the region or below it. */
function isLivedIn(row: Raw, world: World, held: Held): boolean {
  const regions = by(world, 'region', 'id');
  const centres = by(world, 'organisation', 'id');
  return world.rows.project!.some((project) => {
    if (held.projects && !held.projects.has(project.id)) return false;
    if (
      held.kind === 2 &&
      !(by(world, 'tenant_project', 'project_id').get(project.id) ?? []).some(
        (one) => Number(one.tenant_id) === Number(held.row.tenant_id),
      )
    )
      return false;
    let at = project.region_id ?? centres.get(project.centre_id)?.[0]?.region_id;
    while (at !== null && at !== undefined) {
      if (Number(at) === row.id) return true;
      at = regions.get(Number(at))?.[0]?.parent_id;
    }
    return false;
  });
}

export const oracle = defineOracle({
  name: 'region',
  menu: 'areaNew',
  table: 'region',
  standing: (row) => ({ tenant: null, projects: undefined, owner: row.created_by, rule: 'everybody' }),
  offered: 'everybody',
  filters: {
    level: words((row) => String(row.level), ['1', '2', '3']),
    hasProjects: {
      value: (dice) => (dice.chance(0.5) ? 'true' : 'false'),
      keeps: (row, value, world, held) => isLivedIn(row, world, held) === (value === 'true'),
    },
  },
  text: (row) => `${row.code} ${row.name} ${row.pinyin} ${row.short_pinyin}`.toLowerCase(),
  export: byCode,
  owner: 'created_by',
  // The first region a picker offers is 北京市: new ones stand below it.
  sample: (turn) => ({ code: `11${20 + (turn % 79)}00` }),
  reads: ['organisation'],
});
