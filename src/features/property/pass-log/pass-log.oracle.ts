import { counted, dayOf, dayRange, exactly, idsOfRows, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

/** Passages stand where they happened and were written by nobody: who sees own rows only sees none. */
export const oracle = defineOracle({
  name: 'passLog',
  menu: 'cs_passLog',
  table: 'pass_log',
  standing: (row) => ({ tenant: null, projects: [row.project_id], owner: null, rule: 'places' }),
  filters: {
    at: {
      ...dayRange('at'),
      value: (dice) => `${dayOf(new Date(Date.now() - dice.upTo(25) * 86_400_000))}~${dayOf(new Date())}`,
    },
    phone: exactly('phone', 'pass_log'),
    gate: idsOfRows('gate_id', 'pass_log'),
    method: words('method', ['qr', 'card', 'face', 'remote', 'plate']),
    result: words('result', ['succeeded', 'failed']),
  },
  tabs: { all: () => true, today: (row) => dayOf(row.at) === dayOf(new Date()) },
  text: (row) => `${row.user_name} ${row.visitor}`.toLowerCase(),
  export: counted,
});
