import { defineMustShow } from '../../testing/must-show.ts';

const RANGES = 'src/domain/points-task/points-ranges.rules.test.ts';
const TASKS = 'src/domain/points-task/points-task.test.ts';

export const mustShow = defineMustShow({
  group: '01',
  partly: true,
  lines: {
    11: { tests: [[RANGES, 'group 01 Must show 11: 0–99 and 50–200 overlap at row 2']] },
    15: {
      tests: [
        [
          TASKS,
          'five copies of an event are carried out once; another body is refused; a refusal is kept and undone',
        ],
      ],
      missing: 'the post itself: posts are written by an event of a later step',
    },
  },
});
