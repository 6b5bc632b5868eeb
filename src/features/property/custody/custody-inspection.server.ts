import { residentScope } from '../../../domain/residents/residents.server.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { picturesOf } from '../picture-columns.server.ts';
import { custodyInspection } from './custody.contract.ts';

const bound = bindResource(custodyInspection, {
  table: 'custody_inspection',
  from: 'custody_inspection t LEFT JOIN house_custody c ON c.id = t.custody_id LEFT JOIN staff s ON s.id = t.staff_id',
  columns: {
    custody: { id: 't.custody_id', title: 'c.code' },
    photos: picturesOf('t.image_ids'),
    staff: { id: 't.staff_id', title: 's.name' },
  },
  extra: { version: '1' },
  scope: residentScope('c.project_id', 'c.created_by'),
});

/** Inspections of a custody. */
export const registration = bound.registration;
