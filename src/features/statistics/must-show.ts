import { defineMustShow } from '../../testing/must-show.ts';

const SALES = 'src/features/statistics/goods-sales/goods-sales.test.ts';
const RESULTS = 'src/features/statistics/performance/performance.test.ts';

export const mustShow = defineMustShow({
  group: '18',
  count: 12,
  lines: {
    1: {
      tests: [
        [
          SALES,
          'group 18 Must show 1: the worked order in November and December, by day of refund and of payment',
        ],
      ],
    },
    2: {
      tests: [
        [SALES, 'group 18 Must show 2: the refund rate of 25.0 % opens one refund of one piece and 87.50'],
      ],
    },
    3: {
      tests: [
        [SALES, 'group 18 Must show 3: a group order counts when its team forms, one whose team fails never'],
      ],
    },
    4: {
      tests: [
        [
          SALES,
          'group 18 Must show 4: 61 days by day are refused at the field and by the call; weeks and months may be longer',
        ],
      ],
    },
    5: {
      tests: [
        [
          SALES,
          'group 18 Must show 5: the footer over all pages is the card and the sum of the export; buyers of two products count once',
        ],
      ],
    },
    6: {
      tests: [
        [
          SALES,
          'group 18 Must show 6: a closed month stays as it is, what comes back later is a correction of its own day',
        ],
      ],
    },
    7: {
      tests: [
        [
          RESULTS,
          'group 18 Must show 7: 4,000.00 of 10,000.00 on day 12 of 30 is on pace and comes to 10,000.00',
        ],
      ],
    },
    8: {
      tests: [
        [RESULTS, 'group 18 Must show 8: 10,000.00 over three who did alike is 3,333.34, 3,333.33, 3,333.33'],
      ],
    },
    9: {
      tests: [
        [
          RESULTS,
          'group 18 Must show 9: details of others need the right to see everybody, the own ones come whatever is asked',
        ],
      ],
    },
    10: {
      tests: [
        [
          RESULTS,
          'group 18 Must show 10: who moved on the 16th has days 1 to 15 in one department and the rest in the other',
        ],
      ],
    },
    11: {
      tests: [
        [
          SALES,
          'group 18 Must show 11: a merchant sees its own goods and nothing of what the platform earns',
        ],
      ],
    },
    12: {
      tests: [
        [
          SALES,
          'group 18 Must show 12: a day built twice at the same time is one set of rows with one checksum, and what differs is named',
        ],
        [SALES, 'group 18 Must show 12: a month is closed once, however many try at once'],
      ],
    },
  },
});
