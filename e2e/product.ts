import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from 'playwright-core';
import { onTestFailed } from 'vitest';
import { memoryFolderForPrograms } from '../src/testing/memory-folder.ts';

/** Password of the first account and of the demonstration staff in journeys. */
export const PASSWORD = 'Xk7#mQ2vLp9!';

/** The built product as a user starts it: own data folder, own port, demonstration data. */
export interface RunningProduct {
  readonly url: string;
  readonly dataDir: string;
  /** What it printed so far. */
  output(): string;
  /** Calls the API with a token. */
  call(
    method: string,
    path: string,
    token?: string,
    body?: unknown,
  ): Promise<{ http: number; body: { status: number; message: string; data: never } }>;
  /** Signs in through the token endpoint and returns `Bearer …`. */
  signIn(account: string, password?: string): Promise<string>;
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Process id of the server, or of the process that keeps it. */
  readonly pid: number;
  /** True once that process has ended. */
  ended(): boolean;
  /** Its exit code; null while it runs and when a signal ended it. */
  exitCode(): number | null;
  stop(): Promise<void>;
}

/** The server alone, or with the process beside it that starts it again, as `npm start` does. */
export type Entry = 'main.js' | 'keep.js';

/**
 * Starts dist/server/main.js. `npm test` has built it. Environment variables may be added; a start on a data folder of
 * its own gets the demonstration data without waiting for them, unless a variable changes what a first start writes.
 */
export async function startProduct(
  env: Readonly<Record<string, string>> = {},
  dataDir?: string,
  release = root,
  entry: Entry = 'main.js',
): Promise<RunningProduct> {
  if (dataDir !== undefined) return startOn(env, dataDir, release, entry);
  const fresh = makeDataFolder();
  if (!FIRST_START.some((name) => name in env) && process.platform !== 'win32') await fillDataFolder(fresh);
  return startOn(env, fresh, release, entry);
}

/** A data folder of this process; those of processes that were killed go, as memory is not emptied by itself. */
function makeDataFolder(): string {
  const parent = memoryFolderForPrograms();
  for (const name of fs.readdirSync(parent)) {
    const maker = /^e2e-(\d+)-/.exec(name)?.[1];
    const folder = path.join(parent, name);
    if (maker === undefined || lives(Number(maker))) continue;
    if (fs.statSync(folder, { throwIfNoEntry: false })?.uid !== process.getuid?.()) continue;
    fs.rmSync(folder, { recursive: true, force: true });
  }
  return fs.mkdtempSync(path.join(parent, `e2e-${process.pid}-`));
}

function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Variables that change what the first start writes into an empty data folder. */
const FIRST_START = ['DEMO', 'ADMIN_PASSWORD', 'DEMO_PASSWORD', 'DATABASE_URL'];

/**
 * Fills an empty data folder with a copy of one that a first start of this build made today. The first file of a run
 * makes it while others wait; they save the time of seeding.
 */
async function fillDataFolder(dataDir: string): Promise<void> {
  const cache = path.join(root, 'node_modules', '.cache', `e2e-data-${process.getuid?.() ?? 'any'}`);
  const kept = path.join(cache, `${builtId()}-${new Date().toISOString().slice(0, 10)}`);
  const maker = `${kept}.maker`;
  // Somebody else makes it and is alive; who was killed leaves it to the next one.
  for (let tries = 0; tries < 2_000 && !fs.existsSync(kept) && !takeTurn(maker); tries++)
    await new Promise((resolve) => setTimeout(resolve, 100));
  if (!fs.existsSync(kept)) {
    const making = makeDataFolder();
    const first = await startOn({}, making);
    await first.kill('SIGTERM');
    for (const name of ['addresses.json', 'supervisor.1.lock'])
      fs.rmSync(path.join(making, name), { force: true });
    fs.mkdirSync(cache, { recursive: true });
    for (const old of fs.readdirSync(cache))
      // What another file of this run is making right now begins with the same name.
      if (!old.startsWith(path.basename(kept)))
        fs.rmSync(path.join(cache, old), { recursive: true, force: true });
    const moving = `${kept}.${process.pid}`;
    copyFolder(making, moving);
    fs.rmSync(making, { recursive: true, force: true });
    try {
      fs.renameSync(moving, kept);
    } catch (error) {
      if (!fs.existsSync(kept)) throw error;
      fs.rmSync(moving, { recursive: true, force: true });
    }
    fs.rmSync(maker, { force: true });
  }
  copyFolder(kept, dataDir);
}

/** True for the process that a file names, and for the one that writes itself into it as none, or none that lives, stands there. */
function takeTurn(file: string): boolean {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  try {
    fs.writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    try {
      const maker = Number(fs.readFileSync(file, 'utf8'));
      if (maker === process.pid) return true;
      // Nothing in it yet: it is being written.
      if (maker !== 0 && !lives(maker)) fs.rmSync(file, { force: true });
    } catch {
      // It was taken away meanwhile.
    }
    return false;
  }
}

/** With owners: the cluster of a root user belongs to another one. */
function copyFolder(from: string, to: string): void {
  fs.mkdirSync(to, { recursive: true });
  const done = spawnSync('cp', ['-a', `${from}/.`, to], { encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`cp: ${done.stderr}`);
}

const root = path.join(import.meta.dirname, '..');

/** Id of the build that stands in dist. */
export function builtId(): string {
  return (JSON.parse(fs.readFileSync(path.join(root, 'dist', 'build.json'), 'utf8')) as { client: string })
    .client;
}

/**
 * Another release of the product in a folder of its own, as an operator would unpack one: this build under another id,
 * with every file of the page under another name, as changed code has.
 */
export function makeRelease(id: string): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'e2e-release-'));
  fs.copyFileSync(path.join(root, 'package.json'), path.join(folder, 'package.json'));
  for (const name of ['node_modules', 'database'])
    fs.symlinkSync(path.join(root, name), path.join(folder, name), 'junction');
  fs.cpSync(path.join(root, 'dist'), path.join(folder, 'dist'), { recursive: true });
  const client = path.join(folder, 'dist', 'client');
  const assets = path.join(client, 'assets');
  for (const name of [
    ...fs.readdirSync(assets).map((file) => path.join(assets, file)),
    `${client}/index.html`,
  ])
    if (/\.(gz|br)$/.test(name)) fs.rmSync(name);
  for (const name of ['index.html.gz', 'index.html.br']) fs.rmSync(path.join(client, name), { force: true });
  const renamed = new Map(
    fs
      .readdirSync(assets)
      .filter((name) => /\.(js|css)$/.test(name))
      .map((name) => [name, name.replace(/\.(js|css)$/, '-next.$1')]),
  );
  const old = builtId();
  const rewrite = (file: string, to = file) => {
    const text = fs
      .readFileSync(file, 'utf8')
      .replaceAll(old, id)
      .replace(/[\w.-]+\.(?:js|css)/g, (name) => renamed.get(name) ?? name);
    if (to !== file) fs.rmSync(file);
    fs.writeFileSync(to, text);
  };
  for (const [name, next] of renamed) rewrite(path.join(assets, name), path.join(assets, next));
  rewrite(path.join(client, 'index.html'));
  rewrite(path.join(folder, 'dist', 'build.json'));
  return folder;
}

async function startOn(
  env: Readonly<Record<string, string>>,
  dataDir: string,
  release = root,
  entry: Entry = 'main.js',
): Promise<RunningProduct> {
  const port = Number(env.PORT ?? (await freePort()));
  let output = '';
  const child: ChildProcess = spawn(
    process.execPath,
    ['--enable-source-maps', path.join(release, 'dist', 'server', entry)],
    {
      env: {
        ...process.env,
        // Building leaves the id of this build here; a release under test knows its own.
        BUILD_ID: '',
        NODE_ENV: 'production',
        PORT: String(port),
        HOST: '127.0.0.1',
        DATA_DIR: dataDir,
        CAPTCHA: 'fixed:1234',
        ADMIN_PASSWORD: PASSWORD,
        DEMO_PASSWORD: PASSWORD,
        LOG_LEVEL: 'error',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  child.stdout!.on('data', (text) => (output += text));
  child.stderr!.on('data', (text) => (output += text));
  const url = `http://127.0.0.1:${port}`;
  await until(async () => {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`the product ended: ${output}`);
    return (await fetch(`${url}/readyz`).catch(() => undefined))?.ok === true && output.includes('Ready in');
  }, 240_000);
  const call: RunningProduct['call'] = async (method, where, token, body) => {
    const answer = await fetch(`${url}${where}`, {
      method,
      headers: {
        ...(token ? { authorization: token } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { http: answer.status, body: (await answer.json()) as never };
  };
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await gone;
  };
  return {
    url,
    dataDir,
    output: () => output,
    call,
    signIn: async (account, password = PASSWORD) => {
      const image = await fetch(`${url}/api/auth/authLogin/getVerificationCode`);
      const cookie = image.headers
        .getSetCookie()
        .map((one) => one.split(';')[0])
        .join('; ');
      const answer = await fetch(`${url}/api/auth/oauth/token`, {
        method: 'POST',
        headers: {
          authorization: `Basic ${Buffer.from('web:web').toString('base64')}`,
          'content-type': 'application/x-www-form-urlencoded',
          cookie,
        },
        body: new URLSearchParams({
          username: account,
          password: await encrypt(url, password),
          grant_type: 'password',
          code: '1234',
        }),
      });
      const body = (await answer.json()) as { access_token?: string; message: string };
      if (!body.access_token) throw new Error(`sign-in of ${account} failed: ${body.message}`);
      return `Bearer ${body.access_token}`;
    },
    kill: end,
    pid: child.pid!,
    ended: () => child.exitCode !== null || child.signalCode !== null,
    exitCode: () => child.exitCode,
    stop: async () => {
      await end('SIGTERM');
      fs.rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** Processes of this machine; none where there is no `ps`. */
function processes(): Process[] {
  return (spawnSync('ps', ['-eo', 'pid,ppid,args'], { encoding: 'utf8' }).stdout ?? '')
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line))
    .filter((match) => match !== null)
    .map((match): Process => ({ pid: Number(match[1]), parent: Number(match[2]), command: match[3]! }));
}

function childOf(parent: number, script: string): number | undefined {
  return processes().find((one) => one.parent === parent && one.command.includes(script))?.pid;
}

/** Process id of a server's worker, or undefined while it has none. */
export function workerOf(serverPid: number): number | undefined {
  return childOf(serverPid, 'worker.js');
}

/** Process id of the server under a process that keeps it, or undefined while there is none. */
export function serverOf(keeperPid: number): number | undefined {
  return childOf(keeperPid, 'main.js');
}

/** Process id of the running database server's postmaster, or undefined while none runs. */
export function postmasterOf(dataDir: string): number | undefined {
  const moved = path.join(dataDir, 'postgres-location');
  const home = fs.existsSync(moved) ? fs.readFileSync(moved, 'utf8').trim() : dataDir;
  const cluster = path.join(home, 'cluster');
  // A child that was forked a moment ago bears the postmaster's command line, too: only the file tells which it is.
  let pid: number;
  try {
    pid = Number.parseInt(fs.readFileSync(path.join(cluster, 'postmaster.pid'), 'utf8'), 10);
  } catch {
    return undefined;
  }
  return processes().find(
    (one) => one.pid === pid && /\/bin\/postgres\b/.test(one.command) && one.command.includes(cluster),
  )?.pid;
}

/** Rows of the product's database, read beside the running product for what no screen shows yet. */
export async function query<T extends object>(
  product: RunningProduct,
  statement: string,
  values: unknown[] = [],
): Promise<T[]> {
  const { app } = JSON.parse(fs.readFileSync(path.join(product.dataDir, 'addresses.json'), 'utf8')) as {
    app: pg.ClientConfig;
  };
  const client = new pg.Client(app);
  await client.connect();
  try {
    return (await client.query<T>(statement, values)).rows;
  } finally {
    await client.end();
  }
}

/** A headless Chromium, found by npm test. */
export function startBrowser({ keepsPages = false } = {}): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    ignoreDefaultArgs: keepsPages ? ['--disable-back-forward-cache'] : [],
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

/** A page that remembers console errors and failed requests; `expectQuiet` fails on any that was not announced. */
export interface WatchedPage {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Console errors and failed requests since the last call. */
  troubles(): string[];
}

/**
 * Opens a page of a browser profile of its own, 1440×900 unless told otherwise. A profile that a journey has closed is emptied and
 * taken again, as it keeps the scripts of the page, which take longer to load than most journeys; `fresh` takes a new one.
 */
export async function openPage(
  browser: Browser,
  options: { width?: number; height?: number; english?: boolean; dark?: boolean; fresh?: boolean } = {},
  url = '',
): Promise<WatchedPage> {
  const { context, page } = await openProfile(
    browser,
    {
      viewport: { width: options.width ?? 1440, height: options.height ?? 900 },
      colorScheme: options.dark ? 'dark' : 'light',
      locale: 'zh-CN',
      timezoneId: 'Asia/Shanghai',
    },
    options.fresh ? '' : url,
  );
  if (options.english) await context.addCookies([{ name: 'language', value: 'en', url }]);
  tellOnFailure(page);
  let troubles: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') troubles.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => troubles.push(`error: ${error.message}`));
  page.on('requestfailed', (request) => {
    if (!/ERR_ABORTED/.test(request.failure()?.errorText ?? ''))
      troubles.push(`request: ${request.url()} ${request.failure()?.errorText}`);
  });
  return {
    context,
    page,
    troubles: () => {
      const seen = troubles;
      troubles = [];
      return seen;
    },
  };
}

/** Profiles that were closed, with nothing changed that outlives a page, by what they were opened with. */
const closed = new WeakMap<Browser, Map<string, BrowserContext[]>>();
/** What changes a profile for the pages to come. */
const CHANGES = {
  context: ['route', 'addInitScript', 'on', 'setOffline', 'setExtraHTTPHeaders', 'grantPermissions'],
  clock: ['install', 'pauseAt', 'fastForward', 'runFor', 'resume', 'setFixedTime', 'setSystemTime'],
};

async function openProfile(
  browser: Browser,
  options: BrowserContextOptions,
  url: string,
): Promise<{ context: BrowserContext; page: Page }> {
  const key = JSON.stringify([options, url]);
  const left = closed.get(browser)?.get(key)?.pop();
  const context = left ?? (await browser.newContext(options));
  const page = await context.newPage();
  if (url === '') return { context, page };
  if (left) {
    await context.clearCookies();
    const session = await context.newCDPSession(page);
    await session.send('Storage.clearDataForOrigin', { origin: url, storageTypes: 'all' });
    await session.detach();
    return { context, page };
  }
  let changed = false;
  for (const [owner, names] of [
    [context, CHANGES.context],
    [context.clock, CHANGES.clock],
  ] as unknown as [Record<string, (...values: unknown[]) => unknown>, string[]][])
    for (const name of names) {
      const change = owner[name]!.bind(owner);
      owner[name] = (...values) => {
        changed = true;
        return change(...values);
      };
    }
  const end = context.close.bind(context);
  context.close = async () => {
    if (changed || !browser.isConnected()) return end();
    await Promise.all(context.pages().map((one) => one.close()));
    const of = closed.get(browser) ?? new Map<string, BrowserContext[]>();
    closed.set(browser, of.set(key, [...(of.get(key) ?? []), context]));
  };
  return { context, page };
}

/** What the page saw last and shows, printed when the test fails: a journey that waited in vain says where it stood. */
function tellOnFailure(page: Page): void {
  const seen: string[] = [];
  const note = (line: string) => {
    seen.push(`${new Date().toISOString().slice(11, 23)} ${line}`);
    if (seen.length > 40) seen.shift();
  };
  page.on('console', (message) => {
    if (message.type() === 'error') note(`console: ${message.text()}`);
  });
  page.on('framenavigated', (frame) => note(`at ${frame.url()}`));
  page.on('response', (response) => {
    if (response.url().includes('/api/'))
      note(`${response.status()} ${response.request().method()} ${new URL(response.url()).pathname}`);
  });
  page.on('requestfailed', (request) => note(`${request.failure()?.errorText} ${request.url()}`));
  try {
    onTestFailed(async () => {
      if (page.isClosed()) return;
      const text = await page.locator('body').innerText({ timeout: 2_000 }).catch(String);
      // Dialogs stand at the end of the page.
      const shown = text.length > 3_000 ? `${text.slice(0, 1_000)}\n…\n${text.slice(-2_000)}` : text;
      process.stderr.write(`The page stood at ${page.url()}\n${seen.join('\n')}\n${shown}\n`);
    });
  } catch {
    // Opened outside of a test, such as in beforeAll: no test's failure to tell about.
  }
}

/** Signs in through the login page and waits for the frame. */
export async function signInPage(
  page: Page,
  url: string,
  account: string,
  password = PASSWORD,
): Promise<void> {
  await page.goto(`${url}/login`);
  await page.locator('#username').fill(account);
  await page.locator('#password').fill(password);
  await page.locator('#code').fill('1234');
  await page.locator('form button[type=submit]').first().click();
  await page.waitForURL((address) => !address.pathname.startsWith('/login'), { timeout: 30_000 });
  // The frame, or the dialog of a password that must be changed first.
  await page.locator('nav, #password-old').first().waitFor();
}

/** Puts a token into the page's cookies as the login page does, and opens a path: quicker than signing in by hand. */
export async function enterPage(page: Page, url: string, token: string, path = '/dashboard'): Promise<void> {
  await page.context().addCookies([{ name: 'Authorization', value: token, url }]);
  await page.addInitScript(
    () => localStorage.getItem('mustChangePassword') ?? localStorage.setItem('mustChangePassword', 'false'),
  );
  await page.goto(`${url}${path}`);
  await page.locator('nav').first().waitFor();
}

/** Adds a staff of the platform and returns the initial password. */
export async function newStaff(
  product: RunningProduct,
  admin: string,
  account: string,
  groups: string[] = [],
  mobilePhone = `138${String(Date.now()).slice(-8)}`,
): Promise<string> {
  const departments = (await product.call('GET', '/api/jinmao/web/options/department', admin)).body
    .data as unknown as { id: string }[];
  let department = departments[0]?.id;
  department ??= (
    (
      await product.call('POST', '/api/admin/department', admin, {
        name: '平台运营',
        code: 'OPS',
        type: 'function',
      })
    ).body.data as { id: string }
  ).id;
  const answer = await product.call('POST', '/api/admin/staff', admin, {
    name: '测试员',
    account,
    mobilePhone,
    department,
    groups,
  });
  if (answer.http !== 200) throw new Error(answer.body.message);
  return (answer.body.data as { id: string; result: { initialPassword: string } }).result.initialPassword;
}

const axeSource = fs.readFileSync(path.join(root, 'node_modules', 'axe-core', 'axe.min.js'), 'utf8');

/** Violations of WCAG 2.2 A and AA on the page, or on the part a selector names, as short texts. */
export async function accessibilityProblems(page: Page, scope?: string): Promise<string[]> {
  if (await page.evaluate(() => !('axe' in window))) await page.evaluate(axeSource);
  return page.evaluate(async (part) => {
    type Axe = {
      run(
        root: Document | object,
        options: object,
      ): Promise<{ violations: { id: string; nodes: { target: unknown[]; failureSummary?: string }[] }[] }>;
    };
    const result = await (window as unknown as { axe: Axe }).axe.run(
      part ? { include: [[part]] } : document,
      {
        runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
        // Where everything that passed stands would take longer to tell than to look at.
        reporter: 'no-passes',
      },
    );
    return result.violations.map(
      (violation) =>
        `${violation.id}: ${violation.nodes
          .slice(0, 3)
          .map((node) => `${JSON.stringify(node.target)} ${node.failureSummary ?? ''}`)
          .join(' | ')}`,
    );
  }, scope);
}

/** Waits until the condition holds; throws after `milliseconds`. */
export async function until(condition: () => Promise<boolean>, milliseconds = 15_000): Promise<void> {
  const end = Date.now() + milliseconds;
  for (;;) {
    if (await condition()) return;
    if (Date.now() > end) throw new Error('waited in vain');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function encrypt(url: string, password: string): Promise<string> {
  const { publicEncrypt, constants } = await import('node:crypto');
  const { data } = (await (await fetch(`${url}/api/auth/authLogin/publicKey`)).json()) as {
    data: { key: string };
  };
  return publicEncrypt(
    { key: data.key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' },
    Buffer.from(password),
  ).toString('base64');
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as net.AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
