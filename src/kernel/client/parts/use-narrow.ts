import { useSyncExternalStore } from 'react';

const narrow = window.matchMedia('(max-width: 1199px)');

/** True while the window has little room beside the menu, as at 1024 px; redraws when that changes. */
export function useNarrow(): boolean {
  return useSyncExternalStore(watch, () => narrow.matches);
}

function watch(changed: () => void): () => void {
  narrow.addEventListener('change', changed);
  return () => narrow.removeEventListener('change', changed);
}
