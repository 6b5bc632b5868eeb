import { residentScope } from '../../../domain/residents/residents.server.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { parkingPlan } from './parking-lot.contract.ts';
import { TODAY } from '../../../kernel/server/today.ts';

/** Versions of fee plans: read here, added from their lot. */
export const registration = bindResource(parkingPlan, {
  table: 'parking_fee_plan',
  from: 'parking_fee_plan t LEFT JOIN parking_lot l ON l.id = t.lot_id LEFT JOIN staff s ON s.id = t.created_by',
  scope: residentScope('t.project_id', 't.created_by'),
  columns: {
    lot: { id: 't.lot_id', title: 'l.name' },
    standing: `(CASE WHEN t.valid_from > ${TODAY} THEN 'coming' WHEN EXISTS (SELECT FROM parking_fee_plan f WHERE f.lot_id = t.lot_id
      AND f.vehicle_class = t.vehicle_class AND f.valid_from > t.valid_from AND f.valid_from <= ${TODAY}) THEN 'past' ELSE 'current' END)`,
    first: 't.first_fen',
    unit: 't.unit_fen',
    cap: 't.cap_fen',
    madeAt: 't.created_at',
    madeBy: 's.name',
  },
  extra: { version: '1' },
}).registration;
