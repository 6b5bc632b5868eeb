import { counted, ids, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, type Raw, type World } from '../../../testing/oracle/world.ts';

const house = (row: Raw, world: World) => by(world, 'house', 'id').get(row.house_id)![0]!;

export const oracle = defineOracle({
  name: 'household',
  menu: 'cs_houseEnquiry',
  table: 'household',
  standing: (row, world) => ({
    tenant: null,
    projects: [house(row, world).project_id],
    owner: row.created_by,
    rule: 'places',
  }),
  filters: {
    state: words('status', ['normal', 'reviewing', 'refused', 'deleted']),
    house: ids('house_id', 'house'),
    project: {
      value: (dice, world) => String(dice.pick(world.rows.project!).id),
      keeps: (row, value, world) => value.split(',').includes(String(house(row, world).project_id)),
    },
    unit: {
      value: (dice, world) => String(dice.pick(world.rows.building_unit!).id),
      keeps: (row, value, world) => value.split(',').includes(String(house(row, world).unit_id)),
    },
    building: {
      value: (dice, world) => String(dice.pick(world.rows.building!).id),
      keeps: (row, value, world) =>
        value
          .split(',')
          .includes(String(by(world, 'building_unit', 'id').get(house(row, world).unit_id)![0]!.building_id)),
    },
    floor: {
      value: (dice) => {
        const low = 1 + dice.upTo(12);
        return `${low}~${low + dice.upTo(6)}`;
      },
      keeps: (row, value, world) => {
        const [low, high] = value.split('~').map(Number);
        return house(row, world).floor >= low! && house(row, world).floor <= high!;
      },
    },
  },
  tabs: {
    all: () => true,
    normal: (row) => row.status === 'normal',
    reviewing: (row) => row.status === 'reviewing',
    ended: (row) => row.status === 'refused' || row.status === 'deleted',
  },
  export: counted,
  owner: 'created_by',
  reads: ['house', 'building_unit', 'building', 'project'],
  sample: (turn) => ({
    name: `测试${turn}`,
    phone: `159${String(turn).padStart(8, '0')}`,
    idNo: '310101199001011234',
  }),
});
