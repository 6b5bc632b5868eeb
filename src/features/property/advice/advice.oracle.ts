import { byCode, dayRange, exactly, idsOfRows } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import type { Raw } from '../../../testing/oracle/world.ts';

const overdue = (row: Raw) => row.state === 'unreplied' && (row.reply_due_at as Date).getTime() < Date.now();

export const oracle = defineOracle({
  name: 'advice',
  menu: 'cs_advise',
  table: 'advice',
  standing: (row) => ({ tenant: null, projects: [row.project_id], owner: row.handler_id, rule: 'places' }),
  filters: {
    phone: exactly('phone', 'advice'),
    createdAt: dayRange('created_at'),
    handler: idsOfRows('handler_id', 'advice'),
    overdue: {
      value: (dice) => (dice.chance(0.5) ? 'true' : 'false'),
      keeps: (row, value) => overdue(row) === (value === 'true'),
    },
  },
  tabs: {
    unreplied: (row) => row.state === 'unreplied',
    overdue,
    replied: (row) => row.state === 'replied',
    closed: (row) => row.state === 'closed',
  },
  text: (row) => `${row.code} ${row.content}`.toLowerCase(),
  export: byCode,
  owner: 'handler_id',
});
