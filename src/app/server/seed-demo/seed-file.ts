import fs from 'node:fs';
import path from 'node:path';
import { projectFolder } from '../migrate.ts';

/** Reads database/seeds/`name`.json. The caller names the shape; the files are committed and covered by tests. */
export function readSeedFile<T>(name: string): T {
  return JSON.parse(
    fs.readFileSync(path.join(projectFolder(), 'database', 'seeds', `${name}.json`), 'utf8'),
  ) as T;
}
