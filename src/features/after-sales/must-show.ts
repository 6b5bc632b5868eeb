import { defineMustShow } from '../../testing/must-show.ts';

const EXAMPLE = 'src/features/mall/goods-order/order-refund-example.test.ts';
const EXAMPLES = 'src/features/after-sales/refund/refund-examples.test.ts';
const AUDIT = 'src/features/after-sales/refund/refund-audit.test.ts';
const CHANNEL = 'src/features/after-sales/refund/refund-channel.test.ts';
const REFUND = 'src/features/after-sales/refund/refund-must-show.test.ts';
const CASES = 'src/features/after-sales/case/case.test.ts';

export const mustShow = defineMustShow({
  group: '21',
  lines: {
    1: {
      tests: [
        [
          EXAMPLES,
          'group 21 Must show 1: worked example 1, order M1 of example A in two refunds, M2 gives the platform coupon back',
        ],
        [
          EXAMPLE,
          'group 21 Must show 1: worked example 1 by the calls of the order page: R1, R2, then the order of the other merchant',
        ],
      ],
    },
    2: {
      tests: [
        [
          EXAMPLES,
          'group 21 Must show 2: recheck, 10.00 with the formula, then exactly 100.00, then nothing',
        ],
      ],
    },
    3: {
      tests: [
        [
          CHANNEL,
          'group 21 Must show 3: 200 parallel requests of one unit of three: one at a time, never above paid, ends exactly at paid',
        ],
      ],
    },
    4: {
      tests: [
        [
          AUDIT,
          'group 21 Must show 4: two auditors press pass, one 退款中, one 该退款已被处理, one channel call',
        ],
      ],
    },
    5: {
      tests: [
        [
          CHANNEL,
          'group 21 Must show 5: failure with the channel text, restart twice quickly: one call with the same number, everything once',
        ],
      ],
    },
    6: {
      tests: [
        [
          CHANNEL,
          'group 21 Must show 6: the answer is lost, the query finds the success; one refund, one ledger entry',
        ],
        [
          CHANNEL,
          'group 21 Must show 6: killed while the effect ran, the repeated delivery asks before it sends',
        ],
      ],
    },
    7: {
      tests: [
        [AUDIT, 'group 21 Must show 7: staff applies 800.00, cannot pass it, a colleague can'],
        [AUDIT, 'group 21 Must show 7: 2,500.00 needs finance; badge of finance 1, of the first auditor 0'],
      ],
    },
    8: {
      tests: [
        [REFUND, 'group 21 Must show 8: 120 waiting in scope, none for merchant B, 119 after one'],
        // 99+, 3 and none in the side menu, asked once a load: line 7 of the frame.
        ['e2e/frame-lines.ts', 'badge of refunds: 99+, 3, none; asked once per load'],
      ],
    },
    9: {
      tests: [
        [AUDIT, 'group 21 Must show 9: without reason 422 at the field; with reason the order is as before'],
        [EXAMPLE, 'group 21 Must show 9: units of a rejected refund can be shipped again'],
      ],
    },
    10: {
      tests: [
        [
          CASES,
          'group 21 Must show 10: 7 days without tracking → 已撤销; 10 days without receipt → the refund starts by itself',
        ],
      ],
    },
    11: {
      tests: [
        [
          AUDIT,
          'group 21 Must show 11: 366 days after payment, pass refused naming the offline way; offline by two people',
        ],
      ],
    },
    12: {
      tests: [
        [
          AUDIT,
          "group 21 Must show 12: merchant A with B's id, 404 and nothing changes; count, list, search, detail and export hold A's only",
        ],
      ],
    },
    13: {
      tests: [
        [
          REFUND,
          'group 21 Must show 13 (the refund): 2 of 3 returned units, exactly two; the third stays free',
        ],
        [
          CASES,
          'group 21 Must show 13: 2 of 3 returned units accepted → a refund of exactly 2, the third is free',
        ],
      ],
    },
    14: {
      tests: [
        [
          EXAMPLES,
          'group 21 Must show 14, group 08 Must show 8 (refunds): a failed team, no audit, freight included, points and coupon back once; nothing to pay needs no channel',
        ],
      ],
    },
    15: {
      tests: [
        [
          REFUND,
          'group 21 Must show 15 (the source): merchant-liable refunds give rows by bearer, platform-liable none',
        ],
        [
          REFUND,
          'group 21 Must show 15: a settled order, 10.00 back: platform-liable is no row of the next draft, merchant-liable a negative row that names the paid statement',
        ],
      ],
    },
  },
});
