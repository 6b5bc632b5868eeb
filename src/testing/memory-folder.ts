import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** What the largest run holds at once, twice over. */
const ROOM = 4 * 1024 ** 3;
const SHARED_MEMORY = '/dev/shm';

/**
 * Where databases of tests lie: in memory where the machine has room for it, as thousands of files are made and thrown away for each
 * and nothing of them is worth a disk's time; undefined on other machines.
 */
export function memoryFolder(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    fs.accessSync(SHARED_MEMORY, fs.constants.W_OK | fs.constants.X_OK);
    const { bavail, bsize } = fs.statfsSync(SHARED_MEMORY);
    return Math.min(bavail * bsize, os.freemem()) > ROOM ? SHARED_MEMORY : undefined;
  } catch {
    return undefined;
  }
}

/** The same for a folder that programs are run from, which containers may forbid in memory; else the folder for temporary files. */
export function memoryFolderForPrograms(): string {
  const folder = memoryFolder();
  if (folder === undefined) return os.tmpdir();
  const probe = path.join(folder, `may-run-${process.pid}`);
  try {
    fs.writeFileSync(probe, '#!/bin/sh\nexit 0\n', { mode: 0o700 });
    return spawnSync(probe).status === 0 ? folder : os.tmpdir();
  } catch {
    return os.tmpdir();
  } finally {
    fs.rmSync(probe, { force: true });
  }
}
