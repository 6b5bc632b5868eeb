// npm test: packages, checks, browser, build, every test. Ends with one line "N passed, N failed".
// npm test -- --all: also what changes seldom (rare-tests.mjs), and the journeys of the frame in both languages.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensurePackages } from './install.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
ensurePackages();
process.chdir(root);
const everything = process.argv.includes('--all');
const only = process.argv.slice(2).filter((one) => one !== '--all');
let passed = 0;
let failed = 0;

if (only.length === 0) {
  const { runChecks } = await import('./check.mjs');
  for (const check of await runChecks()) {
    if (check.failure === undefined) passed += 1;
    else {
      failed += 1;
      console.log(`FAIL check: ${check.name}\n${check.failure}\n`);
    }
  }
}
const { findBrowser } = await import('./browser.mjs');
const browser = await findBrowser();
const { build } = await import('./build.mjs');
let built = true;
try {
  await build();
} catch (error) {
  built = false;
  failed += 1;
  console.log(`FAIL build\n${error instanceof Error ? error.stack : error}`);
}
const { noteRare, statesNow, unchangedRare } = await import('./rare-tests.mjs');
const states = statesNow();
const rare = everything || only.length > 0 ? [] : unchangedRare();
if (rare.length > 0)
  console.log(`Unchanged since they were green, npm test -- --all runs them too: ${rare.join(', ')}`);
const report = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'product-test-')), 'report.json');
const code = await new Promise((resolve) => {
  const child = spawn(
    process.execPath,
    [
      path.join(root, 'node_modules', 'vitest', 'vitest.mjs'),
      'run',
      '--reporter=default',
      '--reporter=./tools/test-times.mjs',
      '--reporter=json',
      `--outputFile.json=${report}`,
      ...rare.map((file) => `--exclude=${file}`),
      ...only,
    ],
    {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: {
        ...process.env,
        CHROMIUM: browser,
        BUILT: built ? '1' : '0',
        NODE_ENV: 'test',
        ...(everything ? { ALL: '1' } : {}),
      },
    },
  );
  child.on('exit', (status) => resolve(status ?? 1));
});
if (fs.existsSync(report)) {
  const result = JSON.parse(fs.readFileSync(report, 'utf8'));
  passed += result.numPassedTests;
  failed += result.numFailedTests;
  // A file that could not even be loaded holds no failed test but is a failure all the same.
  failed += result.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.every((test) => test.status !== 'failed'),
  ).length;
  if (!only.some((one) => one.startsWith('-')))
    noteRare(
      result.testResults.map((file) => ({
        file: path.relative(root, file.name).split(path.sep).join('/'),
        passed: file.status === 'passed',
      })),
      states,
    );
  fs.rmSync(path.dirname(report), { recursive: true, force: true });
} else failed += 1;
if (code !== 0 && failed === 0) failed += 1;
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
