import { create } from 'zustand';

interface ConnectionState {
  /** The server cannot be reached. */
  readonly lost: boolean;
}

/** Whether the server can be reached. */
export const useConnection = create<ConnectionState>(() => ({ lost: false }));

const RETRY_MS = 3000;
let checking = false;

/** True when the server answers at all. */
export async function isReachable(): Promise<boolean> {
  try {
    await fetch('/livez', { cache: 'no-store', signal: AbortSignal.timeout(RETRY_MS) });
    return true;
  } catch {
    return false;
  }
}

/** Asks whether the server answers at all and keeps asking until it does. */
export function checkConnection(): void {
  if (checking) return;
  checking = true;
  void (async () => {
    while (!(await isReachable())) {
      useConnection.setState({ lost: true });
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
    useConnection.setState({ lost: false });
    checking = false;
  })();
}

window.addEventListener('offline', checkConnection);
