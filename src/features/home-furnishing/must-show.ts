import { defineMustShow } from '../../testing/must-show.ts';

const PRICES = 'src/domain/furnishing/price.test.ts';
const PACKAGES = 'src/features/home-furnishing/decor-package/decor-package.test.ts';
const TYPES = 'src/features/home-furnishing/house-type/house-type.test.ts';

export const mustShow = defineMustShow({
  group: '14',
  /** Lines of orders and after-sales come with their screens. */
  partly: true,
  lines: {
    1: {
      tests: [
        [
          PRICES,
          'worked example: 89.36 m² at 899.00 with a lock, a floor and a discount; three instalments that add up',
        ],
      ],
      missing: 'the quote itself; the engine it will use is proven',
    },
    3: {
      tests: [
        [
          PACKAGES,
          'group 14 Must show 3 (package): a raised price becomes version 2 when it is passed; what was sold at 899.00 stays and cannot be changed',
        ],
      ],
      missing: 'orders and quotes that go on showing the old price',
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
      ],
      missing: 'orders and cases',
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
