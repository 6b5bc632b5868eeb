import { defineMustShow } from '../../testing/must-show.ts';

const SETTINGS = 'src/features/system/dictionary/setting.test.ts';
const DICTIONARY = 'src/features/system/dictionary/dictionary.test.ts';

export const mustShow = defineMustShow({
  group: '09',
  /** Lines of screens that are not built yet come with them. */
  partly: true,
  lines: {
    8: {
      tests: [
        [
          SETTINGS,
          'group 09 Must show 8: an override of one project counts there alone, limits are kept, the history puts back',
        ],
      ],
    },
    14: {
      tests: [
        [
          DICTIONARY,
          'group 09 Must show 14: used by 3 contracts a value stays, disabled it is no longer offered and keeps its label',
        ],
        [DICTIONARY, 'a value is never deleted under a row that is just being written with it'],
      ],
      missing: 'contracts themselves (group 17) declare their use of a dictionary when they come',
    },
    15: {
      tests: [
        [
          DICTIONARY,
          'group 09 Must show 15: for company staff dictManager is not in the menu and every call of it answers 403',
        ],
      ],
      missing: 'registration, coverage, activity and gates of one project come with their screens',
    },
  },
});
