import { defineMustShow } from '../../testing/must-show.ts';

const POSITION = 'src/features/public-resource/position/position.test.ts';
const PROCESS = 'src/features/public-resource/approval-process/approval-process.test.ts';
const CENTRE = 'src/features/public-resource/approval-centre/approval-centre.test.ts';
const CONTRACT = 'src/features/public-resource/contract/contract.test.ts';
const PLAN = 'src/domain/contract/plan.rules.test.ts';
const ENGINE = 'src/domain/approval/engine.test.ts';

export const mustShow = defineMustShow({
  group: '17',
  partly: true,
  lines: {
    1: {
      tests: [
        [PLAN, 'group 17 Must show 1: twelve lines, 35,477.42 together; fifteen free days leave 1,548.39'],
        [CONTRACT, 'group 17 Must show 1: the stored plan has twelve lines and comes to 35,477.42'],
      ],
    },
    2: {
      tests: [
        [
          CONTRACT,
          'group 17 Must show 2: two clerks hand in for one position at the same moment: one is in review, the other is told position and dates',
        ],
      ],
    },
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
    9: {
      tests: [
        [
          CONTRACT,
          'group 17 Must show 9: withdrawn it is a draft, its holds are gone, another is handed in at once',
        ],
      ],
    },
    10: {
      tests: [
        [
          PLAN,
          'group 17 Must show 10: ended on 20 September: month 9 is adjusted by −2,520.00, the rest is void',
        ],
        [
          CONTRACT,
          'group 17 Must show 10: terminated in its ninth month, what was issued gets its difference, the rest is void, the position is free',
        ],
      ],
    },
    11: {
      tests: [
        [
          CONTRACT,
          'group 17 Must show 11: lines issued twice on one day, by two runs at once, are one receivable each',
        ],
      ],
    },
    13: {
      tests: [
        [
          CONTRACT,
          'group 17 Must show 13: another project is 404, and its contract is not named in a conflict',
        ],
      ],
    },
    14: {
      tests: [
        [
          CONTRACT,
          'group 17 Must show 14: reminded at 90 days, owner and leader once; a repeat sends none, a moved end plans a new set',
        ],
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
