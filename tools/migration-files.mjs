// The migration files of the project: database/migrations and every folder `migrations` below src/features and src/domain.
import fs from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');

/** Paths in the order in which an empty database gets them. */
export function migrationFiles() {
  return [
    path.join(root, 'database', 'migrations'),
    ...['features', 'domain'].flatMap((floor) => folders(path.join(root, 'src', floor))),
  ]
    .flatMap((folder) =>
      fs
        .readdirSync(folder)
        .filter((name) => name.endsWith('.sql'))
        .map((name) => path.join(folder, name)),
    )
    .sort((a, b) => (path.basename(a) < path.basename(b) ? -1 : 1));
}

function folders(folder) {
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (!entry.isDirectory()) return [];
    const inner = path.join(folder, entry.name);
    return entry.name === 'migrations' ? [inner] : folders(inner);
  });
}
