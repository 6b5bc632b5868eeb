import { useEffect } from 'react';
import { useErrorLog } from '../../failures/error-log.ts';
import { checkConnection, isReachable } from '../../session/connection.ts';
import { isBuildOutdated } from '../../version/page-build.ts';
import { offerReload } from '../../version/version-store.ts';

const EVERY_MS = 5 * 60_000;
const LEAST_MS = 10_000;

/** Code is missing because another release took it away, or because the server is not there at all. */
async function explainMissingCode(): Promise<void> {
  if (await isReachable()) offerReload();
  else checkConnection();
}

/** Compares the page's build with the server's every 5 minutes and on focus; a missing code chunk counts as newer. */
export function useVersionWatch(): void {
  const missing = useErrorLog((state) => state.missingCode);
  useEffect(() => {
    if (missing > 0) void explainMissingCode();
  }, [missing]);
  useEffect(() => {
    let checkedAt = 0;
    const check = async () => {
      if (Date.now() - checkedAt < LEAST_MS) return;
      checkedAt = Date.now();
      if (await isBuildOutdated()) offerReload();
    };
    void check();
    const onFocus = () => void check();
    const timer = setInterval(onFocus, EVERY_MS);
    window.addEventListener('focus', onFocus);
    return () => {
      clearInterval(timer);
      window.removeEventListener('focus', onFocus);
    };
  }, []);
}
