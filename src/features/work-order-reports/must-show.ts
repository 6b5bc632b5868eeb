import { defineMustShow } from '../../testing/must-show.ts';

const STATISTICS = 'src/features/work-order-reports/order-statistics/order-statistics.test.ts';

export const mustShow = defineMustShow({
  group: '11',
  partly: true,
  lines: {
    1: {
      tests: [
        [
          STATISTICS,
          'group 11 Must show 1: ten orders, completion 7 ÷ 9, each figure lists exactly its orders',
        ],
      ],
      missing: 'percentages in the rings, the address opened in a new window',
    },
    2: {
      tests: [[STATISTICS, 'group 11 Must show 2: 5 met, 2 failed, 1 running is 71.4 %']],
      missing: 'the numbers of the formula on hover',
    },
    5: { tests: [[STATISTICS, 'group 11 Must show 5: 1 of 1 and 1 of 9 in time are 20.0 % together']] },
    10: {
      tests: [
        [STATISTICS, 'group 11 Must show 10: a merchant sees its own orders of goods and services only'],
      ],
    },
  },
});
