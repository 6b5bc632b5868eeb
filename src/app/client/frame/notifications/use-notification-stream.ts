import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useSession } from '../../../../kernel/client/session.ts';
import { checkConnection } from '../../session/connection.ts';
import { useLock } from '../../session/lock-state.ts';
import { checkEpoch } from '../../session/permission-epoch.ts';

const AGAIN_MS = 5000;
const AGAIN_AFTER_REFUSAL_MS = 60_000;

/** Listens to the server's stream: bell, messages, menus and open tabs follow at once; polling goes on beside it. */
export function useNotificationStream(isOffered: boolean): void {
  const client = useQueryClient();
  const token = useSession((state) => state.token);
  const locked = useLock((state) => state.locked);
  useEffect(() => {
    if (!isOffered || !token || locked) return;
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const listen = async () => {
      let wait = AGAIN_MS;
      try {
        // The browser's own EventSource cannot send the Authorization header.
        const headers = { Authorization: token };
        const response = await fetch('/api/admin/notification/stream', { headers, signal: abort.signal });
        if (response.ok && response.body) {
          await readEvents(response.body, {
            notification: () => void client.invalidateQueries({ queryKey: ['notification'] }),
            permission: checkEpoch,
          });
        } else wait = AGAIN_AFTER_REFUSAL_MS;
      } catch {
        // Lost or given up: tried again below.
      }
      if (abort.signal.aborted) return;
      // The first to notice that the server went away, before anybody clicks.
      if (wait === AGAIN_MS) checkConnection();
      timer = setTimeout(() => void listen(), wait);
    };
    void listen();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [client, isOffered, token, locked]);
}

async function readEvents(
  body: ReadableStream<Uint8Array>,
  on: Readonly<Record<'notification' | 'permission', () => void>>,
): Promise<void> {
  const reader = body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split('\n');
    rest = lines.pop() ?? '';
    for (const name of ['notification', 'permission'] as const)
      if (lines.some((line) => line.trim() === `event: ${name}`)) on[name]();
  }
}
