import { defineMustShow } from '../../testing/must-show.ts';

const REFUND = 'src/features/after-sales/refund/refund-must-show.test.ts';
const RULES = 'src/domain/trade-money/refund.test.ts';
/** Service orders and appointments are not built; their refund arithmetic is, as rules without a screen. */
const NO_VISITS = 'service orders and appointments (mm_reservationOrder_wx, mm_appointment)';

export const mustShow = defineMustShow({
  group: '07',
  /** Only the lines that name refunds; the others come with their screens. */
  partly: true,
  lines: {
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
});
