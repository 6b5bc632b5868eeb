// Two instances of the built product on one PostgreSQL, behind a proxy that takes them by turns.
// node tools/two-instances.mjs: the proxy listens on PORT (8080), the instances on free ports. Without DATABASE_URL both use the
// embedded database of the first. Ctrl+C stops all three. Everything else is set as for npm start.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { roundRobin } from './round-robin.mjs';

const root = path.resolve(import.meta.dirname, '..');
const dataDir = path.resolve(process.env.DATA_DIR || './data');
const entry = path.join(root, 'dist', 'server', 'main.js');
if (!fs.existsSync(entry)) {
  console.error('Build first: npm run build');
  process.exit(1);
}
const running = [];
let stopping = false;

try {
  const first = await start(1, process.env);
  const second = await start(2, { ...process.env, ...databaseOfTheFirst() });
  const proxy = await roundRobin([first, second], Number(process.env.PORT || 8080));
  console.log(`Ready: ${proxy.url} takes ${first} and ${second} by turns. Stop with Ctrl+C.`);
} catch (error) {
  console.error(error.message);
  await stop(1);
}
process.on('SIGINT', () => void stop(0));
process.on('SIGTERM', () => void stop(0));

async function start(number, env) {
  const port = await freePort();
  const child = spawn(process.execPath, ['--enable-source-maps', entry], {
    env: { ...env, NODE_ENV: 'production', HOST: '127.0.0.1', PORT: String(port), DATA_DIR: dataDir },
    // In a group of its own: Ctrl+C reaches this process, which stops them in order.
    detached: process.platform !== 'win32',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(child);
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => process.stdout.write(String(text).replace(/^(?=.)/gm, `${number}: `)));
  child.on('exit', (code) => {
    if (stopping) return;
    console.error(`instance ${number} ended with ${code}`);
    void stop(1);
  });
  const url = `http://127.0.0.1:${port}`;
  for (let turn = 0; turn < 600; turn++) {
    const isReady = await fetch(`${url}/readyz`).then(
      (answer) => answer.ok,
      () => false,
    );
    if (isReady) return url;
    if (child.exitCode !== null) break;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  throw new Error(`instance ${number} did not start`);
}

/** Where the second finds the database the first holds. */
function databaseOfTheFirst() {
  if (process.env.DATABASE_URL) return {};
  const { app, owner } = JSON.parse(fs.readFileSync(path.join(dataDir, 'addresses.json'), 'utf8'));
  return { DATABASE_URL: urlOf(app), DATABASE_OWNER_URL: urlOf(owner) };
}

function urlOf({ host, port, user, password, database }) {
  const who = encodeURIComponent(user) + (password ? `:${encodeURIComponent(password)}` : '');
  // A socket's folder stands in the query.
  return host.startsWith('/')
    ? `postgres://${who}@/${database}?host=${encodeURIComponent(host)}&port=${port}`
    : `postgres://${who}@${host}:${port}/${database}`;
}

async function stop(code) {
  if (stopping) return;
  stopping = true;
  // The first holds the database of both, so it goes last.
  for (const child of running.reverse()) {
    if (child.exitCode !== null) continue;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
  }
  process.exit(code);
}

function freePort() {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
