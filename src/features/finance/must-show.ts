import { defineMustShow } from '../../testing/must-show.ts';

const INITIATE = 'src/features/finance/initiate/initiate.test.ts';
const SETTLEMENT = 'src/features/finance/settlement/settlement.test.ts';
const RECONCILIATION = 'src/features/finance/reconciliation/reconciliation.test.ts';

export const mustShow = defineMustShow({
  group: '13',
  lines: {
    1: {
      tests: [
        [
          INITIATE,
          'group 13 Must show 1: the example shows 266.75, 53.27, 7.95, payable 327.97 in preview and statement, with its working',
        ],
      ],
    },
    2: {
      tests: [
        [
          INITIATE,
          'group 13 Must show 2: after paying, one A refunded is a claw-back of 88.92 linked to the first statement; three sum to 266.75',
        ],
      ],
    },
    3: {
      tests: [
        [
          SETTLEMENT,
          'group 13 Must show 3: accrual of −38.92 is settled without payment; the next with 200.00 pays 161.08',
        ],
      ],
    },
    4: {
      tests: [
        [
          INITIATE,
          'group 13 Must show 4: two clerks make the same run at once, and again: one statement per merchant, each line once',
        ],
      ],
    },
    5: {
      tests: [
        [
          INITIATE,
          'group 13 Must show 5: a refund opened between preview and making leaves that merchant out, with both figures; others are made',
        ],
      ],
    },
    6: {
      tests: [
        [RECONCILIATION, 'group 13 Must show 6: an old fingerprint after recall and rebuild is refused'],
      ],
    },
    7: {
      tests: [
        [
          RECONCILIATION,
          'group 13 Must show 7: line B disputed at 53.93 and accepted: correction +0.66, round 2, payable 328.63; silence confirms',
        ],
      ],
    },
    8: {
      tests: [
        [
          SETTLEMENT,
          'group 13 Must show 8: the submitter has no offline pay; a voucher of 327.90 is refused; 327.97 settles, nothing is owed any more',
        ],
      ],
    },
    9: {
      tests: [
        [
          SETTLEMENT,
          'group 13 Must show 9: a silent channel leaves the payout unknown and repay refused; the query settles once, a second callback changes nothing',
        ],
      ],
    },
    10: {
      tests: [
        [
          SETTLEMENT,
          'group 13 Must show 10: the channel refuses; the money is owed again; after the payee is corrected a new number settles it',
        ],
      ],
    },
    11: {
      tests: [
        [
          RECONCILIATION,
          'group 13 Must show 11: the identity example; the next day has the 20.00; the day closes once −0.90 and 8.00 are handled',
        ],
      ],
    },
    12: {
      tests: [
        [
          RECONCILIATION,
          'group 13 Must show 12 (the desk): a payment only the channel has is filled in once, through the handler of payments',
        ],
        [
          'src/features/mall/goods-order/goods-order.test.ts',
          'group 08 Must show 7: money after closing is refunded, the order stays closed',
        ],
      ],
    },
    13: {
      tests: [
        [INITIATE, 'group 13 Must show 13 (statement): an unreconciled payment is listed X04 and left out'],
        [
          RECONCILIATION,
          'group 13 Must show 13: once the bill is imported and in order, the sale is settled',
        ],
      ],
    },
    14: {
      tests: [
        [
          'src/features/finance/withdrawal/withdrawal.test.ts',
          'group 13 Must show 14: 500.00 of a wallet of 600.00; a parallel 200.00 is refused; rejected, 600.00 stand there again',
        ],
      ],
    },
    15: {
      tests: [
        [
          SETTLEMENT,
          'group 13 Must show 15: a merchant sees its own statements only; another one and a draft answer 404',
        ],
      ],
    },
  },
});
