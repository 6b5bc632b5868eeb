import { defineMustShow } from '../../testing/must-show.ts';

const DEPLOY = 'src/features/auth-manager/deploy-server/deploy-server.test.ts';

export const mustShow = defineMustShow({
  group: '04',
  /** Lines of screens that are not built yet come with them. */
  partly: true,
  lines: {
    14: {
      tests: [
        [
          DEPLOY,
          'Must show 14: a second machine with a newer release shows with its banner and deploy record; drained it answers 503 and its worker takes no new job',
        ],
      ],
    },
  },
});
