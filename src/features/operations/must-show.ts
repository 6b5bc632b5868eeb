import { defineMustShow } from '../../testing/must-show.ts';

const RANGES = 'src/domain/points-task/points-ranges.rules.test.ts';
const POST = 'src/features/operations/post/post.test.ts';
const SIGN = 'src/features/operations/sign-in/sign-in.test.ts';
const CARDS = 'src/features/operations/resign-card/resign-card.test.ts';
const MEMBERS = 'src/features/operations/points-member/points-member.test.ts';
const STAT = 'src/features/operations/content-stat/content-stat.test.ts';
const PUSH = 'src/features/operations/info-push/info-push.test.ts';
const SHOP = 'src/features/operations/redemption/redemption.test.ts';
const EMOJI = 'src/domain/content/emoji/emoji.rules.test.ts';

export const mustShow = defineMustShow({
  group: '01',
  lines: {
    1: {
      tests: [
        [EMOJI, 'group 01 Must show 1: 今天[玫瑰][大笑]开心[未知] shows two pictures and the text [未知]'],
        [POST, 'group 01 Must show 1 (export): the file holds the codes of emoji as they were written'],
        [
          'e2e/mall.test.ts',
          'group 01 Must show 1 (the page): a post shows two pictures and the text [未知]; with pictures blocked their characters',
        ],
      ],
    },
    2: {
      tests: [
        [
          POST,
          'group 01 Must show 2: a hidden word waits for review, is marked, and a second moderator is told who was first',
        ],
      ],
    },
    3: {
      tests: [
        [
          POST,
          'group 01 Must show 3: hiding a topped post takes it from the top and its points back, showing it gives them once',
        ],
      ],
    },
    4: {
      tests: [
        [
          POST,
          'group 01 Must show 4: a fourth on top of a project is refused, also when two are topped at once',
        ],
      ],
    },
    5: {
      tests: [
        [
          SIGN,
          'group 01 Must show 5: the example ends with 75 points and streak 8; the same day twice is one row',
        ],
      ],
    },
    6: {
      tests: [
        [
          CARDS,
          'group 01 Must show 6: day −8 is refused, so is the fourth repair of a month; cards and points stay',
        ],
      ],
    },
    7: {
      tests: [
        [
          SHOP,
          'group 01 Must show 7: a hundred at once for ten pieces: ten get one, ninety are told, 500 points are used',
        ],
      ],
    },
    8: {
      tests: [
        [
          SHOP,
          'group 01 Must show 8: 180 points cancelled before shipping are back in their lots, the piece in stock, +180 in the statement',
        ],
      ],
    },
    9: {
      tests: [
        [
          SHOP,
          'group 01 Must show 9: 9.90 unpaid for 30 minutes is cancelled and its points are free; paid it is captured with its order; cancelled 9.90 is among the refunds and the points are back',
        ],
      ],
    },
    10: {
      tests: [
        [
          MEMBERS,
          'group 01 Must show 10: a threshold from 500 to 600 names who falls; spending 400 of 550 leaves the grade',
        ],
      ],
    },
    11: { tests: [[RANGES, 'group 01 Must show 11: 0–99 and 50–200 overlap at row 2']] },
    12: {
      tests: [
        [
          PUSH,
          'group 01 Must show 12: a push to three projects at 23:00 waits until 08:00; cancelled at 07:00 nothing is sent',
        ],
        [
          PUSH,
          'group 01 Must show 12: who had two marketing messages today is skipped; urgent needs its own right',
        ],
      ],
    },
    13: {
      tests: [
        [POST, 'group 01 Must show 13: posts of another project answer 404 by id and stand in no list'],
        [
          POST,
          'group 01 Must show 13: a topic of one own and one other project is listed, its edit is refused',
        ],
      ],
    },
    14: {
      tests: [
        [
          STAT,
          'group 01 Must show 14: three looks over two days are pv 3 and uv 1 for the range, daily uv 1 and 1',
        ],
      ],
    },
    15: {
      tests: [
        [
          POST,
          'group 01 Must show 15: one event five times at once is one post and one grant; another body is refused',
        ],
      ],
    },
  },
});
