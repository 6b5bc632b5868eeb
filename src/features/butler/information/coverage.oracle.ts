import { counted } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, type Raw, type World } from '../../../testing/oracle/world.ts';

const houses = (row: Raw, world: World) =>
  (by(world, 'building_unit', 'building_id').get(row.id) ?? []).flatMap(
    (unit) => by(world, 'house', 'unit_id').get(unit.id) ?? [],
  );
const held = (house: Raw, world: World) =>
  (by(world, 'main_today', 'house_id').get(house.id) ?? []).length > 0;

export const oracle = defineOracle({
  name: 'butlerCoverage',
  menu: 'butler_information',
  table: 'building',
  standing: (row) => ({ tenant: null, projects: [row.project_id], owner: null, rule: 'places' }),
  extra: (row, world) => houses(row, world).length > 0,
  filters: {
    covered: {
      value: (dice) => dice.pick(['all', 'part', 'none']),
      keeps: (row, value, world) => {
        const all = houses(row, world);
        const count = all.filter((house) => held(house, world)).length;
        return (count === all.length ? 'all' : count > 0 ? 'part' : 'none') === value;
      },
    },
  },
  text: (row) => String(row.name).toLowerCase(),
  export: counted,
  reads: ['building_unit', 'house'],
  queries: {
    main_today: `SELECT row_number() OVER () AS id, house_id FROM housekeeper_house WHERE kind = 'main' AND days @> (now() AT TIME ZONE 'Asia/Shanghai')::date`,
  },
});
