import { counted, dayOf, ids, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, type Raw, type World } from '../../../testing/oracle/world.ts';

const householdOf = (row: Raw, world: World) =>
  world.rows.household!.find((one) => one.id === row.household_id);

export const oracle = defineOracle({
  name: 'registration',
  menu: 'ssm_registrationDetails',
  table: 'member',
  // No tenant: a merchant's own id never equals it.
  standing: (row) => ({
    tenant: null,
    projects: [row.project_id ?? 0],
    owner: row.created_by,
    rule: 'places',
  }),
  filters: {
    project: ids('project_id', 'project'),
    building: {
      value: (dice, world) => String(dice.pick(world.rows.building!).id),
      keeps: (row, value, world) => {
        const house = world.rows.house!.find((one) => one.id === householdOf(row, world)?.house_id);
        const unit = world.rows.building_unit!.find((one) => one.id === house?.unit_id);
        return String(unit?.building_id) === value;
      },
    },
    identity: {
      ...words('identity', ['owner', 'family', 'tenant']),
      keeps: (row, value, world) => value.split(',').includes(householdOf(row, world)?.identity),
    },
    status: {
      ...words('status', ['normal', 'reviewing', 'refused', 'deleted']),
      keeps: (row, value, world) => value.split(',').includes(householdOf(row, world)?.status),
    },
    bound: {
      value: (dice) => (dice.chance(0.5) ? 'true' : 'false'),
      keeps: (row, value, world) => (householdOf(row, world)?.status === 'normal') === (value === 'true'),
    },
    activity: {
      value: (dice) => {
        const to = Date.now() - dice.upTo(40) * 86_400_000;
        const from = to - dice.upTo(20) * 86_400_000;
        const app = dice.chance(0.4) ? `@${dice.pick(['ios', 'android', 'h5', 'mini_program'])}` : '';
        return `${dayOf(new Date(from))}~${dayOf(new Date(to))}${app}`;
      },
      keeps: (row, value, world) => {
        const [days, app] = value.split('@');
        const [from, to] = days!.split('~');
        return (by(world, 'member_active_day', 'member_id').get(row.id) ?? []).some(
          (one) =>
            one.project_id !== null &&
            one.day >= from! &&
            one.day <= to! &&
            (app === undefined || one.app_source === app),
        );
      },
    },
  },
  export: counted,
  owner: 'created_by',
  reads: ['household', 'house', 'building_unit', 'building', 'project', 'member_active_day'],
});
