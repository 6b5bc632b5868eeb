import { loadFrame } from '../navigation/navigator.ts';

const IDLE_MS = 3000;
const PAUSE_MS = 600;

/**
 * Fetches the frame's code in the first pause after the staff began to use the form, at the latest 3 s after paint when
 * the form is left alone: running it takes long enough on a slow machine to hold back a key. Returns how to stop.
 */
export function preloadFrame(): () => void {
  const start = () => {
    stop();
    // The sign-in tries again and shows what went wrong.
    loadFrame().catch(() => {});
  };
  let timer = setTimeout(start, IDLE_MS);
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(start, PAUSE_MS);
  };
  const stop = () => {
    clearTimeout(timer);
    removeEventListener('input', wait);
    removeEventListener('pointerdown', wait);
  };
  addEventListener('input', wait, { passive: true });
  addEventListener('pointerdown', wait, { passive: true });
  return stop;
}
