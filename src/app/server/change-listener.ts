import pg from 'pg';

/** Listens to `resource_changed` on a connection of its own and reconnects by itself. */
export function listenForChanges(
  config: pg.PoolConfig,
  changed: (resource: string) => void,
): { close(): Promise<void> } {
  let client: pg.Client | undefined;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;

  const again = () => {
    if (closed) return;
    clearTimeout(timer);
    timer = setTimeout(() => void connect(), 500);
    timer.unref();
  };
  const connect = async (): Promise<void> => {
    const next = new pg.Client({ ...config, application_name: 'changes' });
    next.on('error', again);
    next.on('end', again);
    next.on('notification', (message) => changed(message.payload ?? ''));
    try {
      await next.connect();
      await next.query('LISTEN resource_changed');
      if (closed) await next.end();
      else client = next;
    } catch {
      next.end().catch(() => {});
      again();
    }
  };
  void connect();
  return {
    close: async () => {
      closed = true;
      clearTimeout(timer);
      await client?.end().catch(() => {});
    },
  };
}
