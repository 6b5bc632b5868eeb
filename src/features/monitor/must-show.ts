import { defineMustShow } from '../../testing/must-show.ts';

const MONITOR = 'src/features/monitor/monitor/monitor.test.ts';
const REGISTRY = 'src/features/monitor/registry/registry.test.ts';
const TRACING = 'src/features/monitor/tracing/tracing.test.ts';
const WATERFALL = 'src/features/monitor/tracing/waterfall.test.ts';

export const mustShow = defineMustShow({
  group: '05',
  lines: {
    1: {
      tests: [
        [REGISTRY, 'Must show 1 (registry): a started process is UP at once, with its release and machine'],
        [
          MONITOR,
          'Must show 1 (metrics): one sample fills every group of metrics, the wallboard and a chart of ten seconds',
        ],
      ],
    },
    2: {
      tests: [
        [
          REGISTRY,
          'Must show 2 (registry): a killed instance is DOWN 心跳超时 after its lease and gone after 300 s, the journal stays',
        ],
        [
          MONITOR,
          'Must show 2 (alert): a killed instance fires instance_down 30 s after it is DOWN; a new start there ends it, so does removing',
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
    6: {
      tests: [
        [
          MONITOR,
          'Must show 6: an error rate of 6 % for 130 s is one alert and one message; swinging keeps it; under 2 % for 180 s it recovers with duration and peak',
        ],
      ],
    },
    7: {
      tests: [
        [
          MONITOR,
          'Must show 7: repeats after 10 minutes until acknowledged; a silence shows as silenced, sends nothing and ends by time',
        ],
      ],
    },
    8: {
      tests: [
        [
          MONITOR,
          'Must show 8: another instance goes on with a firing alert: no second row, no lost recovery, and never two looks at once',
        ],
      ],
    },
    9: {
      tests: [[MONITOR, 'Must show 9: minutes are kept for seven days with gaps for outages; day 8 is gone']],
    },
    10: {
      tests: [
        [
          'src/features/monitor/monitor/log-level.test.ts',
          'Must show 10: a level set for a minute shows debug lines on every instance, ends by itself, and both are in the audit',
        ],
      ],
    },
    11: {
      tests: [
        [
          TRACING,
          'Must show 11: a call with a traceparent goes on in that trace, through its statements, its effect and the job that delivers it',
        ],
      ],
    },
    12: {
      tests: [
        [
          TRACING,
          'Must show 12 (search): http.status=500 finds failed calls only, filters narrow, a slow call is kept when sampling is 1 %',
        ],
        [
          WATERFALL,
          'Must show 12 (waterfall): 37 equal statements below a call are one line ×37, past the limit of a loop',
        ],
      ],
    },
    13: {
      tests: [
        [
          TRACING,
          'Must show 13: neither values nor personal data reach spans: a phone and an ID number that were searched for are in none',
        ],
      ],
    },
    14: {
      tests: [
        [
          TRACING,
          'Must show 14 (tracing): with the database away spans are dropped and counted, and nothing throws',
        ],
      ],
    },
    15: {
      tests: [
        [
          MONITOR,
          'Must show 15 (console): an outside address that is dead is told with its reason; only https or allowed hosts are taken',
        ],
        [
          TRACING,
          'Must show 15 (spans): the token of one service that sends spans as another is stored as its own',
        ],
      ],
    },
  },
});
