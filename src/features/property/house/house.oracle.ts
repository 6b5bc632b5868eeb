import { counted, ids, numberRange } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, type Raw, type World } from '../../../testing/oracle/world.ts';

const owes = (row: Raw, world: World) =>
  (by(world, 'bill', 'house_id').get(row.id) ?? []).some(
    (one) => one.state === 'unpaid' || one.state === 'part',
  );

export const oracle = defineOracle({
  name: 'house',
  menu: 'cs_houseEnquiry',
  table: 'house',
  standing: (row) => ({ tenant: null, projects: [row.project_id], owner: row.created_by, rule: 'places' }),
  filters: {
    owing: {
      value: (dice) => (dice.chance(0.5) ? 'true' : 'false'),
      keeps: (row, value, world) => owes(row, world) === (value === 'true'),
    },
    unit: ids('unit_id', 'building_unit'),
    building: {
      value: (dice, world) => String(dice.pick(world.rows.building!).id),
      keeps: (row, value, world) =>
        value.split(',').includes(String(by(world, 'building_unit', 'id').get(row.unit_id)![0]!.building_id)),
    },
    floor: numberRange('floor', 'house'),
  },
  tabs: {
    present: (row) => row.merged_into_id === null,
    vacant: (row) => row.state === 'vacant' && row.merged_into_id === null,
    let: (row) => row.state === 'let',
    owing: owes,
    merged: (row) => row.merged_into_id !== null,
  },
  text: (row) => String(row.number).toLowerCase(),
  export: counted,
  owner: 'created_by',
  reads: ['bill', 'building_unit', 'building', 'project'],
  sample: (turn) => ({
    number: `N${turn}`,
    floor: 3,
    builtArea: '88.00',
    innerArea: '70.00',
    areaFrom: undefined,
  }),
});
