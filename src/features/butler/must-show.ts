import { defineMustShow } from '../../testing/must-show.ts';

const RULES = 'src/domain/butler/butler.rules.test.ts';
const RESULTS = 'src/features/butler/achievement/attribution.test.ts';
const CALLS = 'src/features/butler/butler.test.ts';
const INFORMATION = 'src/features/butler/information/information.test.ts';
const REMIND = 'src/features/butler/remind/remind.test.ts';

export const mustShow = defineMustShow({
  group: '12',
  count: 13,
  lines: {
    1: {
      tests: [
        [
          RULES,
          'group 12 Must show 1 (rules): the example earns 17.62 shared and 8.81 served; 72 h still count, a minute more does not',
        ],
        [
          RESULTS,
          'group 12 Must show 1: a visit 71 h 59 min before the payment earns 17.62 shared, one 72 h 01 min before 8.81 served',
        ],
      ],
    },
    2: {
      tests: [
        [
          RULES,
          'group 12 Must show 2 (rules): one piece of A less is 5.00 less, and afterwards it is taken back',
        ],
        [
          RESULTS,
          'group 12 Must show 2: a piece back while frozen leaves 12.62; after the batch is paid the next one holds −5.00',
        ],
      ],
    },
    3: {
      tests: [
        [
          RESULTS,
          'group 12 Must show 3: paid on 30 November at 23:59:59 is the old butler’s, on 1 December at 00:00:00 the new one’s',
        ],
      ],
    },
    4: {
      tests: [
        [
          CALLS,
          'group 12 Must show 4: the sum over 137 butlers is that of 14 pages to the fen; order counts equal the row',
        ],
      ],
    },
    5: {
      tests: [
        [
          CALLS,
          'group 12 Must show 5: a butler gets the own row whoever is asked for; a supervisor sees the own project only',
        ],
      ],
    },
    6: {
      tests: [
        [RULES, 'group 12 Must show 6 (rules): 35,000.00 and 92 points earn 330.00, without a score 300.00'],
        [
          RESULTS,
          'group 12 Must show 6: 35,000.00 of a month with 92 points confirmed are a bonus of 330.00, unconfirmed 300.00',
        ],
      ],
    },
    7: {
      tests: [
        [
          RULES,
          'group 12 Must show 7 (rules): 6,000.00 over a cap of 5,000.00 lose 1,000.00, the bonus stays',
        ],
        [
          RESULTS,
          'group 12 Must show 7: sales of 6,000.00 over the cap of 5,000.00 are cut by 1,000.00; the bonus is paid besides',
        ],
      ],
    },
    8: {
      tests: [
        [
          CALLS,
          'group 12 Must show 8: two make the batch of a month at once, one stands, the other is told its code',
        ],
      ],
    },
    9: {
      tests: [
        [
          CALLS,
          'group 12 Must show 9: the maker cannot pay, somebody else not without a proof; with it all rows are paid',
        ],
      ],
    },
    10: {
      tests: [
        [
          INFORMATION,
          'group 12 Must show 10 (butlers): a second main butler of a house is refused by house and butler, nothing of the new one is saved',
        ],
        [
          RESULTS,
          'group 12 Must show 10: a house gets no second main butler for overlapping dates; house and butler are named, nothing is saved',
        ],
      ],
    },
    11: {
      tests: [
        [RESULTS, 'group 12 Must show 11: 200 hits in a minute from one address are stored, one counts'],
      ],
    },
    12: {
      tests: [
        [
          REMIND,
          'group 12 Must show 12: of ten butlers six read and two shared; the export stands in both lists, first running, then to download',
        ],
      ],
    },
    13: {
      tests: [
        [
          RESULTS,
          'group 12 Must show 13: 3 % became 5 % at 12:00; what was paid at 11:59 keeps 3 %, rule and version with it',
        ],
      ],
    },
  },
});
