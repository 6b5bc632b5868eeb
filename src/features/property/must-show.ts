import { defineMustShow } from '../../testing/must-show.ts';

const WORK_ORDERS = 'src/features/property/work-order/work-order.test.ts';
const SLA_RULES = 'src/domain/work-order/sla.rules.test.ts';
const RULES = 'src/domain/charging/charging.rules.test.ts';
const HOUSEKEEPERS = 'src/features/property/housekeeper/housekeeper.test.ts';
const TRANSFER = 'src/domain/residents/house-transfer.test.ts';
const CHARGING = 'src/features/property/charging/charging.test.ts';

export const mustShow = defineMustShow({
  group: '06',
  lines: {
    1: {
      tests: [
        [
          SLA_RULES,
          'group 06 Must show 1 (rules): 30 and 960 business minutes from Friday 17:30; parts Monday 10:00–15:00 add 210',
        ],
        [
          WORK_ORDERS,
          'group 06 Must show 1: Friday 17:30, response Friday 18:00, resolution Wednesday 09:30; paused 10:00–15:00 it is 14:30',
        ],
      ],
    },
    2: {
      tests: [
        [WORK_ORDERS, 'group 06 Must show 2: 50 staff accept one order at once, one gets it, 49 are told'],
      ],
    },
    3: {
      tests: [
        [
          RULES,
          'group 06 Must show 3: 100.00 m² at 2.80 a month are 280.00; part periods and price changes go by days',
        ],
        [
          CHARGING,
          'group 06 Must show 3: a run previews and posts 280.00 once, again 0; two at once still make one bill',
        ],
      ],
    },
    4: {
      tests: [
        [RULES, 'group 06 Must show 4: late fee of 280.00 due 10 January'],
        [CHARGING, 'group 06 Must show 4: late fees by the job and by the quote of a back-dated payment'],
      ],
    },
    5: {
      tests: [
        [
          RULES,
          'group 06 Must show 5 and 6: what is paid goes to the oldest bills, principal first; the rest is left over',
        ],
        [
          CHARGING,
          'group 06 Must show 5 and 6: 400.00 and 600.00 spread over two bills, the rest paid ahead and deducted at night',
        ],
      ],
    },
    6: {
      tests: [
        [
          CHARGING,
          'group 06 Must show 5 and 6: 400.00 and 600.00 spread over two bills, the rest paid ahead and deducted at night',
        ],
      ],
    },
    7: {
      tests: [
        [
          'src/features/property/charging/discount.test.ts',
          'group 06 Must show 7: twelve months ahead with 5 % off are 3,192.00, 14.00 on each bill; the lesser rule says why it is not used',
        ],
      ],
    },
    8: {
      tests: [
        [
          CHARGING,
          'group 06 Must show 8: two cashiers, one receipt; receipts of parallel payments have no gap',
        ],
      ],
    },
    9: {
      tests: [
        [
          'src/features/property/charging/online-pay.test.ts',
          'group 06 Must show 9: success told five times behind a counter payment is one payment, all of it paid ahead, and one to-do',
        ],
      ],
    },
    10: {
      tests: [
        [
          'src/features/property/pay-courtesy/pay-courtesy.test.ts',
          'group 06 Must show 10: 100.00 of 280.00 paid back by another person opens the bill, has a negative receipt and takes 10 of 28 points',
        ],
      ],
    },
    11: {
      tests: [
        [
          RULES,
          'group 06 Must show 11: a custom formula gives 310.00, code is refused with its position and never run',
        ],
        [
          CHARGING,
          'group 06 Must show 11: the formula preview gives its figures, code answers 422 with its position',
        ],
      ],
    },
    12: {
      tests: [
        [
          CHARGING,
          'group 06 Must show 12: a waiver above 50.00 waits for another person; late-fee lines stay',
        ],
      ],
    },
    13: {
      tests: [
        [
          WORK_ORDERS,
          'group 06 Must show 13 (work orders): another project answers 404; the complained staff does not see the complaint',
        ],
      ],
    },
    14: {
      tests: [
        [
          TRANSFER,
          'group 06 Must show 14 (transfer of a house): 563.64 without a choice is refused; old bills keep the old debtor, the next names the new owner',
        ],
        [
          'src/features/property/house/house.test.ts',
          'group 06 Must show 14 (houses): a transfer over the card is refused at 563.64 without a choice, then names the new owner on what follows',
        ],
        [
          'src/features/property/evaluation/evaluation.test.ts',
          'group 06 Must show 14 (ratings): the building moves on 1 December, a rating of 30 November counts for the former',
        ],
        [
          HOUSEKEEPERS,
          'group 06 Must show 14 (housekeepers): moved from the first of the month, the day before counts for the former',
        ],
      ],
    },
    15: {
      tests: [
        [
          'src/features/property/charging/late-fee-mass.test.ts',
          'group 06 Must show 15: ended in the middle of 10,000 bills and started again, every bill has its late fee once',
        ],
      ],
    },
  },
});
