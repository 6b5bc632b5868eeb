import { defineMustShow } from '../../testing/must-show.ts';

const CLAIM = 'src/features/marketing/seckill/seckill-claim.test.ts';
const SCREEN = 'src/features/marketing/seckill/seckill-screen.test.ts';
const SEND = 'src/features/marketing/message-send/message-send.test.ts';
const TEMPLATE = 'src/features/marketing/message-template/message-template.test.ts';
const COINS = 'src/features/marketing/coin-deduction-rule/coin-deduction-orders.test.ts';
const RETURN = 'src/features/marketing/points-return-rule/points-return-orders.test.ts';

export const mustShow = defineMustShow({
  group: '16',
  lines: {
    1: {
      tests: [
        [
          CLAIM,
          'group 16 Must show 1: 100 of 300 are reserved with one movement of −100, cancelling before the start gives 300 again',
        ],
      ],
    },
    2: {
      tests: [
        [
          CLAIM,
          'group 16 Must show 2: 1,000 members at once over two instances: exactly 100 orders, 900 refused, every equation holds',
        ],
      ],
    },
    3: {
      tests: [
        [
          CLAIM,
          'group 16 Must show 3: 20 claims of one member at once, limit 2: two accepted; one key five times: one order, five equal answers',
        ],
      ],
    },
    4: {
      tests: [
        [
          CLAIM,
          'group 16 Must show 4: 60 of 100 paid, the others close and may claim again; money for a closed order goes back in full',
        ],
      ],
    },
    5: {
      tests: [
        [CLAIM, 'group 16 Must show 5: the end gives 40 back once, though the job runs on two instances'],
      ],
    },
    6: {
      tests: [
        [
          CLAIM,
          'group 16 Must show 6: two activities over one spec published at once: one is, the other is told the conflict and takes nothing',
        ],
      ],
    },
    7: {
      tests: [
        [
          SCREEN,
          'group 16 Must show 7: paused nobody claims; resumed with 15 minutes the session ends 15 minutes later; more is refused',
        ],
        [SCREEN, 'group 16 Must show 7: what the platform paused its merchant cannot resume'],
      ],
    },
    8: {
      tests: [
        [
          SCREEN,
          'group 16 Must show 8: who handed it in sees no publish button and is refused; another publishes, a second decision comes too late',
        ],
        [
          SCREEN,
          'group 16 Must show 8: a merchant never sees the activities of another, in list, board or by id',
        ],
      ],
    },
    11: {
      tests: [
        [
          COINS,
          'group 16 Must show 11: 2,600 coins are 26.00, the buyer pays 152.00; refunding B gives 50.48 and 912 coins back in their old lots',
        ],
        [COINS, 'group 16 Must show 11: two orders at once with the same 2,650 coins, the second sees 50'],
      ],
    },
    9: {
      tests: [
        [
          'src/features/mall/group-buy/group-buy.test.ts',
          'group 16 Must show 9: two take the last seat at once: one holds it, the other leads a new team or is told; the holder pays and three orders wait to be shipped; a team short at its deadline is refunded in full',
        ],
      ],
    },
    10: {
      tests: [
        [
          'src/features/mall/coupon/issued-coupon.test.ts',
          'group 16 Must show 10: 满150减30 at 60/40 over 100.00 + 60.00 gives 18.75 / 11.25, and the settlement of A counts 11.25',
        ],
        [
          'e2e/mall.test.ts',
          "group 16 Must show 10 (the page): a merchant's coupon under the address of the platform's is not found",
        ],
      ],
    },
    12: {
      tests: [
        [
          RETURN,
          'group 16 Must show 12: 85 wait at payment, granted 7 days after completion; refund of B leaves 55',
        ],
        [
          RETURN,
          'group 16 Must show 12: all 85 spent before the refund are owed as 30, the next grant of 50 leaves 20',
        ],
      ],
    },
    13: {
      tests: [
        [
          'src/features/marketing/parking-order/parking-order.test.ts',
          'group 16 Must show 13: 220 minutes are 17.00; out in the grace opens once for two tellings; later 4.00 more are asked and the gate stays shut',
        ],
      ],
    },
    14: {
      tests: [
        [
          SEND,
          'group 16 Must show 14: 1,200 marketing SMS wait for a review, at most 600 leave before 22:00, the rest at 08:00',
        ],
        [
          SEND,
          'group 16 Must show 14: whoever dispatches beside others or is killed on the way, no member gets two',
        ],
        [SEND, 'group 16 Must show 14: 30 failed, a resend reaches only these 30'],
      ],
    },
    15: {
      tests: [
        [TEMPLATE, 'group 16 Must show 15: {{nmae}} that is not defined is refused at the field'],
        [
          SEND,
          'group 16 Must show 15: the estimate is 1,200 = 1,130 reachable + 70 skipped, reasons add up to 70',
        ],
      ],
    },
  },
});
