import { residentScope } from '../../../domain/residents/residents.server.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { houseMember } from './house-registration.contract.ts';

const bound = bindResource(houseMember, {
  table: 'household',
  from: `household t LEFT JOIN member m ON m.id = t.member_id LEFT JOIN house x ON x.id = t.house_id`,
  columns: {
    house: { id: 't.house_id', title: 'x.number' },
    name: 'm.name',
    phone: 'm.phone',
  },
  extra: { version: '1' },
  scope: residentScope('x.project_id', 't.created_by'),
});

export const registration = bound.registration;
