import { exactly } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'roadGateEvent',
  menu: 'ssm_roadGate',
  table: 'road_gate_event',
  standing: (row, world) => {
    const gate = world.rows.road_gate!.find((one) => one.id === row.gate_id)!;
    return { tenant: null, projects: [gate.project_id], owner: gate.created_by, rule: 'places' };
  },
  filters: { plate: exactly('plate', 'road_gate_event') },
  reads: ['road_gate'],
});
