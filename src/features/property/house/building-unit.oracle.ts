import { ids } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, type Raw, type World } from '../../../testing/oracle/world.ts';

const project = (row: Raw, world: World) =>
  by(world, 'building', 'id').get(row.building_id)![0]!.project_id as number;

export const oracle = defineOracle({
  name: 'enquiryUnit',
  menu: 'cs_houseEnquiry',
  table: 'building_unit',
  standing: (row, world) => ({
    tenant: null,
    projects: [project(row, world)],
    owner: row.created_by,
    rule: 'places',
  }),
  filters: {
    building: ids('building_id', 'building'),
    project: {
      value: (dice, world) => String(dice.pick(world.rows.project!).id),
      keeps: (row, value, world) => value.split(',').includes(String(project(row, world))),
    },
  },
  text: (row) => String(row.name).toLowerCase(),
  owner: 'created_by',
  reads: ['building', 'project'],
});
