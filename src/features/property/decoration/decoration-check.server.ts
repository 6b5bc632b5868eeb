import { residentScope } from '../../../domain/residents/residents.server.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { picturesOf } from '../picture-columns.server.ts';
import { decorationCheck } from './decoration-application.contract.ts';

/** Checks of decoration works. */
export const registration = bindResource(decorationCheck, {
  table: 'decoration_check',
  from: 'decoration_check t LEFT JOIN decoration_application a ON a.id = t.application_id LEFT JOIN staff s ON s.id = t.staff_id',
  columns: {
    application: { id: 't.application_id', title: 'a.code' },
    staff: { id: 't.staff_id', title: 's.name' },
    photos: picturesOf('t.image_ids'),
  },
  extra: { version: '1' },
  scope: residentScope('a.project_id', 'a.created_by'),
}).registration;
