import { useEffect } from 'react';
import { useErrorLog } from '../../failures/error-log.ts';
import { isBuildOutdated } from '../../version/page-build.ts';
import { offerReload } from '../../version/version-store.ts';

const EVERY_MS = 5 * 60_000;
const LEAST_MS = 10_000;

/** Compares the page's build with the server's every 5 minutes and on focus; a missing code chunk counts as newer. */
export function useVersionWatch(): void {
  const isStale = useErrorLog((state) => state.staleCode);
  useEffect(() => {
    if (isStale) offerReload();
  }, [isStale]);
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
