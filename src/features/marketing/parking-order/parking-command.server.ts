import { residentScope } from '../../../domain/residents/residents.server.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { parkingCommand } from './parking-order.contract.ts';

/** What gates were told about stays. */
export const registration = bindResource(parkingCommand, {
  table: 'parking_command',
  from: 'parking_command t LEFT JOIN parking_order o ON o.id = t.order_id LEFT JOIN road_gate g ON g.id = t.gate_id',
  scope: residentScope('t.project_id'),
  columns: { order: { id: 't.order_id', title: 'o.code' }, gate: 'g.name' },
  extra: { version: '1' },
}).registration;
