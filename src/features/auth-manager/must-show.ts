import { defineMustShow } from '../../testing/must-show.ts';

const DEPLOY = 'src/features/auth-manager/deploy-server/deploy-server.test.ts';
const API = 'src/features/auth-manager/api/api-call.test.ts';
const GATEWAY = 'src/features/auth-manager/gateway/gateway.test.ts';
const GROUP = 'src/features/auth-manager/auth-manager.test.ts';
const CLIENT = 'src/features/auth-manager/oauth-client/oauth-client.test.ts';

export const mustShow = defineMustShow({
  group: '04',
  lines: {
    14: {
      tests: [
        [
          DEPLOY,
          'Must show 14: a second machine with a newer release shows with its banner and deploy record; drained it answers 503 and its worker takes no new job',
        ],
      ],
    },
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
    6: {
      tests: [
        [
          GATEWAY,
          'Must show 6: strip 2, no Authorization and no Cookie, ids anew; the answer streams back; log and trace show it',
        ],
      ],
    },
    7: {
      tests: [
        [
          GATEWAY,
          'Must show 7: system prefixes, metadata addresses and names that mean this machine are refused, and nothing leaves',
        ],
      ],
    },
    8: {
      tests: [
        [
          GATEWAY,
          'Must show 8: an upstream that does not answer in time is 504, POST goes once, GET with one retry twice',
        ],
      ],
    },
    9: {
      tests: [
        [
          GATEWAY,
          'Must show 9: 20 failing calls open the circuit, the next one does not reach the upstream, after 30 s three pass and it closes',
        ],
      ],
    },
    10: {
      tests: [
        [
          GATEWAY,
          'Must show 10: two servers together let 60 calls of a caller through, another caller still passes',
        ],
      ],
    },
    11: {
      tests: [
        [
          GATEWAY,
          'Must show 11: an edit changes the draft only until it is published; a rollback restores an older version as a new one and the history says who and why',
        ],
      ],
    },
    12: {
      tests: [
        [
          GATEWAY,
          'Must show 12: staff without the right, services without leave and public routes without their own right are refused',
        ],
      ],
    },
    13: {
      tests: [
        [
          API,
          'Must show 13: as many calls as the description has for a platform administrator, none without a right that is not public or for all staff; an export switched off answers 503, signing in stays',
        ],
      ],
    },
    15: {
      tests: [
        [
          CLIENT,
          'Must show 2: rotation of gate-vendor: both work, the last use of the old one is shown, after its end only the new one; the database holds no readable secret',
        ],
        [
          GATEWAY,
          'bodies beyond the limit are 413 whatever length was told, extra headers are sealed and shown nowhere, addresses are kept out',
        ],
        [API, 'who may call is told by group, and staff without the menu read none of it'],
        [
          GROUP,
          'group 04 Must show 15: a tenant administrator without the menus is refused every call of the group',
        ],
        [
          GROUP,
          'group 04 Must show 15: what is secret stands in no list, export, timeline or description of the group',
        ],
      ],
    },
  },
});
