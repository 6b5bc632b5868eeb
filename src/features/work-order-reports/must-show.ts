import { defineMustShow } from '../../testing/must-show.ts';

const STATISTICS = 'src/features/work-order-reports/order-statistics/order-statistics.test.ts';
const AGEING = 'src/features/work-order-reports/ageing/ageing.test.ts';
const OPEN = 'src/features/open-reports/open-orders.test.ts';

export const mustShow = defineMustShow({
  group: '11',
  count: 11,
  lines: {
    1: {
      tests: [
        [
          STATISTICS,
          'group 11 Must show 1: ten orders, completion 7 ÷ 9, each figure lists exactly its orders',
        ],
      ],
    },
    2: {
      tests: [[STATISTICS, 'group 11 Must show 2: 5 met, 2 failed, 1 running is 71.4 %']],
    },
    3: {
      tests: [
        [
          AGEING,
          'group 11 Must show 3: six hours with a pause of two are 4 h, a minute more is the next bucket',
        ],
      ],
    },
    4: {
      tests: [
        [
          AGEING,
          'group 11 Must show 4: 5 min 0 s are in the first bucket, a second more in the next, who was not accepted in none; a row adds up',
        ],
      ],
    },
    5: { tests: [[STATISTICS, 'group 11 Must show 5: 1 of 1 and 1 of 9 in time are 20.0 % together']] },
    6: {
      tests: [
        [
          STATISTICS,
          'group 11 Must show 6: a page keeps its instant, whatever happens to its orders meanwhile',
        ],
      ],
    },
    7: {
      tests: [
        [
          STATISTICS,
          'group 11 Must show 7: a frozen month stays as it was; the current one says what changed since',
        ],
      ],
    },
    8: {
      tests: [
        [
          OPEN,
          'group 11 Must show 8: foreign projects do not exist, without one only the own rows come, with nothing to act on',
        ],
      ],
    },
    9: {
      tests: [
        [
          OPEN,
          'group 11 Must show 9: what is no figure, no value or too long a period is refused, never answered with everything',
        ],
      ],
    },
    10: {
      tests: [
        [STATISTICS, 'group 11 Must show 10: a merchant sees its own orders of goods and services only'],
      ],
    },
    11: {
      tests: [
        [
          STATISTICS,
          'group 11 Must show 11: freezing twice at once and after an end in the middle gives one snapshot per project',
        ],
      ],
    },
  },
});
