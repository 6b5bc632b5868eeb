// Builds the server (esbuild, dist/server) and the page (Vite, dist/client). Skips what is up to date unless --force.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { migrationFiles } from './migration-files.mjs';
import { writeRegistry } from './registry.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const stamp = path.join(root, 'dist', 'build.json');

/**
 * Builds what is stale and returns the build id. The work is done by a process of its own: bundlers take most of a
 * gigabyte, which a starter that stays beside the product would keep.
 */
export async function build({ force = false, client = true, quiet = false } = {}) {
  process.chdir(root);
  writeRegistry();
  const id = sourceHash();
  const built = readStamp();
  const parts = ['server', ...(client ? ['client'] : [])].filter((part) => force || built[part] !== id);
  if (parts.length === 0) return id;
  const log = quiet ? () => {} : console.log;
  log(parts.length === 2 ? 'Building …' : `Building the ${parts[0] === 'client' ? 'page' : 'server'} …`);
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), '--parts', id, ...parts], {
    stdio: ['ignore', quiet ? 'ignore' : 'inherit', 'inherit'],
  });
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('exit', resolve));
  if (code !== 0) throw new Error('the build failed');
  return id;
}

async function buildParts(id, parts) {
  const work = { server: buildServer, client: () => buildClient(id) };
  await Promise.all(parts.map((part) => work[part]()));
  const built = { ...readStamp(), ...Object.fromEntries(parts.map((part) => [part, id])), build: id };
  fs.writeFileSync(stamp, JSON.stringify(built));
}

function readStamp() {
  return fs.existsSync(stamp) ? JSON.parse(fs.readFileSync(stamp, 'utf8')) : {};
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
  await compress(fresh, path.join(root, 'dist', 'client'));
  putInPlace(fresh, 'client');
}

/** Compressed once here, so that the server never compresses while it answers. What did not change is taken over. */
async function compress(folder, former) {
  await Promise.all(
    walk(folder).map(async (file) => {
      if (!/\.(js|css|svg|html)$/.test(file)) return;
      const text = fs.readFileSync(file);
      if (text.length < 1024) return;
      const old = path.join(former, path.relative(folder, file));
      const same = fs.existsSync(old) && fs.readFileSync(old).equals(text);
      for (const [ending, pack] of PACKERS) {
        if (same && fs.existsSync(old + ending)) fs.copyFileSync(old + ending, file + ending);
        else fs.writeFileSync(file + ending, await pack(text));
      }
    }),
  );
}

const PACKERS = [
  ['.gz', (text) => promisify(zlib.gzip)(text, { level: 9 })],
  [
    '.br',
    (text) => promisify(zlib.brotliCompress)(text, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 9 } }),
  ],
];

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
    // Tests are no part of the product; the lists of the registry follow from the other files.
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

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [mode, id, ...parts] = process.argv.slice(2);
  if (mode === '--parts') await buildParts(id, parts);
  else await build({ force: process.argv.includes('--force') });
}
