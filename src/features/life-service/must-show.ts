import { defineMustShow } from '../../testing/must-show.ts';

const RULES = 'src/domain/receivable/receivable.rules.test.ts';
const RECEIPT = 'src/features/life-service/receipt/receipt.test.ts';
const AGEING = 'src/features/life-service/receivable-ageing/receivable-ageing.test.ts';
const ORDER = 'src/features/life-service/package-order/package-order.test.ts';
const ORDER_RULES = 'src/domain/life-service/package-order.rules.test.ts';
const PACKAGE = 'src/features/life-service/package/package.test.ts';

export const mustShow = defineMustShow({
  group: '19',
  count: 14,
  lines: {
    1: {
      tests: [
        [PACKAGE, 'group 19 Must show 1: 1,000.00 in three equal parts'],
        [ORDER_RULES, 'group 19 Must show 1: parts are due today, a month and two months later'],
        [
          ORDER,
          'group 19 Must show 1: 1,000.00 in three parts, due today and a month apart, issued once by five confirmations at once',
        ],
      ],
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
    5: {
      tests: [
        [
          ORDER_RULES,
          'group 19 Must show 5: three uses of 150.00 leave 750.00 of 1,200.00; of 400.00 they leave 50.00 to pay',
        ],
        [
          ORDER,
          'group 19 Must show 5: three uses of 150.00 of 1,200.00: 750.00 are shown, then booked; of 400.00 paid 50.00 are still to be paid',
        ],
      ],
    },
    6: {
      tests: [
        [RULES, 'group 19 Must show 6: columns of an ageing table'],
        [
          AGEING,
          'group 19 Must show 6: 100.00 due 1 Nov, 200.00 due 30 Sep, 300.00 due 1 Dec as of 2026-11-21, each cell opens its line',
        ],
      ],
    },
    7: {
      tests: [
        [RULES, 'group 19 Must show 7: 30 days at 1825 bp on 10,000.00 are 150.00, and never above 3,000.00'],
        [
          AGEING,
          'group 19 Must show 7: level 2 of 30 days books 150.00 interest and 20.00 fee once; charges stop at 30 percent',
        ],
      ],
    },
    8: {
      tests: [
        [
          AGEING,
          'group 19 Must show 8: level 2 is not sent on the day of level 1; promised or disputed lines are not proposed',
        ],
      ],
    },
    9: {
      tests: [
        [
          ORDER,
          'group 19 Must show 9: of two who redeem the twelfth at once one is refused; undone it is there again',
        ],
      ],
    },
    10: {
      tests: [
        [ORDER_RULES, 'group 19 Must show 10: a term from 2027-01-01 ends a day before the same day'],
        [
          ORDER,
          'group 19 Must show 10: a renewal 20 days before the end starts the day after it, at the full price, once',
        ],
      ],
    },
    11: {
      tests: [
        [
          RECEIPT,
          'group 19 Must show 11: a bank file of twenty rows imported twice makes twenty receipts; a code in the note is exact',
        ],
      ],
    },
    12: {
      tests: [
        [
          RECEIPT,
          'group 19 Must show 12: written off by somebody else it leaves the ageing; 300.00 that come later open it again',
        ],
      ],
    },
    13: {
      tests: [
        [
          'src/features/public-resource/contract/contract.test.ts',
          'group 19 Must show 13: a line issued here is collected by a receipt; the list shows it settled with the code of the receipt',
        ],
      ],
    },
    14: {
      tests: [
        [
          AGEING,
          'group 19 Must show 14 (ageing): a collector of one project sees no total and no cell of another',
        ],
        [
          RECEIPT,
          'group 19 Must show 14 (lines): a collector of one project sees, counts and allocates nothing of another',
        ],
      ],
    },
  },
});
