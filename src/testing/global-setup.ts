import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import {
  DatabaseHeldError,
  type EmbeddedDatabase,
  startEmbeddedDatabase,
} from '../app/server/embedded-database.ts';
import { migrate, projectFolder } from '../app/server/migrate.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Maintenance address of the test cluster; only test-database.ts uses it. */
    testSuperuser: TestAddress;
  }
}

/** How to reach the test cluster: a socket folder, or host, port and password on Windows. */
export interface TestAddress {
  host: string;
  port: number;
  password?: string;
}

/** The database every test database is cloned from: migrated, with the reference rows seeded. */
export const TEMPLATE_DATABASE = 'test_template';

/** Starts one cluster for the whole run and prepares the template; the returned function stops the cluster. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const database = await startFreeCluster();
  try {
    await clearCluster(database.superuser);
    await prepareTemplate(database);
    const { host, port, password } = database.superuser;
    if (!host || !port) throw new Error('The embedded database gave no address');
    project.provide('testSuperuser', { host, port, ...(typeof password === 'string' ? { password } : {}) });
  } catch (error) {
    await database.stop();
    throw error;
  }
  return () => database.stop();
}

/** A cluster is kept between runs, as making one takes a second; runs at the same time take one each. */
async function startFreeCluster(): Promise<EmbeddedDatabase> {
  const parent = writableFolder();
  for (let number = 1; ; number += 1) {
    const dataDir = path.join(parent, String(number));
    try {
      return await startEmbeddedDatabase({ dataDir, tuning: 'test' });
    } catch (error) {
      if (error instanceof DatabaseHeldError) continue;
      if (!fs.existsSync(path.join(dataDir, 'cluster'))) throw error;
      // Test clusters do not sync to disk, so a power cut may have broken this one. Nothing in it is worth keeping.
      fs.rmSync(dataDir, { recursive: true, force: true });
      return await startEmbeddedDatabase({ dataDir, tuning: 'test' });
    }
  }
}

/** One for each user, as a cluster can be run only by the user who made it. */
function writableFolder(): string {
  const name = `test-db-${process.getuid?.() ?? 'any'}`;
  const near = path.join(projectFolder(), 'node_modules', '.cache', name);
  try {
    fs.mkdirSync(near, { recursive: true });
    return near;
  } catch {
    return path.join(os.tmpdir(), name); // a checkout of someone else
  }
}

async function clearCluster(superuser: pg.PoolConfig): Promise<void> {
  const client = new pg.Client(superuser);
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      `SELECT quote_ident(datname) AS name FROM pg_database
        WHERE NOT datistemplate AND datname NOT IN ('postgres', 'product')`,
    );
    for (const { name } of rows) await client.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${TEMPLATE_DATABASE} OWNER app_owner`);
  } finally {
    await client.end();
  }
}

async function prepareTemplate(database: EmbeddedDatabase): Promise<void> {
  const { owner, app } = database.addresses;
  await migrate({ ...owner, database: TEMPLATE_DATABASE });
  const seed = path.join(projectFolder(), 'src', 'app', 'server', 'seed-reference.ts');
  if (!fs.existsSync(seed)) return;
  const module: unknown = await import(/* @vite-ignore */ pathToFileURL(seed).href);
  if (!hasSeedReference(module)) return;
  const pool = new pg.Pool({ ...app, database: TEMPLATE_DATABASE, max: 4 });
  try {
    await module.seedReference(pool);
  } finally {
    await pool.end(); // a template with an open connection cannot be cloned
  }
}

function hasSeedReference(module: unknown): module is { seedReference: (pool: pg.Pool) => Promise<unknown> } {
  return (
    typeof module === 'object' &&
    module !== null &&
    'seedReference' in module &&
    typeof module.seedReference === 'function'
  );
}
