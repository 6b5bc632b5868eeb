import { counted, dayOf, numberRange } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, type Raw, type World } from '../../../testing/oracle/world.ts';

const households = (row: Raw, world: World) => by(world, 'household', 'house_id').get(row.id) ?? [];
const normal = (row: Raw, world: World) => households(row, world).filter((one) => one.status === 'normal');

export const oracle = defineOracle({
  name: 'houseRegistration',
  menu: 'ssm_registerByHouse',
  table: 'house',
  where: (row) => row.merged_into_id === null,
  standing: (row) => ({ tenant: null, projects: [row.project_id], owner: row.created_by, rule: 'places' }),
  filters: {
    registered: {
      value: (dice) => (dice.chance(0.5) ? 'true' : 'false'),
      keeps: (row, value, world) => normal(row, world).length > 0 === (value === 'true'),
    },
    ownerRegistered: {
      value: (dice) => (dice.chance(0.5) ? 'true' : 'false'),
      keeps: (row, value, world) =>
        normal(row, world).some((one) => one.identity === 'owner') === (value === 'true'),
    },
    occupied: {
      value: (dice) => (dice.chance(0.5) ? 'true' : 'false'),
      keeps: (row, value) => (row.state !== 'vacant') === (value === 'true'),
    },
    active: {
      value: (dice) => (dice.chance(0.5) ? 'true' : 'false'),
      keeps: (row, value, world) => {
        const since = dayOf(new Date(Date.now() - 29 * 86_400_000));
        const isActive = normal(row, world).some((one) =>
          (by(world, 'member_active_day', 'member_id').get(one.member_id) ?? []).some(
            (day) => day.day >= since,
          ),
        );
        return isActive === (value === 'true');
      },
    },
    building: {
      value: (dice, world) => String(dice.pick(world.rows.building!).id),
      keeps: (row, value, world) =>
        String(world.rows.building_unit!.find((one) => one.id === row.unit_id)?.building_id) === value,
    },
    floor: numberRange('floor', 'house'),
  },
  // Periods of bills are asked by coverage only; the test of coverage counts them by hand, and housekeepers with reminders.
  leftOut: ['firstRegisteredAt', 'billed', 'paidOnline', 'housekeeper'],
  text: (row) => String(row.number).toLowerCase(),
  export: counted,
  owner: 'created_by',
  reads: ['household', 'member_active_day', 'building_unit', 'building', 'project'],
});
