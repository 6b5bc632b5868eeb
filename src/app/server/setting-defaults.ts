import fs from 'node:fs';
import path from 'node:path';
import { projectFolder } from './migrate.ts';

/** Settings of the sandbox channels: they provoke what a real channel does on a bad day. */
const SANDBOX: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  // ok, fail, delay, duplicate, lost (no answer until asked), mixed by the last digit of the amount
  ['sandbox.refund.mode', 'ok'],
  ['sandbox.payment.mode', 'ok'],
  ['sandbox.delay_ms', 800],
]);

/** Declared settings with their defaults: every key of settings.csv and the sandbox's own. */
export function settingDefaults(): ReadonlyMap<string, unknown> {
  const defaults = new Map<string, unknown>(SANDBOX);
  const lines = fs
    .readFileSync(path.join(projectFolder(), 'database', 'seeds', 'settings.csv'), 'utf8')
    .split(/\r?\n/);
  for (const line of lines.slice(1)) {
    if (line === '') continue;
    const [key, value, unit] = splitCsv(line);
    defaults.set(key!, typedDefault(value!, unit!));
  }
  return defaults;
}

function typedDefault(value: string, unit: string): unknown {
  if (value === '(empty)') return unit === 'list' ? [] : '';
  if (unit === 'bool') return value === 'true';
  if (/^-?\d+(\.\d+)?$/.test(value)) return Number(value);
  return value;
}

function splitCsv(line: string): string[] {
  const cells: string[] = [];
  let cell = '';
  let quoted = false;
  for (const character of line) {
    if (character === '"') quoted = !quoted;
    else if (character === ',' && !quoted) {
      cells.push(cell);
      cell = '';
    } else cell += character;
  }
  cells.push(cell);
  return cells;
}
