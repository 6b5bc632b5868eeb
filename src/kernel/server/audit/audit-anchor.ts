import { randomBytes } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';

/** A link of the audit chain as noted outside the database. `hash` in hex. */
export interface Anchor {
  readonly chainNo: number;
  readonly hash: string;
}

/** Notes the newest link in `<dataDir>/audit-anchor`. */
export async function writeAnchor(dataDir: string, anchor: Anchor): Promise<void> {
  await fs.mkdir(dataDir, { recursive: true });
  const file = path.join(dataDir, NAME);
  const draft = `${file}.${randomBytes(4).toString('hex')}`;
  // Renamed into place: a reader sees the old note or the new one, never half of it.
  await fs.writeFile(draft, `${anchor.chainNo} ${anchor.hash}\n`, { mode: 0o600 });
  await fs.rename(draft, file);
}

/** The noted link, or undefined when none was noted. */
export async function lastAnchor(dataDir: string): Promise<Anchor | undefined> {
  const text = await fs.readFile(path.join(dataDir, NAME), 'utf8').catch(() => '');
  const match = /^(\d+) ([0-9a-f]{64})\n$/.exec(text);
  return match ? { chainNo: Number(match[1]), hash: match[2]! } : undefined;
}

const NAME = 'audit-anchor';
