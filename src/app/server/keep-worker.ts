import { fork, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { countEnds, MOST_ENDS } from './count-ends.ts';
import type { ProductDatabase } from './open-product-database.ts';

/** What keeping the worker needs. */
export interface WorkerKeeping {
  readonly database: ProductDatabase;
  /** The server's own pool, asked whether an end was the database's fault. */
  readonly pool: pg.Pool;
  /** Told of each end. */
  readonly report: (message: string) => void;
  /** Told once, with the reason, when the worker ended too often. */
  readonly giveUp: (reason: string) => void;
}

const ASK_AGAIN_MS = 200;

/** Runs the worker process and starts it again when it ends by itself. */
export function keepWorker(keeping: WorkerKeeping): { stop(grace: number): Promise<void> } {
  const { database, pool, report, giveUp } = keeping;
  const ends = countEnds();
  let child: ChildProcess | undefined;
  let stopped = false;
  const answers = () =>
    pool.query('SELECT 1').then(
      () => true,
      () => false,
    );
  const afterEnd = async (how: string): Promise<void> => {
    if (stopped) return;
    if (!(await answers())) {
      // Without a database it cannot but end: that counts for the database, and the worker waits until it is back.
      report(`the worker ended (${how}) without a database; waiting for that`);
      do await delay(ASK_AGAIN_MS);
      while (!stopped && !(await answers()));
      return start();
    }
    const { tooOften, pause } = ends.note();
    if (tooOften)
      return giveUp(`the worker ended ${MOST_ENDS} times within a minute, the last time with ${how}`);
    report(`the worker ended (${how}); starting it again`);
    await delay(pause);
    start();
  };
  const start = (): void => {
    if (stopped) return;
    const started = fork(path.join(import.meta.dirname, 'worker.js'), [], {
      // Addresses travel over the channel: they may hold a password and must not be seen in the process list.
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    child = started;
    let over = false;
    const end = (how: string): void => {
      if (over) return;
      over = true;
      void afterEnd(how);
    };
    started.once('exit', (code, signal) => end(signal ?? `code ${code}`));
    // Not even started, or already gone when it was to be told the addresses.
    started.on('error', (error) => {
      if (started.pid === undefined) end(error.message);
    });
    started.send({ addresses: database.addresses, replica: database.replica });
  };
  start();
  return {
    stop: async (grace) => {
      stopped = true;
      const running = child;
      if (!running || running.pid === undefined || running.exitCode !== null || running.signalCode !== null)
        return;
      const gone = new Promise((resolve) => running.once('exit', resolve));
      running.kill('SIGTERM');
      const timer = setTimeout(() => running.kill('SIGKILL'), grace + 3_000);
      await gone;
      clearTimeout(timer);
    },
  };
}
