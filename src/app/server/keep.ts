import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { countEnds, GAVE_UP, MOST_ENDS } from './count-ends.ts';

/**
 * Runs the server process, passes signals on and starts the server again when it ends by itself: what an operating
 * system's service manager does, for `npm start` and the container. Small on purpose, as it stays beside the server.
 */
function keepServer(): void {
  // Time of starting is not counted: on a slow machine five starts alone take a minute, and it would never give up.
  let starting = 0;
  const ends = countEnds(() => performance.now() - starting);
  let child: ChildProcess | undefined;
  let wasReady = false;
  let stopping = false;

  const afterEnd = async (code: number | null, signal: NodeJS.Signals | null): Promise<void> => {
    // 0: somebody asked the server itself to stop. A signal of ours may end it before it listens to signals.
    if (stopping) process.exit(code ?? (signal === 'SIGKILL' ? 1 : 0));
    if (code === 0) process.exit(0);
    // It told why: a start with the same settings would end the same way.
    if (code === GAVE_UP || (!wasReady && signal === null)) process.exit(code ?? 1);
    const how = signal ?? `code ${code}`;
    const { tooOften, pause } = ends.note();
    if (tooOften) {
      tell(`The server ended ${MOST_ENDS} times within a minute, the last time with ${how}. Giving up.`);
      await endDatabase();
      process.exit(GAVE_UP);
    }
    tell(`The server ended (${how}). Starting it again.`);
    setTimeout(start, pause);
  };
  const start = (): void => {
    if (stopping) process.exit(0);
    const begun = performance.now();
    let started = false;
    const noteStarted = (): void => {
      if (!started) starting += performance.now() - begun;
      started = true;
    };
    let over = false;
    const end = (code: number | null, signal: NodeJS.Signals | null): void => {
      if (over) return;
      over = true;
      noteStarted();
      void afterEnd(code, signal);
    };
    child = spawn(process.execPath, ['--enable-source-maps', path.join(import.meta.dirname, 'main.js')], {
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    });
    child.on('message', (message) => {
      if (message !== 'ready') return;
      wasReady = true;
      noteStarted();
    });
    child.once('exit', end);
    child.on('error', (error) => {
      if (child?.pid !== undefined) return;
      tell(error.message);
      end(1, null);
    });
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      stopping = true;
      if (child && child.exitCode === null && child.signalCode === null)
        child.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal);
    });
  start();
}

/** A server that was killed leaves its database running for the next one; now there is none. */
async function endDatabase(): Promise<void> {
  try {
    const { readConfig } = await import('./config.ts');
    const config = readConfig();
    if (config.databaseUrl) return;
    const { endLeftDatabase } = await import('./embedded-database.ts');
    await endLeftDatabase(config.dataDir);
  } catch (error) {
    tell(`Its database could not be ended: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function tell(message: string): void {
  process.stderr.write(`${message}\n`);
}

keepServer();
