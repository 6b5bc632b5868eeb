import { defineMustShow } from '../../testing/must-show.ts';

const PRICES = 'src/domain/furnishing/price.test.ts';
const PACKAGES = 'src/features/home-furnishing/decor-package/decor-package.test.ts';
const ORDERS = 'src/features/home-furnishing/decor-order/decor-order.test.ts';
const CASES = 'src/features/home-furnishing/decor-case/decor-case.test.ts';
const TYPES = 'src/features/home-furnishing/house-type/house-type.test.ts';

export const mustShow = defineMustShow({
  group: '14',
  count: 14,
  lines: {
    1: {
      tests: [
        [
          PRICES,
          'worked example: 89.36 m² at 899.00 with a lock, a floor and a discount; three instalments that add up',
        ],
        [
          ORDERS,
          'group 14 Must show 1: the quote of the worked example is 80,897.14 in three instalments that add up',
        ],
      ],
    },
    2: {
      tests: [
        [
          ORDERS,
          'group 14 Must show 2: measured 90.12 m² after the deposit, the price is 81,580.38 and later instalments follow',
        ],
      ],
    },
    3: {
      tests: [
        [
          PACKAGES,
          'group 14 Must show 3 (package): a raised price becomes version 2 when it is passed; what was sold at 899.00 stays and cannot be changed',
        ],
        [
          ORDERS,
          'group 14 Must show 3 (orders): a sent quote and a running order keep 899.00, a new quote shows the new price',
        ],
      ],
    },
    4: {
      tests: [
        [
          PACKAGES,
          'group 14 Must show 4: the submitter and the first reviewer are refused, the second person publishes',
        ],
      ],
    },
    5: {
      tests: [
        [
          PACKAGES,
          'group 14 Must show 5: refused with a note at the warranty, the form shows it there and the state is 已驳回',
        ],
      ],
    },
    6: {
      tests: [
        [
          ORDERS,
          'group 14 Must show 6: an unpaid instalment stops the next node; who recorded the receipt does not confirm it',
        ],
      ],
    },
    7: {
      tests: [
        [
          ORDERS,
          'group 14 Must show 7: a failed check is rework, the worker does not check, progress is 40 % after three nodes',
        ],
      ],
    },
    8: {
      tests: [
        [
          ORDERS,
          'group 14 Must show 8: a change raises the tail; refused it changes nothing; a saving above the tail is a refund in the audit',
        ],
      ],
    },
    9: {
      tests: [
        [
          ORDERS,
          'group 14 Must show 9: cancelled at 40 % of the works, two at once make one refund on the latest payment',
        ],
      ],
    },
    10: {
      tests: [
        [
          ORDERS,
          'group 14 Must show 10: two defects, fixed, passed in round 2; the tail paid begins the warranty of 60 months',
        ],
      ],
    },
    11: {
      tests: [
        [
          CASES,
          'group 14 Must show 11: a wall 25 months after acceptance is out of warranty, its 300.00 are paid before the visit; utilities are in warranty',
        ],
      ],
    },
    12: {
      tests: [
        [
          CASES,
          'group 14 Must show 12: 90,000.00 of 81,580.38 are refused; two refunds of 50,000.00 at once, one is accepted and split over the payments',
        ],
      ],
    },
    13: {
      tests: [
        [
          TYPES,
          'group 14 Must show 13 (house types): staff of a project see its types only, foreign ids answer 404',
        ],
        [
          PACKAGES,
          'group 14 Must show 13 (packages): another merchant finds neither the package nor its review',
        ],
        [
          ORDERS,
          'group 14 Must show 13 (orders): another merchant finds neither the order nor its book nor its change',
        ],
        [
          CASES,
          'group 14 Must show 13 (cases): another merchant finds neither the case nor its book; the phone is masked and its reveal logged',
        ],
      ],
    },
    14: {
      tests: [
        [
          TYPES,
          'group 14 Must show 14: a copy of a taken name gets 副本; bound to 12 houses it cannot be deleted',
        ],
      ],
    },
  },
});
