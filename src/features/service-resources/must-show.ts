import { defineMustShow } from '../../testing/must-show.ts';

const MERCHANT = 'src/features/service-resources/merchant/merchant.test.ts';
const TERMS = 'src/features/service-resources/merchant/merchant-terms.test.ts';
const RULES = 'src/domain/merchant/merchant.rules.test.ts';

export const mustShow = defineMustShow({
  group: '03',
  count: 12,
  lines: {
    1: {
      tests: [
        [
          'src/features/service-resources/company/company.test.ts',
          'group 03 Must show 1: a project of another company is neither offered nor taken, and nothing is made',
        ],
      ],
    },
    2: {
      tests: [
        [MERCHANT, 'group 03 Must show 2: a new merchant has an account and a password that is told once'],
      ],
    },
    3: {
      tests: [[MERCHANT, 'group 03 Must show 3: an order is bound to the version in force when it was paid']],
    },
    4: { tests: [[RULES, 'bands follow each other from 0 to the open end']] },
    5: { tests: [[MERCHANT, 'group 03 Must show 5: a merchant sees itself, another one does not exist']] },
    6: {
      tests: [
        [
          TERMS,
          'group 03 Must show 6: a lapsed certificate takes goods off the shelf, and just those come back',
        ],
      ],
    },
    7: { tests: [[TERMS, 'group 03 Must show 7: a merchant opens when its deposit is there']] },
    8: {
      tests: [
        [
          TERMS,
          'group 03 Must show 8: two open orders and a payable of -38.92 keep a merchant from being closed, each with its link',
        ],
      ],
    },
    9: {
      tests: [
        [
          MERCHANT,
          'onboarding is decided by somebody else; group 03 Must show 9: two reviewers in the same second: one decision',
        ],
      ],
    },
    10: { tests: [[MERCHANT, 'group 03 Must show 10: disabling a merchant ends the sessions of its staff']] },
    11: {
      tests: [
        [
          'src/features/service-resources/boss-account/merchant-payee.test.ts',
          'group 03 Must show 11: 37 fen are transferred; 36 and 38 leave one try, 37 verifies; within 24 h nothing is paid out',
        ],
      ],
    },
    12: {
      tests: [
        [TERMS, 'group 03 Must show 12: an import names duplicate licences, the good rows become drafts'],
      ],
    },
  },
});
