import { defineMustShow } from '../../testing/must-show.ts';

const API = 'src/features/auth-manager/api/api-call.test.ts';
const CLIENT = 'src/features/auth-manager/oauth-client/oauth-client.test.ts';

export const mustShow = defineMustShow({
  group: '04',
  /** Lines of screens that are not built yet come with them. */
  partly: true,
  lines: {
    1: {
      tests: [
        [
          CLIENT,
          'Must show 1: a client switched off gets no token and its live tokens end within a second on every instance; others go on',
        ],
      ],
    },
    2: {
      tests: [
        [
          CLIENT,
          'Must show 2: rotation of gate-vendor: both work, the last use of the old one is shown, after its end only the new one; the database holds no readable secret',
        ],
      ],
    },
    3: {
      tests: [
        [
          CLIENT,
          'Must show 3: the only secret is not removed and a third is not added, whoever tries at the same time',
        ],
      ],
    },
    4: {
      tests: [
        [
          CLIENT,
          'Must show 4: consent lists scopes in words, a code works once, its second use ends what it bought, an extra slash is no redirect',
        ],
      ],
    },
    5: {
      tests: [[CLIENT, 'Must show 5: a reused refresh token ends its whole family and the owner is told']],
    },
    13: {
      tests: [
        [
          API,
          'Must show 13: as many calls as the description has for a platform administrator, none without a right that is not public or for all staff; an export switched off answers 503, signing in stays',
        ],
      ],
    },
  },
});
