import { nameOrder } from '../../../kernel/server/resource/name-order.ts';
import { tenantOptions } from '../../../kernel/server/resource/tenant-options.ts';

/** Staff of the own tenant for pickers: leaders, handlers, receivers. */
export const staffOptions = tenantOptions({
  target: 'staff',
  from: 'staff t LEFT JOIN department d ON d.id = t.department_id',
  usable: `t.state <> 'left'`,
  search: ['t.name', 't.account', 't.staff_no'],
  note: `concat_ws(' · ', t.account, d.name)`,
  order: nameOrder('t.name'),
});
