import { residentScope } from '../../../domain/residents/residents.server.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { positionPrice } from './position.contract.ts';

/** What positions cost from when on. */
export const registration = bindResource(positionPrice, {
  table: 'position_price',
  from: 'position_price t JOIN position q ON q.id = t.position_id LEFT JOIN staff s ON s.id = t.staff_id',
  scope: residentScope('q.project_id', 'q.created_by'),
  columns: { position: { id: 't.position_id', title: 'q.code' }, staff: 's.name' },
  extra: { version: '1' },
}).registration;
