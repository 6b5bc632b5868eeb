import { defineMustShow } from '../../testing/must-show.ts';

const POSITION = 'src/features/public-resource/position/position.test.ts';
const PROCESS = 'src/features/public-resource/approval-process/approval-process.test.ts';
const CENTRE = 'src/features/public-resource/approval-centre/approval-centre.test.ts';
const ENGINE = 'src/domain/approval/engine.test.ts';

export const mustShow = defineMustShow({
  group: '17',
  partly: true,
  lines: {
    3: {
      tests: [
        [
          CENTRE,
          'Must show 3: countersign 5 people at 60 %: two refusals and it still runs with its counter, the third refuses it and two tasks are in nobody’s done list; three agreements pass it',
        ],
        [ENGINE, 'a ratio ends only when its result is certain'],
      ],
    },
    4: {
      tests: [
        [CENTRE, 'Must show 4: any one of four: one agrees, and only that person’s done list has the row'],
      ],
    },
    5: {
      tests: [
        [
          CENTRE,
          'Must show 5: returned from the third node to the first: a new round with fresh deadlines; handed in again the third asks all its people, and reminds at its new deadline',
        ],
        [
          ENGINE,
          'returned to an earlier node: a new round, fresh deadlines; handed in again it asks everybody anew',
        ],
      ],
    },
    6: {
      tests: [
        [
          CENTRE,
          'Must show 6: b sets c as stand-in from today: a new task shows at c in the place of b; where c is the starter it goes to the process administrator',
        ],
        [
          ENGINE,
          'a stand-in is asked instead; where that one is the starter, the administrator of the process',
        ],
      ],
    },
    7: {
      tests: [
        [
          CENTRE,
          'Must show 7: the time left is counted in business hours, and a second server shows the same',
        ],
        [
          ENGINE,
          'eight business hours from Friday 17:00 end on Monday 17:30; reminded twice, then the leader; a restart changes nothing',
        ],
      ],
    },
    8: {
      tests: [
        [
          CENTRE,
          'Must show 8: two approvers of a ratio decide in the same instant: both count; after the end 30101',
        ],
        [
          ENGINE,
          'two of a ratio who decide in the same instant both count; what comes after the end is told so',
        ],
      ],
    },
    12: {
      tests: [
        [
          POSITION,
          'group 17 Must show 12: a hold of three days expires: the position is free at the next run, the holder is told once',
        ],
        [POSITION, 'group 17 Must show 12: a repair inside a lease is refused, and so is disabling'],
      ],
    },
    15: {
      tests: [
        [
          PROCESS,
          'Must show 15: an amount from 100,000.00 on shows the finance node and its real people; nothing is stored',
        ],
        [
          PROCESS,
          'Must show 15, real kinds: hours of overtime decide the branch; leave and payee accounts say their fields',
        ],
      ],
    },
  },
});
