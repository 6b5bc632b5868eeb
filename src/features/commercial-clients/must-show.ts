import { defineMustShow } from '../../testing/must-show.ts';

const CLIENT = 'src/features/commercial-clients/client/client.test.ts';
const SPACE = 'src/features/commercial-clients/space/space.test.ts';
const PERSON = 'src/features/commercial-clients/business-person/business-person.test.ts';
const RULES = 'src/domain/commercial-client/client.rules.test.ts';

export const mustShow = defineMustShow({
  group: '20',
  count: 13,
  lines: {
    1: {
      tests: [
        [
          CLIENT,
          'group 20 Must show 1: two claim the same pool client at once, one gets it and history has one row',
        ],
      ],
    },
    2: {
      tests: [
        [
          CLIENT,
          'group 20 Must show 2: signed clients do not count, the limit holds also for claims at once',
        ],
      ],
    },
    3: {
      tests: [
        [
          RULES,
          'group 20 Must show 3: assigned on 1 November, followed up on 3 November, 15 days: in the pool on 18 November',
        ],
        [
          CLIENT,
          'group 20 Must show 3 (the job): who is not followed up goes to the pool, locked ones stay, a follow-up keeps it',
        ],
        [
          CLIENT,
          'group 20 Must show 3 (the warning): told once three days before, again after a follow-up that was the last',
        ],
      ],
    },
    4: {
      tests: [
        [
          CLIENT,
          'group 20 Must show 4: a known phone is refused, the owner named only to who sees the client; alike names need a tick',
        ],
      ],
    },
    5: {
      tests: [[CLIENT, 'group 20 Must show 5: nobody learns more of a number in the pool than its shape']],
    },
    6: {
      tests: [
        [RULES, 'group 20 Must show 6: one stage may be skipped, signed follows from a contract'],
        [CLIENT, 'group 20 Must show 6: stages are moved by their rules'],
        [
          CLIENT,
          'group 20 Must show 6 (the board): a card dropped on a stage goes by the rules, columns tell how many and the area they want',
        ],
        [
          SPACE,
          'group 20 Must show 6 (contracts): the approval of its contract signs a client, the end of the last lets it fall back',
        ],
      ],
    },
    7: {
      tests: [
        [
          SPACE,
          'group 20 Must show 7: a space in review is held everywhere, a second contract that overlaps by a day is refused',
        ],
      ],
    },
    8: {
      tests: [
        [
          CLIENT,
          'group 20 Must show 8 (clients): handing over moves clients at once; leaving hands over all of them',
        ],
        [
          SPACE,
          'group 20 Must show 8 (contracts): contracts and what is open of them go along with a client where that is ticked',
        ],
        [
          PERSON,
          'group 20 Must show 8 (figures): the signed amount stays with who owned the contract at its approval, and a frozen month does not move',
        ],
      ],
    },
    9: {
      tests: [
        [
          CLIENT,
          'group 20 Must show 9: a hand-over of 120 clients that is stopped in the middle goes on; none moves twice',
        ],
      ],
    },
    10: {
      tests: [
        [
          CLIENT,
          'group 20 Must show 10: two clients become one with all contacts, follow-ups and contracts; the old link and number lead to it',
        ],
      ],
    },
    11: {
      tests: [
        [
          CLIENT,
          'group 20 Must show 11: a reader changes nothing, somebody of another project finds nothing',
        ],
      ],
    },
    12: {
      tests: [[SPACE, 'group 20 Must show 12: areas of a split add up, a let space is not split']],
    },
    13: {
      tests: [
        [
          PERSON,
          'group 20 Must show 13: target 200,000.00, signed 150,000.00 is 75.00 %; a click lists exactly the contracts of it',
        ],
      ],
    },
  },
});
