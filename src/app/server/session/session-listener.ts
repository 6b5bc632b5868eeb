import pg from 'pg';
import type { Log } from '../../../kernel/server/platform.ts';

/** A connection that listens to channels and comes back by itself. */
export interface Listener {
  close(): Promise<void>;
}

/** What a listener is told to do. */
export interface ListenerSpec {
  readonly channels: readonly string[];
  heard(channel: string, payload: string): void;
  /** The connection is there (again); what was sent before is lost. */
  connected(): void;
  readonly log: Log;
}

/** Listens on a connection of its own with the address of `pool`; tries again forever, at most every 5 s. */
export function listen(pool: pg.Pool, spec: ListenerSpec): Listener {
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let pause = FIRST_PAUSE;

  const again = (dead: pg.Client): void => {
    if (closed || client !== dead) return;
    client = undefined;
    void dead.end().catch(() => {});
    timer = setTimeout(() => void connect(), pause);
    timer.unref();
    pause = Math.min(pause * 2, LONGEST_PAUSE);
  };
  const connect = async (): Promise<void> => {
    const mine = new pg.Client(connectionOf(pool));
    client = mine;
    mine.on('error', () => again(mine));
    mine.on('end', () => again(mine));
    mine.on('notification', (message) => spec.heard(message.channel, message.payload ?? ''));
    try {
      await mine.connect();
      for (const channel of spec.channels) await mine.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
      if (closed) return await mine.end();
      pause = FIRST_PAUSE;
      spec.connected();
    } catch (error) {
      if (!closed) spec.log.warn({ error: (error as Error).message }, 'listening failed, trying again');
      again(mine);
    }
  };
  const first = connect();
  return {
    close: async () => {
      closed = true;
      clearTimeout(timer);
      await first;
      await client?.end().catch(() => {});
    },
  };
}

const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 5_000;

function connectionOf(pool: pg.Pool): pg.ClientConfig {
  // The pool hides password and key from enumeration, so a spread would lose them.
  const { host, port, user, database, password, connectionString, ssl } = pool.options;
  return {
    ...(connectionString === undefined ? { host, port, user, database, password } : { connectionString }),
    ...(ssl === undefined ? {} : { ssl }),
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    application_name: 'listener',
  };
}
