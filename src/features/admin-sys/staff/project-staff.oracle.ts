import { projectsOf, ownTenant } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import {
  byAccount,
  projectsOfStaff,
  staffFilters,
  staffLeftOut,
  staffReads,
  staffTabs,
  staffText,
} from './staff.oracle.ts';

export const oracle = defineOracle({
  name: 'projectStaff',
  menu: 'userManager1',
  table: 'staff',
  standing: ownTenant('id'),
  // Whoever works in every project counts as working in each; a caller with projects sees the staff of these.
  extra: (row, world, held) => {
    const projects = projectsOfStaff(row, world);
    if (!row.all_projects && projects.length === 0) return false;
    if (!held.projects) return true;
    return row.all_projects ? held.projects.size > 0 : projects.some((id) => held.projects!.has(id));
  },
  filters: {
    ...staffFilters,
    projects: projectsOf('staff_project', 'staff_id', (row) => row.all_projects === true),
  },
  tabs: staffTabs,
  leftOut: staffLeftOut,
  reads: staffReads,
  text: staffText,
  export: byAccount,
});
