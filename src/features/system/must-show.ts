import { defineMustShow } from '../../testing/must-show.ts';

const REPORT = 'src/features/system/registration-report/registration-report.test.ts';

export const mustShow = defineMustShow({
  group: '09',
  partly: true,
  lines: {
    1: {
      tests: [
        [
          REPORT,
          'group 09 Must show 1: 200 houses, 50 normal, 3 reviewing: 50, 25.00%, 150 behind the click',
        ],
      ],
    },
    2: {
      tests: [[REPORT, 'group 09 Must show 2: 50/200 and 10/10 make 28.57%']],
    },
    15: {
      tests: [[REPORT, 'group 09 Must show 15 (registration): company staff see their project only']],
      missing: 'coverage, activity, gates and dictManager are not built yet',
    },
  },
});
