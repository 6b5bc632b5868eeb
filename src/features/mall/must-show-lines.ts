/** A test by its file, seen from src or e2e, and its whole name as written there (for `test.each`: the written pattern). */
export type Proof = readonly [file: string, test: string];

/** What shows a line of a group file: the tests that prove all of it together, and what is not built yet. */
export interface ShownLine {
  readonly tests: readonly Proof[];
  /** The part of the line that belongs to something the product does not have yet. */
  readonly missing?: string;
}

const ORDER = 'src/features/mall/goods-order/goods-order.test.ts';
const EXAMPLE = 'src/features/mall/goods-order/order-refund-example.test.ts';
const EXAMPLES = 'src/features/after-sales/refund/refund-examples.test.ts';
const AUDIT = 'src/features/after-sales/refund/refund-audit.test.ts';
const CHANNEL = 'src/features/after-sales/refund/refund-channel.test.ts';
const REFUND = 'src/features/after-sales/refund/refund-must-show.test.ts';
const RULES = 'src/domain/trade-money/refund.test.ts';
const SALES = 'src/features/mall/sales-analysis/sales-analysis.test.ts';

/** Service orders and appointments are not built; their refund arithmetic is, as rules without a screen. */
const NO_VISITS = 'service orders and appointments (mm_reservationOrder_wx, mm_appointment)';
const NO_TEAMS = 'group-buy teams (mm_groupManagement, mk_makeGroup): joining, seats, deadlines';
const NO_CASES = 'after-sale cases (am_orderlist)';
const NO_STATEMENTS = 'statements of merchants (mm_accountStatement, group 13)';

/** The lines "Must show" of groups 07 (those that name refunds), 08 and 21. must-show-lines.test.ts holds them to the files. */
export const MUST_SHOW: Readonly<Record<'07' | '08' | '21', Readonly<Record<number, ShownLine>>>> = {
  '07': {
    5: {
      tests: [
        [
          RULES,
          'example 5, group 07 Must show 5: service cancelled 10 h, 30 h and by the merchant before the visit',
        ],
      ],
      missing: NO_VISITS,
    },
    6: {
      tests: [
        [RULES, 'group 07 Must show 6: no-show, at 100 % nothing is returned; a waiver finds everything'],
      ],
      missing: NO_VISITS,
    },
    9: {
      tests: [[RULES, 'group 07 Must show 9: package of four visits, one done, 3/4 of the line']],
      missing: NO_VISITS,
    },
    14: {
      tests: [
        [
          REFUND,
          'group 07 Must show 14: three in 待我审核, two after one; an own application is not among them',
        ],
        [
          'e2e/refund-journey.test.ts',
          'passes one, rejects one, restarts a failed one; order, timeline and money follow',
        ],
      ],
    },
  },
  '08': {
    1: {
      tests: [
        [ORDER, 'group 08 Must show 1: quote and two orders with the shares of the table'],
        [
          'e2e/mall.test.ts',
          'group 08 Must show 1 (the page): the orders of example A show 99.41, 42.99 and 142.40; the explain panel lists steps 10 to 50',
        ],
      ],
    },
    2: {
      tests: [
        [ORDER, 'group 08 Must show 2: a price raised before submit refuses the order and reserves nothing'],
      ],
    },
    3: {
      tests: [
        [
          'src/features/mall/goods-order/stock-race.test.ts',
          'group 08 Must show 3: stock 100, 300 orders of one from two instances, then all close',
        ],
      ],
    },
    4: { tests: [], missing: 'claiming of coupons by members (mm_couponManagement)' },
    5: {
      tests: [
        [
          'src/features/mall/goods-order/order-shipping.test.ts',
          'group 08 Must show 5: three units: two, then two more refused, then one',
        ],
      ],
    },
    6: {
      tests: [
        [ORDER, 'group 08 Must show 6: five callbacks have one effect'],
        [
          ORDER,
          'group 08 Must show 6: a wrong amount fails the payment, the order stays, the money goes back once',
        ],
      ],
    },
    7: {
      tests: [[ORDER, 'group 08 Must show 7: money after closing is refunded, the order stays closed']],
    },
    8: {
      tests: [
        [
          EXAMPLES,
          'group 21 Must show 14, group 08 Must show 8 (refunds): a failed team, no audit, freight included, points and coupon back once; nothing to pay needs no channel',
        ],
      ],
      missing: NO_TEAMS,
    },
    9: { tests: [], missing: NO_TEAMS },
    10: {
      tests: [
        [
          'src/features/mall/goods-order/order-paths.test.ts',
          'group 08 Must show 10: a merchant sees its own orders whatever it asks for',
        ],
        [
          'src/features/mall/product/product-scope.test.ts',
          'group 08 Must show 10: another merchant sees nothing, whatever it asks for',
        ],
      ],
    },
    11: {
      tests: [
        [
          'src/features/mall/product/product-review.test.ts',
          'group 08 Must show 11: the live price stays, the desk.reviewer sees +50.25 %, the author may not pass it',
        ],
      ],
      missing: 'the screen of the review (mm_commodityApprove); its command and its difference are proven',
    },
    12: {
      tests: [
        [
          'src/features/mall/goods-order/order-delivery.test.ts',
          'group 08 Must show 12: a no-delivery district refuses quote and order naming the lines, removing it passes',
        ],
      ],
    },
    13: {
      tests: [
        [
          ORDER,
          'group 08 Must show 13: 10.00 off splits 5.71 / 4.29, points and coupons stay, the checkout becomes 132.40',
        ],
      ],
    },
    14: {
      tests: [
        [SALES, 'group 08 Must show 14: 61 days are refused, 60 days are not; the ring sums to the table'],
        [
          SALES,
          'group 08 Must show 14: a figure opens exactly its orders, a refund figure exactly its refunds',
        ],
        [
          AUDIT,
          'the filter by success day holds every success; that of the sales analysis no refund of a team that never formed',
        ],
      ],
    },
    15: { tests: [], missing: NO_STATEMENTS },
  },
  '21': {
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
    10: { tests: [], missing: NO_CASES },
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
      ],
      missing: NO_CASES,
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
      ],
      missing: NO_STATEMENTS,
    },
  },
};
