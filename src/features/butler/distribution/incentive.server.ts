import { filteredProjects } from '../../../domain/permission/project-reach.server.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { butlerIncentive } from './distribution.contract.ts';

/** What butlers earn, row by row. Rows of a batch as a whole have no project: who is limited to some does not see them. */
export const registration = bindResource(butlerIncentive, {
  table: 'incentive',
  from: `incentive t LEFT JOIN butler_performance p ON p.id = t.performance_id LEFT JOIN sales_order o ON o.id = p.order_id LEFT JOIN order_line l ON l.id = p.line_id
    LEFT JOIN housekeeper k ON k.id = t.housekeeper_id LEFT JOIN staff s ON s.id = k.staff_id LEFT JOIN project j ON j.id = t.project_id LEFT JOIN incentive_batch b ON b.id = t.batch_id`,
  stateColumn: 'state',
  extra: { version: '1' },
  columns: {
    order: 'o.code',
    product: 'l.product_name',
    butler: { id: 't.housekeeper_id', title: 's.name' },
    project: { id: 't.project_id', title: 'j.name' },
    status: 't.state',
    batch: { id: 't.batch_id', title: 'b.code' },
    reason: `nullif(t.reason, '')`,
  },
  filters: {
    project: (value, parameters, caller) =>
      `t.project_id = ANY(${parameters.bind(filteredProjects(caller, 'project', value))}::bigint[])`,
  },
  scope: { tenant: 'NULL::bigint', project: 't.project_id', owner: 'k.staff_id' },
}).registration;
