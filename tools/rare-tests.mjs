// Tests of what changes seldom and takes long: the embedded database, crashes, backup, mass data. `npm test` runs each when
// the code it tries, a migration or a package changed since it was last green here; `npm test -- --all` runs them always, as
// does a fresh clone, which knows of no green run.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrationFiles } from './migration-files.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

const STARTING = ['src/app/server/', 'src/kernel/server/platform.ts', 'src/kernel/server/database.ts'];
const JOBS = ['src/kernel/server/tasks'];
const JOURNEY = ['e2e/product.ts'];

/** Each rare test file with the files and folders it tries. */
export const RARE = {
  'src/app/server/embedded-database.test.ts': [
    'src/app/server/embedded-database.ts',
    'src/app/server/migrate.ts',
    'src/testing/global-setup.ts',
  ],
  'src/app/server/backup.test.ts': ['src/app/server/backup.ts', 'src/app/server/migrate.ts'],
  'src/app/server/seed-mass.test.ts': [
    'src/app/server/seed-',
    'src/app/server/check-seed.ts',
    'src/domain/trade-money',
    'database/seeds',
  ],
  'src/app/idempotency-crash.test.ts': [
    'src/kernel/server/resource/run-action.ts',
    'src/kernel/server/http',
    'src/kernel/server/database.ts',
  ],
  'e2e/crash.test.ts': [...STARTING, ...JOBS, ...JOURNEY],
  'e2e/stays-up.test.ts': [...STARTING, ...JOBS, ...JOURNEY],
};
const ALWAYS = [
  'package-lock.json',
  'vitest.config.ts',
  'src/testing/test-database.ts',
  'src/testing/test-product.ts',
];

const kept = path.join(root, 'node_modules', '.cache', 'green-tests.json');

/** What decides whether a rare test runs again: its own text, the code it tries, migrations, packages and the Node version. */
export function stateOf(test) {
  const hash = createHash('sha256').update(process.version);
  const wanted = [test, ...RARE[test], ...ALWAYS];
  const files = wanted.flatMap((one) => {
    const matches = filesAt(one);
    if (matches.length === 0) throw new Error(`${test}: there is no ${one}`);
    return matches;
  });
  for (const file of [...new Set([...files, ...migrationFiles()])].sort())
    hash.update(path.relative(root, file)).update('\0').update(fs.readFileSync(file)).update('\0');
  return hash.digest('hex');
}

/** Files of a path: a file, everything in a folder, or everything beginning so. */
function filesAt(one) {
  const full = path.join(root, one);
  const folder = one.endsWith('/') || (fs.existsSync(full) && fs.statSync(full).isDirectory());
  if (!folder && fs.existsSync(full)) return [full];
  const parent = folder ? full : path.dirname(full);
  if (!fs.existsSync(parent)) return [];
  return fs
    .readdirSync(parent, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => folder || file.startsWith(full));
}

/** Rare tests that were green with the very same code. */
export function unchangedRare() {
  const green = read();
  return Object.keys(RARE).filter((test) => green[test] === stateOf(test));
}

/** Notes the rare tests among files that were green; those that failed run again whatever happens. */
export function noteRare(files, states) {
  const green = read();
  for (const { file, passed } of files)
    if (file in RARE) {
      if (passed) green[file] = states[file];
      else delete green[file];
    }
  fs.mkdirSync(path.dirname(kept), { recursive: true });
  fs.writeFileSync(kept, JSON.stringify(green, undefined, 2));
}

/** The state of every rare test now, so that what is edited during a run counts as changed. */
export function statesNow() {
  return Object.fromEntries(Object.keys(RARE).map((test) => [test, stateOf(test)]));
}

function read() {
  try {
    return JSON.parse(fs.readFileSync(kept, 'utf8'));
  } catch {
    return {};
  }
}
