import { loadFrame } from '../navigation/navigator.ts';

const IDLE_MS = 3000;

/** Fetches the frame's code when the staff starts to use the form, at the latest 3 s after paint. Returns how to stop. */
export function preloadFrame(): () => void {
  const start = () => {
    stop();
    // The sign-in tries again and shows what went wrong.
    loadFrame().catch(() => {});
  };
  const timer = setTimeout(start, IDLE_MS);
  const stop = () => {
    clearTimeout(timer);
    removeEventListener('input', start);
    removeEventListener('pointerdown', start);
  };
  addEventListener('input', start, { passive: true });
  addEventListener('pointerdown', start, { passive: true });
  return stop;
}
