import { defineMustShow } from '../../testing/must-show.ts';

const ORGANISATION = 'src/features/base-data/organisation/organisation.test.ts';

export const mustShow = defineMustShow({
  group: '15',
  partly: true,
  lines: {
    1: {
      tests: [
        [
          ORGANISATION,
          'Must show 1: 华东公司 › 上海中心 › 浦东管理处 with two projects hung: the three cascades answer exactly these to the platform, and to a centre-city user of 上海 only his branch',
        ],
      ],
    },
    2: {
      tests: [
        [
          ORGANISATION,
          'Must show 2: moving 浦东 from 上海 to 苏州 lists 2 projects, 5 staff who lose rows and 3 who gain; both sides follow within a second; last month still shows 上海',
        ],
      ],
    },
    3: {
      tests: [
        [
          ORGANISATION,
          'Must show 3: a centre with an enabled project is not stopped and says the number; a merged node is in no picker, its history stays',
        ],
      ],
    },
    4: {
      tests: [
        [
          ORGANISATION,
          'Must show 4: one wrong digit of the credit code is told at the field; a second centre for the same city is refused',
        ],
      ],
    },
    5: {
      tests: [
        [
          ORGANISATION,
          'Must show 5: of two who save the same node the second gets 30101 with the row as it is now',
        ],
      ],
    },
    6: {
      tests: [
        [
          ORGANISATION,
          'Must show 6: an import of 50 takes a child before its parent, names the unknown region, and writes nothing before it is confirmed',
        ],
      ],
    },
    15: {
      tests: [
        [
          ORGANISATION,
          'Must show 15: a centre-city user sees the organisations of his branch; those of another company answer 404 by id',
        ],
      ],
      missing: 'The accounts of another company and of the branch: see the payee accounts.',
    },
  },
});
