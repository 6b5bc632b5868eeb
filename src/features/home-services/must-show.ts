import { defineMustShow } from '../../testing/must-show.ts';

const REFUND = 'src/features/after-sales/refund/refund-must-show.test.ts';
const RULES = 'src/domain/trade-money/refund.test.ts';
const VISITS = 'src/features/home-services/service-order/visit-must-show.test.ts';

export const mustShow = defineMustShow({
  group: '07',
  count: 14,
  lines: {
    1: {
      tests: [
        [
          VISITS,
          'group 07 Must show 1: 50 parallel orders for the last place of three; unpaid ones give it back',
        ],
      ],
    },
    2: {
      tests: [
        [
          VISITS,
          'group 07 Must show 2: a busy person is refused with the other visit named; two desks at once, one wins',
        ],
      ],
    },
    3: {
      tests: [[VISITS, 'group 07 Must show 3: below the lead hours 422; staff with the right need a reason']],
    },
    4: {
      tests: [[VISITS, 'group 07 Must show 4: overbooked 4 of 3 with a reason; without the element 403']],
    },
    5: {
      tests: [
        [
          RULES,
          'example 5, group 07 Must show 5: service cancelled 10 h, 30 h and by the merchant before the visit',
        ],
        [VISITS, 'group 07 Must show 5: cancelled 30 h before, 10 h before, and by the merchant'],
      ],
    },
    6: {
      tests: [
        [RULES, 'group 07 Must show 6: no-show, at 100 % nothing is returned; a waiver finds everything'],
        [VISITS, 'group 07 Must show 6: no-show, nothing is offered; a waived fee makes 128.00 possible'],
      ],
    },
    7: {
      tests: [
        [
          VISITS,
          'group 07 Must show 7: paid after release while full, another time is chosen or everything goes back once',
        ],
      ],
    },
    8: {
      tests: [
        [
          VISITS,
          'group 07 Must show 8: five wrong codes lock it, the desk finishes; the right one completes it once',
        ],
      ],
    },
    9: {
      tests: [
        [RULES, 'group 07 Must show 9: package of four visits, one done, 3/4 of the line'],
        [VISITS, 'group 07 Must show 9: a package of four, one done, three left, 75.00 of 100.00'],
      ],
    },
    10: {
      tests: [
        [
          VISITS,
          'group 07 Must show 10: a stop over three live visits shows them first, then makes three choose again; nothing else is touched',
        ],
      ],
    },
    11: {
      tests: [
        [
          'src/features/home-services/service/service.test.ts',
          'group 07 Must show 11: the price of a published service waits for review, its openings and places change at once',
        ],
      ],
    },
    12: {
      tests: [
        [
          'src/features/home-services/service-person/service-person.test.ts',
          'group 07 Must show 12 (people): a merchant never sees people of another; a foreign id is 404',
        ],
        [
          VISITS,
          'group 07 Must show 12: a merchant never sees another one’s visits and people; foreign ids answer 404',
        ],
      ],
    },
    13: {
      tests: [
        [
          VISITS,
          'group 07 Must show 13: an expired certificate takes the person out and refuses the assignment',
        ],
      ],
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
