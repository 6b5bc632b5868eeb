import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { isStandard, people, standardOrOwn } from './work-category.oracle.ts';

export const oracle = defineOracle({
  name: 'businessCalendar',
  menu: 'cs_maintenance',
  table: 'work_calendar',
  standing: people,
  extra: standardOrOwn,
  filters: { standard: isStandard },
  text: (row) => String(row.name).toLowerCase(),
  sample: (turn) => ({
    hours: [{ weekday: String((turn % 7) + 1), fromTime: '09:00', toTime: '17:00' }],
    days: [],
  }),
});
