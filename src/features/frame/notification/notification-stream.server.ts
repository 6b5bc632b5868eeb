import { PassThrough } from 'node:stream';
import type { FastifyReply } from 'fastify';
import pg from 'pg';
import { run } from '../../../kernel/server/database.ts';
import { tooMany } from '../../../kernel/server/http/errors.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import type { Call } from '../../../kernel/server/registration.ts';
import { SESSION_CHANNEL } from '../../../kernel/server/people/session-changes.ts';
import { NOTIFICATION_CHANNEL } from '../../../domain/notification/notify.server.ts';
import { DICTIONARY_CHANNEL } from '../../../domain/dictionary/dictionary.server.ts';

/** Open streams a staff may have: one per window is meant. */
export const STREAMS_A_STAFF = 8;

/**
 * Opens a stream of server-sent events for the caller: `event: notification` with `{}` whenever there is something new
 * (the page then asks for the unread number), `event: permission` when rights of the caller may have changed (the page
 * then looks whether its menus are still the right ones), `event: dictionary` when a label or choice may be another (the page
 * then asks for the version of the dictionaries), a comment every 20 s to keep the connection. It ends when the session ends
 * or is locked and when the server stops; the page opens it again, and polls in between.
 */
export function openStream(call: Call): FastifyReply {
  const hub = hubOf(call.platform);
  const mine = hub.streamsOf(call.caller.staffId);
  if (mine.size >= STREAMS_A_STAFF) throw tooMany(['打开的窗口过多', 'Too many open windows'], 60);
  const body = new PassThrough();
  const stream: Stream = {
    sessionId: call.caller.sessionId,
    body,
    isServing: () => call.request.server.server.listening,
  };
  hub.add(call.caller.staffId, stream);
  body.write('retry: 5000\n\n');
  call.request.raw.once('close', () => body.destroy());
  body.once('close', () => hub.remove(call.caller.staffId, stream));
  return call.reply
    .header('Content-Type', 'text/event-stream; charset=utf-8')
    .header('Cache-Control', 'no-store')
    .header('X-Accel-Buffering', 'no')
    .send(body);
}

interface Stream {
  readonly sessionId: number;
  readonly body: PassThrough;
  readonly isServing: () => boolean;
}

interface Hub {
  streamsOf(staffId: number): ReadonlySet<Stream>;
  add(staffId: number, stream: Stream): void;
  remove(staffId: number, stream: Stream): void;
}

const BEAT_MS = 20_000;
const LOOK_MS = 1_000;
const hubs = new WeakMap<Platform, Hub>();

/** One hub and one listening connection a process, open only while somebody listens. */
function hubOf(platform: Platform): Hub {
  let hub = hubs.get(platform);
  if (!hub) hubs.set(platform, (hub = createHub(platform)));
  return hub;
}

function createHub(platform: Platform): Hub {
  const streams = new Map<number, Set<Stream>>();
  let closeListener: (() => void) | undefined;
  let timer: NodeJS.Timeout | undefined;
  let beatAt = Date.now();

  const send = (staffId: number, event: 'notification' | 'permission' | 'dictionary') => {
    for (const stream of streams.get(staffId) ?? []) {
      // A window that does not read is dropped rather than buffered for; it opens the stream again.
      if (stream.body.writableLength > 64 * 1024) stream.body.destroy();
      else stream.body.write(`event: ${event}\ndata: {}\n\n`);
    }
  };
  const heard = (channel: string, payload: string) => {
    if (channel === NOTIFICATION_CHANNEL) {
      for (const id of payload.split(',')) send(Number(id), 'notification');
    } else if (channel === DICTIONARY_CHANNEL) {
      for (const id of streams.keys()) send(id, 'dictionary');
    } else if (payload.startsWith('staff:')) send(Number(payload.slice('staff:'.length)), 'permission');
    else if (payload === 'all') for (const id of streams.keys()) send(id, 'permission');
  };
  const all = () => [...streams.values()].flatMap((set) => [...set]);
  const look = async () => {
    for (const stream of all()) if (!stream.isServing()) stream.body.end();
    if (Date.now() - beatAt < BEAT_MS) return;
    beatAt = Date.now();
    const live = await liveSessions(
      platform,
      all().map((stream) => stream.sessionId),
    );
    for (const stream of all())
      if (live.has(stream.sessionId)) stream.body.write(': \n\n');
      else stream.body.end();
  };
  const start = () => {
    closeListener ??= listen(platform.database.pool, heard);
    timer ??= setInterval(() => void look().catch(() => {}), LOOK_MS).unref();
  };
  const stop = () => {
    closeListener?.();
    closeListener = undefined;
    clearInterval(timer);
    timer = undefined;
  };
  return {
    streamsOf: (staffId) => streams.get(staffId) ?? new Set(),
    add: (staffId, stream) => {
      const set = streams.get(staffId) ?? new Set();
      streams.set(staffId, set.add(stream));
      start();
    },
    remove: (staffId, stream) => {
      const set = streams.get(staffId);
      set?.delete(stream);
      if (set?.size === 0) streams.delete(staffId);
      if (streams.size === 0) stop();
    },
  };
}

async function liveSessions(platform: Platform, ids: readonly number[]): Promise<ReadonlySet<number>> {
  const rows = await run<{ id: number }>(
    platform.database.db,
    `SELECT id FROM session WHERE id = ANY($1::bigint[]) AND ended_at IS NULL AND locked_at IS NULL AND absolute_expires_at > now()
        AND last_seen_at > now() - make_interval(mins => $2)`,
    [ids, await platform.settings.number('auth.session.idle_minutes')],
  );
  return new Set(rows.map((row) => row.id));
}

/** Listens on a connection of its own (a pooled one would forget) and comes back by itself. Returns how to end it. */
function listen(pool: pg.Pool, heard: (channel: string, payload: string) => void): () => void {
  let closed = false;
  let client: pg.Client | undefined;
  const connect = async (): Promise<void> => {
    const { host, port, user, database, password, connectionString, ssl } = pool.options;
    const next = new pg.Client({
      ...(connectionString === undefined ? { host, port, user, database, password } : { connectionString }),
      ...(ssl === undefined ? {} : { ssl }),
      keepAlive: true,
      application_name: 'notifications',
    });
    client = next;
    let over = false;
    const again = () => {
      if (over) return;
      over = true;
      next.end().catch(() => {});
      if (!closed) setTimeout(() => void connect(), 2_000).unref();
    };
    next.on('error', again);
    next.on('end', again);
    next.on('notification', (message) => heard(message.channel, message.payload ?? ''));
    try {
      await next.connect();
      await next.query(`LISTEN ${NOTIFICATION_CHANNEL}`);
      await next.query(`LISTEN ${DICTIONARY_CHANNEL}`);
      await next.query(`LISTEN ${SESSION_CHANNEL}`);
      if (closed) await next.end();
    } catch {
      again();
    }
  };
  void connect();
  return () => {
    closed = true;
    client?.end().catch(() => {});
  };
}
