import { defineConfig } from 'vitest/config';
import { writeRegistry } from './tools/registry.mjs';

// Tests read the registry, however they are started.
writeRegistry();

/** Unit, integration and browser tests. Each file gets a clone of the template database when it asks for one. */
export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'src/**/*.test.tsx', 'e2e/**/*.test.ts', 'tools/**/*.test.ts'],
    globalSetup: ['src/testing/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    reporters: ['default'],
  },
});
