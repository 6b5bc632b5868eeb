import { defineMustShow } from '../../testing/must-show.ts';

const RULES = 'src/domain/decision/decision.rules.test.ts';
const DECISION = 'src/features/owners-circle/decision/decision.test.ts';

export const mustShow = defineMustShow({
  group: '10',
  /** Groups, activities, their posts and reports come with their screens. */
  partly: true,
  lines: {
    10: {
      tests: [
        [RULES, 'group 10 Must show 10 (rules): 36 of 70 pass, 35 do not; special needs 53 and 4,725 m²'],
        [
          DECISION,
          'group 10 Must show 10: 36 of 100 houses agree, 70 take part: 36.00 %, 70.00 %, passed; 35 do not pass',
        ],
      ],
    },
    11: {
      tests: [
        [
          DECISION,
          'group 10 Must show 11: two owners of a house vote at the same moment, one ballot counts, one is superseded',
        ],
      ],
    },
    12: {
      tests: [
        [
          DECISION,
          'group 10 Must show 12: a tenant is refused, so is a ballot after the end while the job is late; the result equals the counts',
        ],
      ],
    },
    13: {
      tests: [
        [DECISION, 'group 10 Must show 13: a running decision keeps its thresholds when the setting changes'],
      ],
    },
    14: {
      tests: [
        [
          DECISION,
          'group 10 Must show 14: a secret ballot shows no choice of a house in roll, ballots, sheet or the kept event',
        ],
      ],
      missing: 'the audit record of a paper ballot and the export of the roll',
    },
    15: {
      tests: [
        [
          DECISION,
          'group 10 Must show 15: decisions of another project stand in no list and answer 404 by id',
        ],
      ],
      missing: 'cases, activities and groups',
    },
  },
});
