// Where the seconds of a test run go: a reporter of Vitest that prints them per part and for the slowest files.
import path from 'node:path';

/** Parts of the run, by the path of a test file; the first that fits takes it. */
const PARTS = [
  ['journeys in the browser', /^e2e\//],
  ['suites over all screens', /^src\/app\/[^/]+\.test\.ts$/],
  ['server and features', /^src\/(features|domain|app\/server|kernel\/server)\/(?!.*\.rules\.test\.)/],
  ['units', /./],
];
const SLOWEST = 12;

/** The part a test file belongs to. */
export function partOf(file) {
  return PARTS.find(([, pattern]) => pattern.test(file))[0];
}

/** Lines about files with their seconds: one for each part, then the slowest files. */
export function describeTimes(files) {
  const parts = new Map(PARTS.map(([name]) => [name, { files: 0, tests: 0, seconds: 0, loading: 0 }]));
  for (const one of files) {
    const part = parts.get(partOf(one.file));
    part.files += 1;
    part.tests += one.tests;
    part.seconds += one.seconds;
    part.loading += one.loading;
  }
  const shown = (seconds) => seconds.toFixed(1).padStart(7);
  return [
    'Seconds in tests and hooks, and in loading modules, of workers beside each other:',
    ...[...parts]
      .filter(([, part]) => part.files > 0)
      .map(
        ([name, part]) =>
          `${shown(part.seconds)} ${shown(part.loading)}  ${name}: ${part.tests} tests, ${part.files} files`,
      ),
    `The slowest of ${files.length} files:`,
    ...[...files]
      .sort((a, b) => b.seconds + b.loading - a.seconds - a.loading)
      .slice(0, SLOWEST)
      .map((one) => `${shown(one.seconds)} ${shown(one.loading)}  ${one.file}`),
  ];
}

export default class TestTimes {
  onInit(vitest) {
    this.root = vitest.config.root;
    this.began = performance.now();
  }

  onTestRunEnd(modules) {
    if (modules.length < 2) return;
    const files = modules.map((module) => {
      const { duration, collectDuration, setupDuration, prepareDuration, environmentSetupDuration } =
        module.diagnostic();
      return {
        file: path.relative(this.root, module.moduleId).split(path.sep).join('/'),
        tests: [...module.children.allTests()].length,
        seconds: duration / 1_000,
        loading: (collectDuration + setupDuration + prepareDuration + environmentSetupDuration) / 1_000,
      };
    });
    const whole = (performance.now() - this.began) / 1_000;
    console.log(
      `\n${describeTimes(files).join('\n')}\n${whole.toFixed(1).padStart(7)}          the whole run\n`,
    );
  }
}
