import { ids, ownTenant, projectsOf, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'propertyStaff',
  menu: 'cs_promanager',
  table: 'staff',
  standing: ownTenant('id'),
  filters: {
    department: ids('department_id', 'department'),
    projects: projectsOf('staff_project', 'staff_id'),
    state: words('state', ['normal', 'disabled', 'left']),
    serviceStaff: {
      value: (dice) => String(dice.chance(0.5)),
      keeps: (row, value) => String(row.is_service_staff) === value,
    },
    housekeeper: {
      value: (dice) => String(dice.chance(0.5)),
      keeps: (row, value) => String(row.is_housekeeper) === value,
    },
    customerService: {
      value: (dice) => String(dice.chance(0.5)),
      keeps: (row, value) => String(row.is_customer_service) === value,
    },
    skills: {
      value: (dice, world) => String(dice.pick(world.rows.dictionary_value!).id),
      keeps: (row, value, world) =>
        (row.skills as string[]).includes(
          String(world.rows.dictionary_value!.find((one) => String(one.id) === value)!.value),
        ),
    },
  },
  tabs: {
    atWork: (row) => row.state !== 'left',
    service: (row) => row.is_service_staff === true,
    housekeepers: (row) => row.is_housekeeper === true,
    customerService: (row) => row.is_customer_service === true,
    left: (row) => row.state === 'left',
  },
  reads: ['staff_project', 'dictionary_value'],
  text: (row) => `${row.name} ${row.account} ${row.staff_no ?? ''}`.toLowerCase(),
  export: { field: 'account', key: (row) => String(row.account) },
});
