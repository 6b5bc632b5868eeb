import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'houseSpace',
  menu: 'cs_houseEnquiry',
  table: 'parking_pass',
  where: (row) => row.member_id !== null,
  standing: (row) => ({ tenant: null, projects: [row.project_id], owner: row.created_by, rule: 'places' }),
  filters: {
    house: {
      value: (dice, world) => String(dice.pick(world.rows.household!).house_id),
      keeps: (row, value, world) =>
        world.rows.household!.some(
          (one) =>
            one.member_id === row.member_id &&
            one.status === 'normal' &&
            value.split(',').includes(String(one.house_id)) &&
            world.rows.house!.some((home) => home.id === one.house_id && home.project_id === row.project_id),
        ),
    },
  },
  owner: 'created_by',
  reads: ['household', 'house'],
});
