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
import { memoryFolder } from './memory-folder.ts';
import { templateKeys, type TemplateKeys } from './template-keys.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Maintenance address of the test cluster; only test-database.ts uses it. */
    testSuperuser: TestAddress;
    /** What the templates of this run are made from. */
    templateKeys: TemplateKeys;
    /** Whether clones go to the tablespace in memory. */
    clonesInMemory: boolean;
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
/** Where clones lie that are thrown away at the end of their file. */
export const CLONE_TABLESPACE = 'clones';

/** Starts one cluster for the whole run and prepares the template; the returned function stops the cluster. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const database = await startFreeCluster();
  let clones: string | undefined;
  try {
    const keys = templateKeys(projectFolder());
    if (!(await clearCluster(database.superuser, keys))) await prepareTemplate(database, keys);
    clones = await placeClones(database.superuser);
    project.provide('clonesInMemory', clones !== undefined);
    project.provide('templateKeys', keys);
    const { host, port, password } = database.superuser;
    if (!host || !port) throw new Error('The embedded database gave no address');
    project.provide('testSuperuser', { host, port, ...(typeof password === 'string' ? { password } : {}) });
  } catch (error) {
    await database.stop();
    throw error;
  }
  return async () => {
    await database.stop();
    if (clones !== undefined) fs.rmSync(clones, { recursive: true, force: true });
  };
}

/** Makes the tablespace for clones where there is memory for them; that of a former run, which may have been cut off, goes. */
async function placeClones(superuser: pg.PoolConfig): Promise<string | undefined> {
  const client = new pg.Client(superuser);
  await client.connect();
  try {
    const { rows } = await client.query<{ place: string }>(
      `SELECT pg_tablespace_location(oid) AS place FROM pg_tablespace WHERE spcname = $1`,
      [CLONE_TABLESPACE],
    );
    if (rows[0]) {
      await client.query(`DROP TABLESPACE ${CLONE_TABLESPACE}`);
      fs.rmSync(rows[0].place, { recursive: true, force: true });
    }
    const parent = memoryFolder();
    if (parent === undefined) return undefined;
    const folder = fs.mkdtempSync(path.join(parent, 'test-clones-'));
    // Owned by whoever runs the cluster, who owns its socket.
    const { uid, gid } = fs.statSync(superuser.host!);
    fs.chownSync(folder, uid, gid);
    await client.query(`CREATE TABLESPACE ${CLONE_TABLESPACE} LOCATION '${folder}'`);
    return folder;
  } finally {
    await client.end();
  }
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

/**
 * Drops what earlier runs left but the templates that are made from the same files; true when the base template is one of them.
 * A template says in its comment what it was made from, as its last step: what was cut off has none.
 */
async function clearCluster(superuser: pg.PoolConfig, keys: TemplateKeys): Promise<boolean> {
  const client = new pg.Client(superuser);
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string; quoted: string; key: string | null }>(
      `SELECT datname AS name, quote_ident(datname) AS quoted, shobj_description(oid, 'pg_database') AS key FROM pg_database
        WHERE NOT datistemplate AND datname NOT IN ('postgres', 'product')`,
    );
    const kept = (one: (typeof rows)[number]) =>
      one.key === (one.name === TEMPLATE_DATABASE ? keys.base : keys.filled);
    for (const one of rows) if (!kept(one)) await client.query(`DROP DATABASE ${one.quoted} WITH (FORCE)`);
    if (rows.some((one) => one.name === TEMPLATE_DATABASE && kept(one))) return true;
    await client.query(`CREATE DATABASE ${TEMPLATE_DATABASE} OWNER app_owner`);
    return false;
  } finally {
    await client.end();
  }
}

async function prepareTemplate(database: EmbeddedDatabase, keys: TemplateKeys): Promise<void> {
  const { owner, app } = database.addresses;
  await migrate({ ...owner, database: TEMPLATE_DATABASE });
  const seed = path.join(projectFolder(), 'src', 'app', 'server', 'seed-reference.ts');
  const module: unknown = await import(/* @vite-ignore */ pathToFileURL(seed).href);
  if (!hasSeedReference(module)) throw new Error('seed-reference.ts has no seedReference');
  const pool = new pg.Pool({ ...app, database: TEMPLATE_DATABASE, max: 4 });
  try {
    await module.seedReference(pool);
  } finally {
    await pool.end(); // a template with an open connection cannot be cloned
  }
  const client = new pg.Client(database.superuser);
  await client.connect();
  await client.query(`COMMENT ON DATABASE ${TEMPLATE_DATABASE} IS '${keys.base}'`);
  await client.end();
}

function hasSeedReference(module: unknown): module is { seedReference: (pool: pg.Pool) => Promise<unknown> } {
  return (
    typeof module === 'object' &&
    module !== null &&
    'seedReference' in module &&
    typeof module.seedReference === 'function'
  );
}
