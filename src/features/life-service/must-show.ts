import { defineMustShow } from '../../testing/must-show.ts';

const RULES = 'src/domain/receivable/receivable.rules.test.ts';
const RECEIPT = 'src/features/life-service/receipt/receipt.test.ts';
const PACKAGE = 'src/features/life-service/package/package.test.ts';

export const mustShow = defineMustShow({
  group: '19',
  /** Lines of orders, ageing and dunning come with their screens. */
  partly: true,
  lines: {
    1: {
      tests: [[PACKAGE, 'group 19 Must show 1: 1,000.00 in three equal parts']],
      missing: 'due days, codes and the parallel confirmation come with package orders',
    },
    2: {
      tests: [
        [RULES, '500.00 over 333.34 and 333.33: the first is paid, the second keeps 166.67'],
        [
          RECEIPT,
          'group 19 Must show 2: 500.00 over two lines pays the first, the second keeps 166.67; 700.00 leaves 33.33 prepaid',
        ],
      ],
    },
    3: {
      tests: [
        [
          RECEIPT,
          'group 19 Must show 3: two receipts of 300.00 for one receivable of 300.00 confirmed at once, one is refused',
        ],
      ],
    },
    4: {
      tests: [
        [
          RECEIPT,
          'group 19 Must show 4: the recorder does not confirm, another does; the reversal opens the receivable again',
        ],
      ],
    },
    6: {
      tests: [[RULES, 'group 19 Must show 6: columns of an ageing table']],
      missing: 'the table itself',
    },
    7: {
      tests: [
        [RULES, 'group 19 Must show 7: 30 days at 1825 bp on 10,000.00 are 150.00, and never above 3,000.00'],
      ],
      missing: 'the levels and their run',
    },
    14: {
      tests: [
        [
          RECEIPT,
          'group 19 Must show 14 (lines): a collector of one project sees, counts and allocates nothing of another',
        ],
      ],
      missing: 'cells of the ageing table come with it; exports are held against the list by the suites',
    },
  },
});
