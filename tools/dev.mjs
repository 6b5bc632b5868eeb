// npm run dev: the server restarts and the page reloads by themselves when a source file changes. The page is on port 5173.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensurePackages } from './install.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
ensurePackages();
process.chdir(root);
const { writeRegistry } = await import('./registry.mjs');
writeRegistry();
const { context } = await import('esbuild');
let child;
let restarting = Promise.resolve();
const restart = () => {
  restarting = restarting.then(async () => {
    if (child && child.exitCode === null) {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await gone;
    }
    child = spawn(process.execPath, ['--enable-source-maps', 'dist/server/main.js'], {
      stdio: 'inherit',
      env: { ...process.env, SERVE_CLIENT: 'off', BUILD_ID: 'dev' },
    });
  });
};
const watcher = await context({
  entryPoints: ['main', 'worker', 'cli'].map((name) => `src/app/server/${name}.ts`),
  outdir: 'dist/server',
  bundle: true,
  splitting: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: true,
  logLevel: 'info',
  plugins: [
    {
      name: 'restart',
      setup: (build) => {
        build.onStart(() => void writeRegistry());
        build.onEnd((result) => {
          if (result.errors.length === 0) restart();
        });
      },
    },
  ],
});
await watcher.watch();
const { createServer } = await import('vite');
const page = await createServer({ root, define: { __BUILD__: JSON.stringify('dev') } });
await page.listen();
page.printUrls();
const stop = async () => {
  await page.close();
  await watcher.dispose();
  child?.once('exit', () => process.exit(0));
  child?.kill('SIGTERM');
};
process.on('SIGINT', stop);
process.on('SIGTERM', stop);
