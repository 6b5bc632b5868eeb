import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { billLine } from './bill.contract.ts';

/** What happened to a bill's amounts, for those who see the bill. */
export const registration = bindResource(billLine, {
  table: 'bill_movement',
  from: 'bill_movement t LEFT JOIN bill b ON b.id = t.bill_id LEFT JOIN staff s ON s.id = t.staff_id',
  columns: {
    bill: { id: 't.bill_id', title: 'b.code' },
    staff: { id: 't.staff_id', title: 's.name' },
  },
  scope: { tenant: 't.tenant_id', project: 't.project_id', owner: 't.created_by' },
}).registration;
