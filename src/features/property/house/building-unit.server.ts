import { runOne } from '../../../kernel/server/database.ts';
import { notFound } from '../../../kernel/server/http/errors.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import { residentScope } from '../../../domain/residents/residents.server.ts';
import { requireProjectsInReach } from '../../../domain/permission/project-reach.server.ts';
import { enquiryUnit } from './house.contract.ts';

/** Units of buildings. */
export const boundUnit: BoundResource = bindResource(enquiryUnit, {
  table: 'building_unit',
  from: `building_unit t LEFT JOIN building b ON b.id = t.building_id LEFT JOIN project p ON p.id = b.project_id`,
  columns: {
    project: { id: 'b.project_id', title: 'p.name' },
    building: { id: 't.building_id', title: 'b.name' },
    houses: '(SELECT count(*)::integer FROM house h WHERE h.unit_id = t.id AND h.merged_into_id IS NULL)',
  },
  scope: residentScope('b.project_id', 't.created_by'),
  search: 'lower(t.name)',
  unique: {
    building_unit_building_id_name_key: ['该楼栋已有同名单元', 'The building has a unit of this name'],
  },
  before: [ownBuilding],
});

export const registration = boundUnit.registration;

/** A unit stands in a building the caller may see. */
async function ownBuilding({ action, input, caller, tx }: ActionContext): Promise<void> {
  if (action !== 'create') return;
  const building = await runOne<{ project_id: number }>(
    tx,
    'SELECT project_id FROM building WHERE id = $1 FOR SHARE',
    [input.building],
  );
  if (!building) throw notFound();
  requireProjectsInReach(caller, [building.project_id]);
}
