import { ids } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, type Raw, type World } from '../../../testing/oracle/world.ts';

const buildingOf = (row: Raw, world: World) =>
  world.rows.building!.find((one) => one.id === row.building_id)!;

export const oracle = defineOracle({
  name: 'housekeeperGap',
  menu: 'cs_housekeepManager',
  table: 'building_unit',
  standing: (row, world) => ({
    tenant: null,
    projects: [buildingOf(row, world).project_id],
    owner: null,
    rule: 'places',
  }),
  extra: (row, world) =>
    (by(world, 'house', 'unit_id').get(row.id) ?? []).some(
      (house) => !world.rows.main_today!.some((one) => one.house_id === house.id),
    ),
  filters: {
    project: {
      ...ids('project_id', 'project'),
      keeps: (row, value, world) => value.split(',').includes(String(buildingOf(row, world).project_id)),
    },
  },
  reads: ['building', 'house'],
  queries: {
    main_today: `SELECT row_number() OVER () AS id, house_id FROM housekeeper_house WHERE kind = 'main' AND days @> (now() AT TIME ZONE 'Asia/Shanghai')::date`,
  },
  text: (row) => String(row.name).toLowerCase(),
  export: { title: '单元', key: (row) => String(row.name) },
});
