import { defineMustShow } from '../../testing/must-show.ts';

const PAYEE = 'src/features/base-data/payee-account/payee-account.test.ts';
const REGION = 'src/features/base-data/region/region.test.ts';

export const mustShow = defineMustShow({
  group: '15',
  partly: true,
  lines: {
    7: {
      tests: [
        [REGION, 'Must show 7: `pd` finds 浦东新区 with its path, stopping it with a project is refused'],
        [
          REGION,
          'Must show 7: pickers ask for 上海 in two picks, elsewhere in three; the tree itself keeps all levels',
        ],
        [
          REGION,
          'Must show 7: an import of the national list shows added, renamed and vanished, and deletes nothing',
        ],
      ],
    },
    8: {
      tests: [
        [
          PAYEE,
          'group 15 Must show 8: A changes an account, only B may approve, old payments keep the old account',
        ],
      ],
    },
    9: {
      tests: [
        [
          PAYEE,
          'group 15 Must show 9: the ladder chooses, and without an account a payment is refused before the channel is called',
        ],
      ],
    },
    10: {
      tests: [
        [PAYEE, 'group 15 Must show 10: the fee of 128.00 is 0.77 and goes back as 0.30 and 0.47'],
        [
          'src/domain/payee/fee.rules.test.ts',
          'a fee goes back in proportion: 50.00 and 78.00 of 128.00 return 0.30 and 0.47',
        ],
      ],
    },
    11: {
      tests: [[PAYEE, 'group 15 Must show 11: one of two overlapping assignments sent at once is stored']],
    },
    12: {
      tests: [
        [
          PAYEE,
          'group 15 Must show 12: a paid test marks the account and goes back by itself; a failed one says why and lets nobody approve',
        ],
      ],
    },
    13: {
      tests: [
        [
          PAYEE,
          'group 15 Must show 13: a certificate that ends tomorrow is told today; after its end new payments are refused and old ones refunded',
        ],
      ],
    },
    14: {
      tests: [
        [
          PAYEE,
          'group 15 Must show 14: secrets and full numbers are in no list, detail, export, difference or log; reveal is one log row',
        ],
      ],
    },
    15: {
      tests: [
        [
          PAYEE,
          'group 15 Must show 15: a company does not find the account of another one, a centre city those of its own only',
        ],
      ],
    },
  },
});
