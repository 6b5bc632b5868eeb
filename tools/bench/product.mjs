// Starts the built product on a data folder kept between benchmark runs and signs in.
import { spawn, spawnSync } from 'node:child_process';
import { constants, publicEncrypt } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const START_MS = 600_000;
const PASSWORD = 'Xk7#mQ2vLp9!';

/** Data folder with `rows` further orders, made once. */
export function benchData(rows) {
  const dataDir = path.join(root, '.cache', `bench-${rows}`);
  const mark = path.join(dataDir, 'seeded');
  if (fs.existsSync(mark)) return dataDir;
  fs.rmSync(dataDir, { recursive: true, force: true });
  const started = performance.now();
  const args = rows > 0 ? ['seed', '--rows', String(rows), '--seed', '42'] : ['seed'];
  const done = spawnSync(process.execPath, [path.join(root, 'dist/server/cli.js'), ...args], {
    stdio: 'inherit',
    env: { ...process.env, DATA_DIR: dataDir, ADMIN_PASSWORD: PASSWORD, DEMO_PASSWORD: PASSWORD },
  });
  if (done.status !== 0) throw new Error('seeding failed');
  console.log(`seeded ${rows} orders in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  fs.writeFileSync(mark, '');
  return dataDir;
}

/** Starts the product; returns port, sign-in and stop. */
export async function startProduct(dataDir, port = 18080, env = {}) {
  const started = performance.now();
  const child = spawn(process.execPath, [path.join(root, 'dist/server/main.js')], {
    env: {
      ...process.env,
      NODE_ENV: 'production',
      DATA_DIR: dataDir,
      PORT: String(port),
      CAPTCHA: 'fixed:1234',
      ADMIN_PASSWORD: PASSWORD,
      DEMO_PASSWORD: PASSWORD,
      LOG_LEVEL: 'error',
      // One caller asks more than any person would.
      CALLS_A_MINUTE: '100000000',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  // The output is collected: a line may come in pieces.
  let output = '';
  await new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`the product is not ready: ${output}`)), START_MS);
    child.stdout.on('data', (text) => {
      output += text;
      if (!output.includes('Ready in')) return;
      clearTimeout(late);
      resolve();
    });
    child.on('exit', (code) => reject(new Error(`the product ended with ${code}: ${output}`)));
  });
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    port,
    pid: child.pid,
    readyAfter: performance.now() - started,
    signIn: (account) => signIn(url, account),
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', resolve);
        child.kill('SIGTERM');
      }),
  };
}

/** Signs an account of the demonstration data in and returns the value of its Authorization header. */
export async function signIn(url, account) {
  const image = await fetch(`${url}/api/auth/authLogin/getVerificationCode`);
  const cookie = image.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ');
  const { data } = await (await fetch(`${url}/api/auth/authLogin/publicKey`)).json();
  const password = publicEncrypt(
    { key: data.key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' },
    Buffer.from(PASSWORD),
  ).toString('base64');
  const answer = await fetch(`${url}/api/auth/oauth/token`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from('web:web').toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
      cookie,
    },
    body: new URLSearchParams({ username: account, password, grant_type: 'password', code: '1234' }),
  });
  const body = await answer.json();
  if (!body.access_token) throw new Error(body.message);
  return `Bearer ${body.access_token}`;
}

/** Resident memory of a process and its children in MB, by name. */
export function memory(pid) {
  const rows = spawnSync('ps', ['-eo', 'pid,ppid,rss,args'], { encoding: 'utf8' })
    .stdout.split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/));
  const of = (row) => ({
    pid: Number(row[0]),
    ppid: Number(row[1]),
    mb: Math.round(Number(row[2]) / 1024),
    args: row.slice(3).join(' '),
  });
  return rows
    .filter((row) => row.length > 3)
    .map(of)
    .filter((row) => row.pid === pid || row.ppid === pid);
}
