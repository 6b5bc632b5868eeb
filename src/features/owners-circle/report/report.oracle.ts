import { byCode, dayRange, idsOfRows, yes } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by } from '../../../testing/oracle/world.ts';

const OPEN = ['open', 'handling', 'appealed'];

export const oracle = defineOracle({
  name: 'reportCase',
  menu: 'cs_reportManagement',
  table: 'report_case',
  standing: (row) => ({ tenant: null, projects: [row.project_id], owner: row.created_by, rule: 'places' }),
  filters: {
    group: idsOfRows('group_id', 'report_case'),
    reason: {
      value: (dice) => dice.pick(['advert', 'abuse', 'fraud', 'other']),
      keeps: (row, value, world) =>
        (by(world, 'post_report', 'case_id').get(row.id) ?? []).some((one) => one.reason === value),
    },
    lastAt: dayRange('last_at'),
    autoHidden: yes('auto_hidden'),
    urgent: yes('urgent'),
  },
  tabs: {
    todo: (row) => OPEN.includes(row.state),
    mine: (row, _world, held) => OPEN.includes(row.state) && row.assignee_id === held.row.id,
    done: (row) => !OPEN.includes(row.state),
    all: () => true,
  },
  text: (row) => String(row.content).toLowerCase(),
  export: byCode,
  reads: ['post_report'],
});
