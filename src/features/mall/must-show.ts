import { defineMustShow } from '../../testing/must-show.ts';

const ORDER = 'src/features/mall/goods-order/goods-order.test.ts';
const EXAMPLES = 'src/features/after-sales/refund/refund-examples.test.ts';
const AUDIT = 'src/features/after-sales/refund/refund-audit.test.ts';
const SALES = 'src/features/mall/sales-analysis/sales-analysis.test.ts';
const GROUPS = 'src/features/mall/group-buy/group-buy.test.ts';

export const mustShow = defineMustShow({
  group: '08',
  lines: {
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
    4: {
      tests: [
        [
          'src/features/mall/coupon/coupon-claim.test.ts',
          'group 08 Must show 4: coupon total 50, per person 1: 200 parallel claims by 100 members',
        ],
      ],
    },
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
        [
          GROUPS,
          'group 08 Must show 8: group of 3, two paid, the deadline passes: failed once, orders closed, full refunds with freight, copies and limits back',
        ],
      ],
    },
    9: {
      tests: [
        [
          GROUPS,
          'group 08 Must show 9: the last seat of a team, many payers at once: one joins, exactly 3 members; the others lead their own team or are refused',
        ],
      ],
    },
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
        [
          'src/features/mall/product-review/product-review.test.ts',
          'group 08 Must show 11 (the screen): the queue names the change, the detail stands both versions side by side, passing makes it live',
        ],
      ],
    },
    12: {
      tests: [
        [
          'src/features/mall/goods-order/order-delivery.test.ts',
          'group 08 Must show 12: a no-delivery district refuses quote and order naming the lines, removing it passes',
        ],
        [
          'src/features/mall/no-delivery-area/no-delivery-area.test.ts',
          'group 08 Must show 12 (the screen): the saved set refuses quote and order, the set without the district passes',
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
    15: {
      tests: [
        [
          'src/features/mall/account-statement/statement.test.ts',
          'group 08 Must show 15: 12,345.67 confirmed; a voucher of 12,345.66 is refused, 12,345.67 settles it',
        ],
      ],
    },
  },
});
