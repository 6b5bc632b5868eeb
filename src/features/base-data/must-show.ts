import { defineMustShow } from '../../testing/must-show.ts';

const REGION = 'src/features/base-data/region/region.test.ts';

export const mustShow = defineMustShow({
  group: '15',
  partly: true,
  lines: {
    7: {
      tests: [
        [REGION, 'Must show 7: `pd` finds 浦东新区 with its path, stopping it with a project is refused'],
        [
          REGION,
          'Must show 7: pickers ask for 上海 in two picks, elsewhere in three; the tree itself keeps all levels',
        ],
        [
          REGION,
          'Must show 7: an import of the national list shows added, renamed and vanished, and deletes nothing',
        ],
      ],
    },
  },
});
