import { words } from '../../../testing/oracle/filters.ts';
import { counted } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

/** Calls belong to no tenant: only the platform sees them. */
export const oracle = defineOracle({
  name: 'apiCall',
  menu: 'apiManager',
  table: 'api_call',
  reads: ['api_minute', 'menu_place', 'menu'],
  standing: (row) => ({ tenant: null, projects: undefined, owner: row.updated_by, rule: 'platform' }),
  filters: {
    noElement: {
      value: (dice) => dice.pick(['true', 'false']),
      keeps: (row, value) =>
        (row.level === 'permission' && !row.codes.some((code: string) => code.includes(':'))) ===
        (value === 'true'),
    },
    neverCalled: {
      value: (dice) => dice.pick(['true', 'false']),
      keeps: (row, value) =>
        (row.last_called_at === null ||
          new Date(row.last_called_at).getTime() <= Date.now() - 30 * 86_400_000) ===
        (value === 'true'),
    },
    hasErrors: {
      value: (dice) => dice.pick(['true', 'false']),
      keeps: (row, value, world) =>
        world.rows.api_minute!.some(
          (minute) =>
            minute.api_id === row.id &&
            new Date(minute.minute).getTime() > Date.now() - 86_400_000 &&
            minute.refused + minute.failed > 0,
        ) ===
        (value === 'true'),
    },
    level: words('level', ['public', 'token', 'permission', 'service']),
    menu: {
      value: (dice) => dice.pick(['stationManage', 'mm_orderRefund', 'none']),
      keeps: (row, value) => row.menu === value,
    },
  },
  leftOut: ['group', 'p95'],
  tabs: {
    live: (row) => row.state !== 'removed',
    public: (row) => row.state !== 'removed' && row.level === 'public',
    all: () => true,
  },
  text: (row) => `${row.path} ${row.title_zh} ${row.title_en}`.toLowerCase(),
  export: counted,
});
