import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useSession } from '../../../../kernel/client/session.ts';
import { checkConnection } from '../../session/connection.ts';
import { useLock } from '../../session/lock-state.ts';
import { checkEpoch } from '../../session/permission-epoch.ts';
import { onWindowMessage, tellWindows, type NewsName } from '../../session/windows.ts';

const AGAIN_MS = 5000;
const AGAIN_AFTER_REFUSAL_MS = 60_000;
const NAMES = ['notification', 'permission', 'dictionary'] as const satisfies readonly NewsName[];

/**
 * Listens to the server's stream: bell, messages, menus, dictionaries and open tabs follow at once; polling goes on beside it.
 * One window of the browser listens and tells the others: a browser opens six connections to a server at once, and six
 * windows with a stream each would leave none for anything else.
 */
export function useNotificationStream(isOffered: boolean): void {
  const client = useQueryClient();
  const token = useSession((state) => state.token);
  const locked = useLock((state) => state.locked);
  useEffect(() => {
    if (!isOffered || !token || locked) return;
    const abort = new AbortController();
    // The windows share one cookie; a window whose token is still another one's reloads.
    const forget = onWindowMessage((message) => {
      if (message.kind === 'news') follow(client, message.name);
    });
    const listen = () => listenUntil(abort.signal, token, client);
    // Without a lock (plain http to another machine) the window that is looked at listens.
    if ('locks' in navigator)
      navigator.locks.request('notification-stream', { signal: abort.signal }, listen).catch(() => {});
    else
      whileVisible(abort.signal, (signal) => {
        follow(client, 'notification');
        void listenUntil(signal, token, client);
      });
    return () => {
      abort.abort();
      forget();
    };
  }, [client, isOffered, token, locked]);
}

/** Listens until the signal, again after every loss. */
async function listenUntil(signal: AbortSignal, token: string, client: QueryClient): Promise<void> {
  while (!signal.aborted) {
    let wait = AGAIN_MS;
    try {
      // The browser's own EventSource cannot send the Authorization header.
      const headers = { Authorization: token };
      const response = await fetch('/api/admin/notification/stream', { headers, signal });
      if (response.ok && response.body) {
        const heard = (name: NewsName) => {
          follow(client, name);
          tellWindows({ kind: 'news', name });
        };
        // What changed while nobody listened.
        heard('dictionary');
        await readEvents(response.body, heard);
      } else wait = AGAIN_AFTER_REFUSAL_MS;
    } catch {
      // Lost or given up: tried again below.
    }
    if (signal.aborted) return;
    // The first to notice that the server went away, before anybody clicks.
    if (wait === AGAIN_MS) {
      checkConnection();
      tellWindows({ kind: 'lost' });
    }
    await pause(wait, signal);
  }
}

/** Starts something whenever the window comes into sight, and ends it when it is out of sight. */
function whileVisible(signal: AbortSignal, start: (signal: AbortSignal) => void): void {
  let shown: AbortController | undefined;
  const look = () => {
    const visible = document.visibilityState === 'visible' && !signal.aborted;
    if (visible === (shown !== undefined)) return;
    if (shown) shown.abort();
    shown = visible ? new AbortController() : undefined;
    if (shown) start(shown.signal);
  };
  document.addEventListener('visibilitychange', look, { signal });
  signal.addEventListener('abort', look);
  look();
}

function follow(client: QueryClient, name: NewsName): void {
  if (name === 'permission') checkEpoch();
  else void client.invalidateQueries({ queryKey: [name] });
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

async function readEvents(body: ReadableStream<Uint8Array>, heard: (name: NewsName) => void): Promise<void> {
  const reader = body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split('\n');
    rest = lines.pop() ?? '';
    for (const name of NAMES) if (lines.some((line) => line.trim() === `event: ${name}`)) heard(name);
  }
}
