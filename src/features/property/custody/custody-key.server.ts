import { residentScope } from '../../../domain/residents/residents.server.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { custodyKey } from './custody.contract.ts';

const bound = bindResource(custodyKey, {
  table: 'custody_key_move',
  from: 'custody_key_move t LEFT JOIN house_custody c ON c.id = t.custody_id LEFT JOIN staff s ON s.id = t.staff_id',
  columns: {
    custody: { id: 't.custody_id', title: 'c.code' },
    staff: { id: 't.staff_id', title: 's.name' },
  },
  extra: { version: '1' },
  scope: residentScope('c.project_id', 'c.created_by'),
});

/** Hand-overs of keys of a custody. */
export const registration = bound.registration;
