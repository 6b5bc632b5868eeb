import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { roadGateEvent } from './road-gate.contract.ts';

const bound = bindResource(roadGateEvent, {
  table: 'road_gate_event',
  from: 'road_gate_event t LEFT JOIN road_gate g ON g.id = t.gate_id',
  joins: {
    gate: { table: 'road_gate', column: 'gate_id' },
    operator: { table: 'staff', column: 'operator_id' },
  },
  columns: {
    plate: `CASE WHEN t.plate = '' THEN '' ELSE left(t.plate, 2) || '***' || right(t.plate, 2) END`,
    outcome: `nullif(t.outcome, '')`,
  },
  filters: { plate: (value, parameters) => `t.plate = ${parameters.bind(value.trim().toUpperCase())}` },
  extra: { version: '1' },
  scope: { tenant: 'NULL::bigint', project: 'g.project_id', owner: 'g.created_by' },
});

/** Events of gates: read here, written by the gates. */
export const registration = bound.registration;
