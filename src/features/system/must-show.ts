import { defineMustShow } from '../../testing/must-show.ts';

const GATE = 'src/features/system/gate-log/gate-log.test.ts';
const LOG = 'src/features/system/business-log/business-log.test.ts';

export const mustShow = defineMustShow({
  group: '09',
  partly: true,
  lines: {
    9: {
      tests: [
        [
          LOG,
          'group 09 Must show 9: a changed phone is shown masked before and after; a record changed in the database is named',
        ],
      ],
      missing: 'members are no rows of this product yet: proven with the phone of a staff',
    },
    10: {
      tests: [
        [
          GATE,
          'group 09 Must show 10: a failing call has its row, the same trace shows error and business changes, and no password, token or code',
        ],
      ],
      missing: 'the span view (group 5) that a row links to',
    },
  },
});
