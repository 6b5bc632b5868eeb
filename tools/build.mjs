// Builds the server (esbuild, dist/server) and the page (Vite, dist/client). Skips what is up to date unless --force.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import zlib from 'node:zlib';
import { migrationFiles } from './migration-files.mjs';
import { writeRegistry } from './registry.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** Builds what is stale and returns the build id. */
export async function build({ force = false, client = true, quiet = false } = {}) {
  process.chdir(root);
  writeRegistry();
  const id = sourceHash();
  const stamp = path.join(root, 'dist', 'build.json');
  const built = fs.existsSync(stamp) ? JSON.parse(fs.readFileSync(stamp, 'utf8')) : {};
  const log = quiet ? () => {} : console.log;
  if (force || built.server !== id) {
    log('Building the server …');
    await buildServer();
    built.server = id;
  }
  if (client && (force || built.client !== id)) {
    log('Building the page …');
    await buildClient(id);
    built.client = id;
  }
  built.build = id;
  fs.mkdirSync(path.dirname(stamp), { recursive: true });
  fs.writeFileSync(stamp, JSON.stringify(built));
  return id;
}

async function buildServer() {
  const { build: esbuild } = await import('esbuild');
  const fresh = path.join(root, 'dist', `server-${process.pid}`);
  await esbuild({
    entryPoints: ['keep', 'main', 'worker', 'cli'].map((name) =>
      path.join(root, 'src', 'app', 'server', `${name}.ts`),
    ),
    outdir: fresh,
    bundle: true,
    splitting: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: true,
    logLevel: 'warning',
  });
  putInPlace(fresh, 'server');
  copyMigrations();
}

/** An installation without sources (the container image) finds the migrations of all features beside the program. */
function copyMigrations() {
  const fresh = path.join(root, 'dist', `migrations-${process.pid}`);
  fs.mkdirSync(fresh, { recursive: true });
  for (const file of migrationFiles()) fs.copyFileSync(file, path.join(fresh, path.basename(file)));
  putInPlace(fresh, 'migrations');
}

/** A build that fails leaves the last good one where it is. */
function putInPlace(fresh, name) {
  const place = path.join(root, 'dist', name);
  const old = `${fresh}-old`;
  if (fs.existsSync(place)) fs.renameSync(place, old);
  fs.renameSync(fresh, place);
  fs.rmSync(old, { recursive: true, force: true });
}

async function buildClient(id) {
  process.env.BUILD_ID = id;
  const { build: vite } = await import('vite');
  const fresh = path.join(root, 'dist', `client-${process.pid}`);
  await vite({
    root,
    logLevel: 'warn',
    define: { __BUILD__: JSON.stringify(id) },
    build: { outDir: fresh, emptyOutDir: true },
  });
  // Compressed once here, so that the server never compresses while it answers.
  for (const file of walk(fresh)) {
    if (!/\.(js|css|svg|html)$/.test(file)) continue;
    const text = fs.readFileSync(file);
    if (text.length < 1024) continue;
    fs.writeFileSync(`${file}.gz`, zlib.gzipSync(text, { level: 9 }));
    fs.writeFileSync(
      `${file}.br`,
      zlib.brotliCompressSync(text, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 9 } }),
    );
  }
  putInPlace(fresh, 'client');
}

function sourceHash() {
  const hash = createHash('sha256');
  const files = [
    'package-lock.json',
    'vite.config.ts',
    'index.html',
    'tools/build.mjs',
    ...walk('src'),
    ...walk('public'),
    ...walk('database'),
  ]
    // Tests and row types are no part of the product; the lists of the registry follow from the other files.
    .filter((file) => !/\.(test|oracle|gen)\.tsx?$/.test(file))
    .sort();
  for (const file of files)
    hash
      .update(file)
      .update('\0')
      .update(fs.readFileSync(path.join(root, file)))
      .update('\0');
  return hash.digest('hex').slice(0, 12);
}

function walk(folder) {
  if (!fs.existsSync(folder)) return [];
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const full = path.join(folder, entry.name);
    return entry.isDirectory() ? walk(full) : [full];
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await build({ force: process.argv.includes('--force') });
