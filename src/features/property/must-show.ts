import { defineMustShow } from '../../testing/must-show.ts';

const WORK_ORDERS = 'src/features/property/work-order/work-order.test.ts';
const SLA_RULES = 'src/domain/work-order/sla.rules.test.ts';

export const mustShow = defineMustShow({
  group: '06',
  /** Lines of charging come with its engine. */
  partly: true,
  lines: {
    1: {
      tests: [
        [
          SLA_RULES,
          'group 06 Must show 1 (rules): 30 and 960 business minutes from Friday 17:30; parts Monday 10:00–15:00 add 210',
        ],
        [
          WORK_ORDERS,
          'group 06 Must show 1: Friday 17:30, response Friday 18:00, resolution Wednesday 09:30; paused 10:00–15:00 it is 14:30',
        ],
      ],
    },
    2: {
      tests: [
        [WORK_ORDERS, 'group 06 Must show 2: 50 staff accept one order at once, one gets it, 49 are told'],
      ],
    },
    13: {
      tests: [
        [
          WORK_ORDERS,
          'group 06 Must show 13 (work orders): another project answers 404; the complained staff does not see the complaint',
        ],
      ],
    },
  },
});
