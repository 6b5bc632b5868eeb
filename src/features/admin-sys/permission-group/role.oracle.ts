import { yes, part, ownTenant } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'role',
  menu: 'roleManager',
  table: 'permission_group',
  where: (row) => row.typeCode === 'role',
  standing: ownTenant('created_by'),
  leftOut: ['ledBy'],
  filters: { name: part('name'), enabled: yes('enabled') },
  text: (row) => `${row.name} ${row.code}`.toLowerCase(),
  // A leader without the administration of groups sees the groups he leads.
  extra: (row, _world, held) =>
    held.menus.has('groupManager') ||
    held.elements.has('roleManager:btn_resourceManager') ||
    !held.leads ||
    held.ledGroups.has(row.id),
  owner: 'created_by',
});
