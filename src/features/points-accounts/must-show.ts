import { defineMustShow } from '../../testing/must-show.ts';

const ACCOUNT = 'src/features/points-accounts/account/account.test.ts';
const REBATE = 'src/features/points-accounts/rebate/rebate.test.ts';
const SEND = 'src/features/points-accounts/send/send.test.ts';

export const mustShow = defineMustShow({
  group: '22',
  lines: {
    1: {
      tests: [
        [ACCOUNT, 'group 22 Must show 1: E1 to E3 show in lots and account'],
        [
          'src/features/mall/member-trade/member-trade.test.ts',
          'group 22 Must show 1 (the app): E1 to E3 by orders and refunds as an app makes them',
        ],
      ],
    },
    2: { tests: [[ACCOUNT, 'group 22 Must show 2: E7 ends with a debt that the next sign-in repays']] },
    3: { tests: [[ACCOUNT, 'group 22 Must show 3: 50 parallel redemptions of 10 on 300']] },
    4: {
      tests: [[ACCOUNT, 'group 22 Must show 4: the same grant five times at once is one lot and one line']],
    },
    5: { tests: [[SEND, 'group 22 Must show 5: a small batch needs nobody, a large one somebody else']] },
    6: {
      tests: [
        [
          SEND,
          'group 22 Must show 6: what one batch holds another cannot; rejecting the first makes it pass',
        ],
      ],
    },
    7: { tests: [[SEND, 'group 22 Must show 7: a recall gives back what is neither spent nor held']] },
    8: {
      tests: [
        [
          SEND,
          'group 22 Must show 8: a worker killed in the middle and three started again send 400 lines once each',
        ],
      ],
    },
    9: {
      tests: [
        [
          SEND,
          'group 22 Must show 9: an import names rows and columns of what is wrong, the good ones become lines',
        ],
      ],
    },
    10: {
      tests: [
        [
          REBATE,
          'group 22 Must show 10: 1,280.00 gives 600 pending, 300.00 back leaves 450, the rest back takes 450',
        ],
      ],
    },
    11: {
      tests: [
        [
          REBATE,
          'group 22 Must show 11: of 600 the house-year cap of 3,000 leaves 200; at once it is not passed either',
        ],
      ],
    },
    12: {
      tests: [
        [
          ACCOUNT,
          'group 22 Must show 12: a frozen account redeems nothing, grants arrive, unfrozen it works',
        ],
      ],
    },
    13: {
      tests: [
        [ACCOUNT, 'group 22 Must show 13: staff of one project neither open nor count accounts of another'],
      ],
    },
    14: {
      tests: [
        [ACCOUNT, 'group 22 Must show 14: an entry changed by SQL is named with what is found and expected'],
      ],
    },
    15: {
      tests: [[ACCOUNT, 'group 22 Must show 15: a correction below zero needs the tick, and the right']],
    },
  },
});
