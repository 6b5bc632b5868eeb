import { configDefaults, defineConfig } from 'vitest/config';
import { writeRegistry } from './tools/registry.mjs';

// Tests read the registry, however they are started.
writeRegistry();

/** Test files under src that need a process of their own, each with its reason. */
const ALONE: readonly string[] = [];

/**
 * Unit, integration and browser tests. Each file gets a clone of the template database when it asks for one. Files under src
 * share one module graph per worker, which is loaded once instead of once per file; so no test may leave anything behind in a
 * module: faked clocks are set back, environment variables are not changed.
 */
export default defineConfig({
  test: {
    globalSetup: ['src/testing/global-setup.ts'],
    pool: 'forks',
    // Journeys in the browser wait more than they work: a third worker fills two cores.
    maxWorkers: 3,
    // A bound for what hangs, not for what is slow: files run beside each other, and machines differ.
    testTimeout: 180_000,
    // The first file that asks makes the demonstration rows of the run, which takes minutes on a busy machine.
    hookTimeout: 600_000,
    reporters: ['default', './tools/test-times.mjs'],
    projects: [
      {
        extends: true,
        test: { name: 'alone', include: ['e2e/**/*.test.ts', 'tools/**/*.test.ts', ...ALONE] },
      },
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['src/**/*.test.ts', 'src/**/*.test.tsx'],
          exclude: [...configDefaults.exclude, ...ALONE],
          isolate: false,
        },
      },
    ],
  },
});
