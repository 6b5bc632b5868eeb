import { defineMustShow } from '../../testing/must-show.ts';

const GATE = 'src/features/system/gate-log/gate-log.test.ts';
const LOG = 'src/features/system/business-log/business-log.test.ts';
const SETTINGS = 'src/features/system/dictionary/setting.test.ts';
const DICTIONARY = 'src/features/system/dictionary/dictionary.test.ts';
const JOBS = 'src/kernel/server/tasks/job-run.test.ts';
const ROAD_GATE = 'src/features/system/road-gate/road-gate.test.ts';
const REPORT = 'src/features/system/registration-report/registration-report.test.ts';

export const mustShow = defineMustShow({
  group: '09',
  count: 16,
  lines: {
    1: {
      tests: [
        [
          REPORT,
          'group 09 Must show 1: 200 houses, 50 normal, 3 reviewing: 50, 25.00%, 150 behind the click',
        ],
      ],
    },
    2: {
      tests: [
        [REPORT, 'group 09 Must show 2: 50/200 and 10/10 make 28.57%'],
        [
          'src/features/system/coverage/coverage.test.ts',
          'group 09 Must show 2 (coverage): 50 of 200 and 10 of 10 make 28.57%, every figure opens its houses',
        ],
      ],
    },
    3: {
      tests: [
        [
          'src/features/system/points-rule/points-rule-events.test.ts',
          'group 09 Must show 3: rule A003 of 10 points, 25 a day: the third event books 5, the fourth 0; one event ten times at once books once',
        ],
      ],
    },
    4: {
      tests: [
        [
          'src/features/system/points-rule/points-rule.test.ts',
          'group 09 Must show 4: a second rule of the event and project is refused with the code of the first',
        ],
      ],
    },
    5: {
      tests: [
        [
          'src/features/system/sensitive-word/sensitive-word.test.ts',
          'Must show 5: word 加微信 with variants: the test box marks 加 微-信, the level decides, and disabling acts on a second instance',
        ],
        [
          'src/features/system/sensitive-word/sensitive-word.test.ts',
          'group 09 Must show 5: a word of level block refuses a post of the app; disabled it refuses none, on a second instance too',
        ],
      ],
    },
    6: {
      tests: [
        [
          'src/features/system/sensitive-word/sensitive-word.test.ts',
          'Must show 6: import of 1,000 words with 3 too long and 2 doubles: the dry run lists 5 rows, the commit of the good ones writes 995',
        ],
      ],
    },
    7: {
      tests: [
        [JOBS, 'group 09 Must show 7: every minute, two instances, 10 minutes: 10 runs, each once'],
        [
          JOBS,
          'group 09 Must show 7: a server killed during a run: retried after the lease, one success per due time',
        ],
        [JOBS, 'group 09 Must show 7: 5 minutes down with run_once: one 补跑, told once'],
      ],
    },
    8: {
      tests: [
        [
          SETTINGS,
          'group 09 Must show 8: an override of one project counts there alone, limits are kept, the history puts back',
        ],
      ],
    },
    11: {
      tests: [
        [
          'src/features/system/protocol-version/protocol-version.test.ts',
          'Must show 11: agreement 1.1 scheduled for tomorrow 00:00: 1.0 archived and 1.1 published by the run of the minute, editing 1.0 is refused',
        ],
      ],
    },
    14: {
      tests: [
        [
          DICTIONARY,
          'group 09 Must show 14: used by 3 contracts a value stays, disabled it is no longer offered and keeps its label',
        ],
        [DICTIONARY, 'a value is never deleted under a row that is just being written with it'],
        [
          'src/features/system/biz-dict/biz-dict-contracts.test.ts',
          'group 09 Must show 14: a kind that 3 contracts have stays, named with the count; disabled it is offered no more',
        ],
      ],
    },
    15: {
      tests: [
        [
          DICTIONARY,
          'group 09 Must show 15: for company staff dictManager is not in the menu and every call of it answers 403',
        ],
        [REPORT, 'group 09 Must show 15 (registration): company staff see their project only'],
        [ROAD_GATE, 'group 09 Must show 15 (gates): company staff see the gates of their project only'],
        [
          'src/features/system/user-live/user-live.test.ts',
          'group 09 Must show 15 (activity): company staff see the activity of their project only',
        ],
        [
          'src/features/system/coverage/coverage.test.ts',
          'group 09 Must show 15 (coverage): company staff see the coverage of their project only',
        ],
      ],
    },
    9: {
      tests: [
        [
          LOG,
          'group 09 Must show 9: a member who changes the phone in the app is shown masked before and after; a number has one member',
        ],
        [
          LOG,
          'group 09 Must show 9: a changed phone is shown masked before and after; a record changed in the database is named',
        ],
      ],
    },
    10: {
      tests: [
        [
          GATE,
          'group 09 Must show 10: a failing call has its row, the same trace shows error and business changes, and no password, token or code',
        ],
        [
          GATE,
          'group 09 Must show 10: the trace of a failing call shows its spans with the fault, the error and the business changes, and no secret',
        ],
      ],
    },
    12: {
      tests: [
        [
          ROAD_GATE,
          'group 09 Must show 12: no answer is told after 5 s, the event has operator and reason, a second click within 10 s is 429',
        ],
      ],
    },
    16: {
      tests: [
        [
          'src/features/system/launch-advert/launch-advert.test.ts',
          'group 09 Must show 16: past its end a page is withdrawn by the run of the minute; of six published the app lists five',
        ],
      ],
    },
    13: {
      tests: [
        [
          'src/features/system/mall-payment/mall-payment.test.ts',
          'group 09 Must show 13: no answer, log, export or audit record has the secret; after switching the channel an old order is refunded through the old account',
        ],
      ],
    },
  },
});
