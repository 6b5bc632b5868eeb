// npm run screen -- NAME: everything one resource needs to be right, in seconds: generated files, types, walls, lint, its own
// tests, conformance and oracle of this resource alone.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensurePackages } from './install.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const name = process.argv[2];
ensurePackages();
process.chdir(root);

const { writeRegistry } = await import('./registry.mjs');
const { checkWalls } = await import('./walls.mjs');

const contracts = walk('src').filter((file) => file.endsWith('.contract.ts'));
const contract = contracts.find((file) => declares(file, name));
if (!name || !contract) {
  const names = contracts.flatMap((file) =>
    [...fs.readFileSync(file, 'utf8').matchAll(NAME())].map((one) => one[1]),
  );
  console.log(`npm run screen -- NAME, one of: ${names.sort().join(', ')}`);
  process.exit(2);
}
const folder = path.dirname(contract);
const written = writeRegistry();
if (written.length > 0) console.log(`Wrote ${written.join(', ')}`);

const bin = (tool) => path.join('node_modules', '.bin', process.platform === 'win32' ? `${tool}.cmd` : tool);
const tests = fs
  .readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.test\.tsx?$/.test(file))
  .map((file) => path.join(folder, file).split(path.sep).join('/'));
// Only lists have an oracle; reports, settings and pages are proven by their own tests.
const shared = new RegExp(`defineResource\\(\\{\\s*name: '${name}'`).test(fs.readFileSync(contract, 'utf8'))
  ? ['conformance', 'conformance-matrix', 'scope-property'].map((file) => `src/app/${file}.test.ts`)
  : [];

const walls = checkWalls(root);
tell('walls', walls.length === 0, walls.join('\n'));
// The two programs that take longest run beside each other; everything else is done in a moment.
const results = await Promise.all([
  check('lint', bin('oxlint'), [folder]),
  check('types of the server', bin('tsc'), ['--noEmit', '-p', 'tsconfig.server.json']).then((first) =>
    check('types of the page', bin('tsc'), ['--noEmit', '-p', 'tsconfig.client.json']).then(
      (second) => first && second,
    ),
  ),
  check(
    `conformance, oracle and tests of ${name}`,
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', ...shared, ...tests],
    { SCREEN: name },
    true,
  ),
]);
process.exit(walls.length === 0 && results.every(Boolean) ? 0 : 1);

function NAME() {
  return /define(?:Resource|Report|Settings|Page)\(\{\s*name: '(\w+)'/g;
}

function declares(file, wanted) {
  return [...fs.readFileSync(file, 'utf8').matchAll(NAME())].some((one) => one[1] === wanted);
}

function walk(at) {
  return fs.readdirSync(at, { withFileTypes: true }).flatMap((entry) => {
    const full = path.join(at, entry.name);
    return entry.isDirectory() ? walk(full) : [full];
  });
}

/** Runs a program and tells whether it was content; what it said is shown when it was not, or when asked for. */
function check(what, program, args, env = {}, show = false) {
  const started = performance.now();
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      env: { ...process.env, ...env },
      stdio: ['ignore', show ? 'inherit' : 'pipe', show ? 'inherit' : 'pipe'],
      shell: process.platform === 'win32',
    });
    let said = '';
    child.stdout?.on('data', (chunk) => (said += chunk));
    child.stderr?.on('data', (chunk) => (said += chunk));
    child.on('exit', (code) => {
      tell(`${what} (${((performance.now() - started) / 1000).toFixed(1)} s)`, code === 0, said);
      resolve(code === 0);
    });
  });
}

function tell(what, isGood, said) {
  console.log(isGood ? `ok   ${what}` : `FAIL ${what}\n${said}`);
}
