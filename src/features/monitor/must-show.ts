import { defineMustShow } from '../../testing/must-show.ts';

const REGISTRY = 'src/features/monitor/registry/registry.test.ts';

export const mustShow = defineMustShow({
  group: '05',
  /** Lines of screens that are not built yet come with them. */
  partly: true,
  lines: {
    1: {
      tests: [
        [REGISTRY, 'Must show 1 (registry): a started process is UP at once, with its release and machine'],
      ],
      missing: 'the metrics of the wallboard come with it',
    },
    2: {
      tests: [
        [
          REGISTRY,
          'Must show 2 (registry): a killed instance is DOWN 心跳超时 after its lease and gone after 300 s, the journal stays',
        ],
      ],
    },
    3: {
      tests: [
        [
          REGISTRY,
          'Must show 3 (registry): a stopped process leaves by OUT_OF_SERVICE and DEREGISTERED, and answers 503 at /readyz meanwhile',
        ],
      ],
    },
    4: {
      tests: [
        [
          REGISTRY,
          'Must show 4: two of four silent: protection comes within five minutes, none is evicted; two new ones end it',
        ],
      ],
    },
    5: {
      tests: [
        [
          REGISTRY,
          'Must show 5: the only web instance is not taken out; of two one is, and never both at once',
        ],
      ],
    },
  },
});
