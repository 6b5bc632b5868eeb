import { runOne } from '../../../kernel/server/database.ts';
import { notFound } from '../../../kernel/server/http/errors.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import { residentScope } from '../../../domain/residents/residents.server.ts';
import { requireProjectsInReach } from '../../../domain/permission/project-reach.server.ts';
import { enquiryBuilding } from './house.contract.ts';

/** Buildings of projects. */
export const boundBuilding: BoundResource = bindResource(enquiryBuilding, {
  table: 'building',
  joins: { project: 'project' },
  columns: {
    units: '(SELECT count(*)::integer FROM building_unit u WHERE u.building_id = t.id)',
    houses:
      '(SELECT count(*)::integer FROM building_unit u JOIN house h ON h.unit_id = u.id WHERE u.building_id = t.id AND h.merged_into_id IS NULL)',
  },
  scope: residentScope('t.project_id', 't.created_by'),
  search: 'lower(t.name)',
  unique: { building_project_id_name_key: ['该项目已有同名楼栋', 'The project has a building of this name'] },
  before: [ownProject],
});

export const registration = boundBuilding.registration;

/** A building stands in a project the caller works in. */
async function ownProject({ action, input, caller, tx }: ActionContext): Promise<void> {
  if (action !== 'create') return;
  requireProjectsInReach(caller, [Number(input.project)]);
  if (!(await runOne(tx, 'SELECT 1 FROM project WHERE id = $1 AND enabled FOR SHARE', [input.project])))
    throw notFound();
}
