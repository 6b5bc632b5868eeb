import {
  counted,
  dayOf,
  dayRange,
  exactly,
  numberRange,
  word,
  words,
} from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';

/** Auditors of the platform read every call; staff of any other tenant those of people of the same tenant, never calls without a session. */
export const oracle = defineOracle({
  name: 'gateLog',
  grows: true,
  menu: 'gateLogManager',
  table: 'gate_log',
  standing: (row) => ({ tenant: row.tenant_id, projects: undefined, owner: row.staff_id, rule: 'places' }),
  filters: {
    at: {
      ...dayRange('at'),
      value: (dice) => `${dayOf(new Date(Date.now() - dice.upTo(6) * 86_400_000))}~${dayOf(new Date())}`,
    },
    path: {
      value: (dice) => dice.pick(['/api/admin', '/api/jinmao/web/product', '/api/none', '/api']),
      keeps: (row, value) => String(row.path).startsWith(value),
    },
    menu: exactly('menu', 'gate_log'),
    statusClass: words((row) => String(row.http).slice(0, 1), ['2', '3', '4', '5']),
    failed: {
      value: (dice) => dice.pick(['true', 'false']),
      keeps: (row, value) => row.http >= 400 === (value === 'true'),
    },
    slow: {
      value: (dice) => dice.pick(['true', 'false']),
      keeps: (row, value) => row.duration_ms >= 1000 === (value === 'true'),
    },
    http: {
      value: (dice) => dice.pick(['200', '404', '409']),
      keeps: (row, value) => String(row.http) === value,
    },
    method: words('method', ['GET', 'POST', 'PUT', 'DELETE']),
    durationMs: numberRange('duration_ms', 'gate_log'),
    client: word('client', ['web', 'erp']),
  },
  tabs: { all: () => true, today: (row) => dayOf(row.at) === dayOf(new Date()) },
  export: counted,
  fill: async ({ db, dice, staff }) => {
    for (const { id, tenantId } of staff.slice(0, 150))
      await run(
        db,
        `INSERT INTO gate_log (at, trace_id, staff_id, staff_name, tenant_id, address, method, path, menu, http, status, duration_ms, client)
         VALUES (now() - make_interval(hours => $1), md5($1::text), $2, '随机', $3, '10.0.0.1', $4, $5, $6, $7, $7, $8, 'web')`,
        [
          1 + dice.upTo(90),
          id,
          tenantId,
          dice.pick(['GET', 'POST', 'PUT', 'DELETE']),
          dice.pick(['/api/admin/station/page', '/api/jinmao/web/product/page', '/api/jinmao/web/refund/7']),
          dice.pick(['stationManage', 'mm_commodityMana', '']),
          dice.pick([200, 200, 404, 409, 500]),
          dice.upTo(2_000),
        ],
      );
  },
});
