import { exactly } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'customerStaff',
  menu: 'cs_customer',
  table: 'customer_staff',
  standing: (row) => ({ tenant: row.tenant_id, projects: undefined, owner: row.staff_id, rule: 'places' }),
  filters: {
    phone: {
      ...exactly('phone', 'staff'),
      keeps: (row, value, world) => world.rows.staff!.find((one) => one.id === row.staff_id)?.phone === value,
    },
  },
  reads: ['staff'],
  sample: () => ({
    newName: undefined,
    mobilePhone: undefined,
    department: undefined,
    complaint: true,
    suggestion: true,
    enquiry: true,
    duty: [],
  }),
});
