// Says what is wrong with package-lock.json: `npm ci` must succeed on every system we support, on our smallest Node.
// Run by itself it prints the problems and fails when there are any.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const SYSTEMS = ['linux', 'darwin', 'win32'];
const PROCESSORS = ['x64', 'arm64'];

/** Problems the file itself shows; nothing is asked of a registry. */
export function lockProblems(packages, smallestNode) {
  const problems = [];
  for (const [place, entry] of Object.entries(packages)) {
    const name = place === '' ? 'package.json' : place.replace(/^.*node_modules\//, '');
    for (const [wanted, range] of Object.entries(entry.optionalDependencies ?? {})) {
      const found = resolveFrom(packages, place, wanted);
      // npm writes only the binaries of the own system when it meets an installed node_modules; `npm ci` then fails elsewhere.
      if (!found) problems.push(`${name} lacks its optional ${wanted}`);
      else if (/^\d/.test(range) && found.version !== range)
        problems.push(`${name} wants ${wanted} ${range}, the lock file has ${found.version}`);
    }
    const node = entry.engines?.node;
    if (place !== '' && node && !satisfies(smallestNode, node))
      problems.push(`${name} ${entry.version} wants Node ${node}, ours may be ${smallestNode}`);
  }
  return problems;
}

/** As Node looks: in the folder of the package itself, then in those above. */
function resolveFrom(packages, place, name) {
  for (let folder = place; ;) {
    const found = packages[`${folder === '' ? '' : `${folder}/`}node_modules/${name}`];
    if (found || folder === '') return found;
    folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')));
    if (!folder.includes('node_modules')) folder = '';
  }
}

/** Ranges as `engines` writes them: alternatives of ^, ~, comparisons and bare or partial versions. */
export function satisfies(version, range) {
  const have = version.split('.').map(Number);
  return range.split('||').some((alternative) => {
    const parts = [
      ...alternative.matchAll(/(\^|~|>=|<=|>|<|=)?\s*v?(\d+|\*|x)(?:\.(\d+|\*|x))?(?:\.(\d+|\*|x))?/g),
    ];
    return parts.every(([, sign, ...numbers]) => {
      const given = numbers.filter((number) => /^\d+$/.test(number ?? '')).map(Number);
      const order = given.reduce((done, number, index) => done || Math.sign(have[index] - number), 0);
      const whole = [...given, 0, 0].slice(0, 3);
      const after = have.reduce((done, number, index) => done || Math.sign(number - whole[index]), 0);
      if (given.length === 0) return true;
      if (sign === '>=') return after >= 0;
      if (sign === '>') return order > 0;
      if (sign === '<') return after < 0;
      if (sign === '<=') return order <= 0;
      // The first number that is not zero may not change; for ~ the minor one.
      const fixed =
        sign === '~'
          ? 2
          : sign === '^'
            ? Math.max(1, whole.findIndex((number) => number > 0) + 1)
            : given.length;
      return have.slice(0, fixed).every((number, index) => number === whole[index]) && order >= 0;
    });
  });
}

async function dryRun(os, cpu) {
  const child = spawn(
    'npm',
    [
      'ci',
      '--dry-run',
      '--offline',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
      `--os=${os}`,
      `--cpu=${cpu}`,
    ],
    { cwd: root, stdio: ['ignore', 'ignore', 'pipe'], shell: process.platform === 'win32' },
  );
  let output = '';
  child.stderr.on('data', (text) => (output += text));
  const code = await new Promise((resolve) => child.once('close', resolve));
  return code === 0 ? undefined : `npm ci fails on ${os}-${cpu}: ${output.trim()}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const read = (name) => JSON.parse(fs.readFileSync(path.join(root, name), 'utf8'));
  const smallestNode = /\d+\.\d+\.\d+/.exec(read('package.json').engines.node)[0];
  const problems = lockProblems(read('package-lock.json').packages, smallestNode);
  for (const os of SYSTEMS) {
    const tried = await Promise.all(PROCESSORS.map((cpu) => dryRun(os, cpu)));
    problems.push(...tried.filter((problem) => problem !== undefined));
  }
  for (const problem of problems) console.error(problem);
  process.exit(problems.length > 0 ? 1 : 0);
}
