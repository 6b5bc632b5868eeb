import { counted } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, type Raw, type World } from '../../../testing/oracle/world.ts';

const staffOf = (row: Raw, world: World) => by(world, 'staff', 'id').get(row.staff_id)![0]!;
const today = () => new Date(Date.now() + 8 * 3_600_000).toISOString().slice(0, 10);
const places = (row: Raw, world: World) =>
  by(world, 'housekeeper_building', 'housekeeper_id').get(row.id) ?? [];
/** Projects in which the butler has houses today. */
const nowIn = (row: Raw, world: World) =>
  places(row, world)
    .filter(
      (one) =>
        one.kind === 'main' &&
        String(one.valid_from) <= today() &&
        (one.valid_to === null || String(one.valid_to) >= today()),
    )
    .map((one) => by(world, 'project', 'id').get(one.project_id)![0]!);
const onLeave = (row: Raw, world: World) =>
  (by(world, 'leave_record', 'staff_id').get(row.staff_id) ?? []).some(
    (one) =>
      one.kind === 'leave' &&
      one.state === 'approved' &&
      one.starts_at !== null &&
      new Date(one.starts_at).getTime() <= Date.now() &&
      new Date(one.ends_at).getTime() > Date.now(),
  );
const inside = (column: string) => ({
  value: (dice: { pick<T>(of: readonly T[]): T }, world: World) =>
    String(dice.pick(world.rows.project!)[column]),
  keeps: (row: Raw, value: string, world: World) =>
    nowIn(row, world).some((project) => value.split(',').includes(String(project[column]))),
});

export const oracle = defineOracle({
  name: 'butlerInfo',
  menu: 'butler_information',
  table: 'housekeeper',
  standing: (row, world) => ({
    tenant: staffOf(row, world).tenant_id as number,
    projects: places(row, world).map((one) => Number(one.project_id)),
    owner: row.staff_id as number,
    rule: 'places',
  }),
  filters: {
    centres: inside('centre_id'),
    unit: inside('unit_id'),
    projects: {
      value: (dice, world) => String(dice.pick(world.rows.project!).id),
      keeps: (row, value, world, held) =>
        (!held.projects || held.projects.has(Number(value))) &&
        nowIn(row, world).some((project) => String(project.id) === value),
    },
    uncovered: {
      value: (dice) => dice.pick(['true', 'false']),
      keeps: (row, value, world) => {
        const stands =
          row.stand_in_from !== null &&
          String(row.stand_in_from) <= today() &&
          String(row.stand_in_to) >= today();
        return (row.left_at === null && onLeave(row, world) && !stands) === (value === 'true');
      },
    },
    duty: {
      value: (dice) => dice.pick(['on', 'leave', 'left']),
      keeps: (row, value, world) =>
        (row.left_at !== null ? 'left' : onLeave(row, world) ? 'leave' : 'on') === value,
    },
  },
  export: counted,
  reads: ['staff', 'housekeeper_building', 'project', 'leave_record'],
});
