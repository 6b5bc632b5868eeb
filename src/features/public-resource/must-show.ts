import { defineMustShow } from '../../testing/must-show.ts';

const PROCESS = 'src/features/public-resource/approval-process/approval-process.test.ts';

export const mustShow = defineMustShow({
  group: '17',
  /** The lines of the approval engine come with its screens, those of contracts and positions with theirs. */
  partly: true,
  lines: {
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
