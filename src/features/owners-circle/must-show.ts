import { defineMustShow } from '../../testing/must-show.ts';

const RULES = 'src/domain/decision/decision.rules.test.ts';
const GROUP = 'src/features/owners-circle/interest-group/interest-group.test.ts';
const REPORT = 'src/features/owners-circle/report/report.test.ts';
const ACTIVITY = 'src/features/owners-circle/activity/activity.test.ts';
const ACTIVITY_MONEY = 'src/features/owners-circle/activity/activity-money.test.ts';
const DECISION = 'src/features/owners-circle/decision/decision.test.ts';

export const mustShow = defineMustShow({
  group: '10',
  lines: {
    1: {
      tests: [
        [
          ACTIVITY,
          'group 10 Must show 1: 40 sign up at once for 30 seats, 30 are signed and 10 wait; one cancels, the first waiting moves up',
        ],
      ],
    },
    2: {
      tests: [
        [
          ACTIVITY_MONEY,
          'group 10 Must show 2: not paid in 15 minutes the seat is free and who waits has 2 hours; withdrawing makes one refund per paid sign-up',
        ],
      ],
    },
    3: {
      tests: [
        [
          ACTIVITY,
          'group 10 Must show 3: a limit below the seats that are taken is refused at its field; time and place are told',
        ],
      ],
    },
    4: {
      tests: [
        [
          ACTIVITY_MONEY,
          'group 10 Must show 4: the code of size 4 has 300 pixels and decodes to the check-in text; changed ones are refused, 60 minutes before the start opens it, points come once',
        ],
      ],
    },
    5: {
      tests: [
        [
          REPORT,
          'group 10 Must show 5: five of two houses leave it visible, a sixth of a third house hides it, due in 4 business hours; again counts once',
        ],
      ],
    },
    6: {
      tests: [
        [
          REPORT,
          'group 10 Must show 6: dismissed content is visible, ten reports of this version do not hide it; an edit counts anew',
        ],
      ],
    },
    7: {
      tests: [
        [
          REPORT,
          'group 10 Must show 7: a trusted author of grade 4 stays visible after 20 reports, the case leads the queue',
        ],
      ],
    },
    8: {
      tests: [
        [
          REPORT,
          'group 10 Must show 8: 30 days of one person hold 7 until a second approves; the own is refused; muted members post nothing',
        ],
      ],
    },
    9: {
      tests: [
        [
          REPORT,
          'group 10 Must show 9: a hidden group post is gone for members, its points go back, the case tells every step',
        ],
      ],
    },
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
        [
          DECISION,
          'group 10 Must show 14: what a paper ballot of a secret vote says stands in no audit record or timeline, the roll says voted or not',
        ],
      ],
    },
    15: {
      tests: [
        [
          DECISION,
          'group 10 Must show 15: decisions of another project stand in no list and answer 404 by id',
        ],
        [
          GROUP,
          'group 10 Must show 15: groups of another project stand in no list and answer 404; one of both is listed, not changed',
        ],
        [REPORT, 'group 10 Must show 15: cases of another project stand in no list and answer 404'],
        [
          ACTIVITY,
          'group 10 Must show 15: activities of another project stand in no list and answer 404; one of both is listed, not changed',
        ],
      ],
    },
  },
});
