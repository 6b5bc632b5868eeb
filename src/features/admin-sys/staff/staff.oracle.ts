import {
  linked,
  words,
  ids,
  part,
  projectsOf,
  ownTenant,
  type FilterRule,
} from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, type Raw, type World } from '../../../testing/oracle/world.ts';

export const staffFilters: Readonly<Record<string, FilterRule>> = {
  name: part('name'),
  department: ids('department_id', 'department'),
  projects: projectsOf('staff_project', 'staff_id'),
  groups: {
    value: (dice, world) => String(dice.pick(world.rows.permission_group!).id),
    keeps: (row, value, world) =>
      (by(world, 'group_member', 'staff_id').get(row.id) ?? []).some(
        (one) =>
          String(one.group_id) === value &&
          (one.expires_at === null || (one.expires_at as Date).getTime() > Date.now()),
      ),
  },
  state: words('state', ['normal', 'disabled', 'left']),
  stations: linked('staff_station', 'staff_id', 'station_id', 'station'),
};
export const projectsOfStaff = (row: Raw, world: World): number[] =>
  (by(world, 'staff_project', 'staff_id').get(row.id) ?? []).map((one) => one.project_id as number);
export const staffText = (row: Raw) => `${row.name} ${row.account} ${row.staff_no ?? ''}`.toLowerCase();
export const staffTabs = {
  all: () => true,
  normal: (row: Raw) => row.state === 'normal',
  disabled: (row: Raw) => row.state === 'disabled',
  left: (row: Raw) => row.state === 'left',
};
export const byAccount = { field: 'account', key: (row: Raw) => String(row.account) };

/** Filters over sign-ins and locks, which staff.test.ts and staff-views.test.ts look at. */
export const staffLeftOut = ['locked', 'signedInWithin', 'notSignedInWithin'];
export const staffReads = ['staff_station'];

export const oracle = defineOracle({
  name: 'staff',
  menu: 'userManager',
  table: 'staff',
  standing: ownTenant('id'),
  filters: staffFilters,
  leftOut: staffLeftOut,
  reads: staffReads,
  tabs: staffTabs,
  text: staffText,
  export: byAccount,
});
