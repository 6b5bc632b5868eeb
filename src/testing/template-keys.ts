import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { businessDayOf } from '../kernel/contract/time.rules.ts';

/** Hashes over what the databases are made from that tests are cloned from. */
export interface TemplateKeys {
  /** Of the migrated and seeded one. */
  readonly base: string;
  /** Of those with demonstration rows: of a day, as these lie around today. */
  readonly filled: string;
}

/**
 * Says what the test templates of a checkout are made from, so that a run on a developer's machine keeps those of the run before.
 * Demonstration rows are made by commands of the domain and of features too; these are left out, or every edit would make all
 * anew, which takes a minute. A fresh clone makes everything, so CI never sees a kept one; `node_modules/.cache` removed, a
 * checkout does.
 */
export function templateKeys(root: string): TemplateKeys {
  const files = ['database', 'src'].flatMap((folder) =>
    fs
      .readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => path.posix.join(folder, name.split(path.sep).join('/'))),
  );
  const hash = (start: string, matches: (file: string) => boolean) => {
    const sum = createHash('sha256').update(start);
    for (const file of files.filter(matches).sort())
      sum
        .update(`${file}\0`)
        .update(fs.readFileSync(path.join(root, file)))
        .update('\0');
    return sum.digest('hex');
  };
  const base = hash(
    '',
    (file) =>
      /^database\/.*\.\w+$/.test(file) ||
      /\/migrations\/[^/]+\.sql$/.test(file) ||
      (/^src\/app\/server\/[^/]+\.ts$/.test(file) && !file.endsWith('.test.ts')),
  );
  const filled = hash(
    base + businessDayOf(new Date()),
    (file) =>
      /\.(demo|contract)\.ts$|\/group\.ts$/.test(file) ||
      (/^src\/app\/server\/seed-demo\/.*\.ts$/.test(file) && !file.endsWith('.test.ts')),
  );
  return { base, filled };
}
