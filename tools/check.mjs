// Static checks: types (three programs), lint, the walls of docs/ARCHITECTURE.md. Makes the generated files first.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeRegistry } from './registry.mjs';
import { checkWalls } from './walls.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** Runs every check and returns name and failure text of each. */
export async function runChecks() {
  writeRegistry();
  const bin = (name) =>
    path.join(root, 'node_modules', '.bin', process.platform === 'win32' ? `${name}.cmd` : name);
  const command = (name, program, args) => {
    const done = spawnSync(program, args, {
      cwd: root,
      encoding: 'utf8',
      shell: process.platform === 'win32',
    });
    return {
      name,
      failure:
        done.status === 0
          ? undefined
          : `${done.stdout ?? ''}${done.stderr ?? ''}`.trim() || `exit ${done.status}`,
    };
  };
  const walls = checkWalls(root);
  return [
    command('types of contracts and rules', bin('tsc'), ['--noEmit', '-p', 'tsconfig.contract.json']),
    command('types of the server', bin('tsc'), ['--noEmit', '-p', 'tsconfig.server.json']),
    command('types of the page', bin('tsc'), ['--noEmit', '-p', 'tsconfig.client.json']),
    command('types of the journeys', bin('tsc'), ['--noEmit', '-p', 'tsconfig.e2e.json']),
    command('lint', bin('oxlint'), ['src', 'e2e', 'tools']),
    command('lock file', process.execPath, ['tools/lockfile.mjs']),
    { name: 'walls between folders', failure: walls.length > 0 ? walls.join('\n') : undefined },
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const results = await runChecks();
  for (const result of results)
    console.log(
      result.failure === undefined ? `ok   ${result.name}` : `FAIL ${result.name}\n${result.failure}`,
    );
  process.exit(results.some((result) => result.failure !== undefined) ? 1 : 0);
}
