import { create } from 'zustand';

/** Rows that changed just now, by resource and id; each flashes once. */
const useFlashes = create<{ readonly ids: Readonly<Record<string, true>> }>(() => ({ ids: {} }));

const FLASH_MS = 1600;

/** Lets rows flash once in every list that shows them. */
export function flashRows(resource: string, ids: readonly string[]): void {
  if (ids.length === 0) return;
  const keys = ids.map((id) => `${resource}/${id}`);
  useFlashes.setState((state) => ({
    ids: { ...state.ids, ...Object.fromEntries(keys.map((key) => [key, true as const])) },
  }));
  setTimeout(() => {
    useFlashes.setState((state) => {
      const rest = { ...state.ids };
      for (const key of keys) delete rest[key];
      return { ids: rest };
    });
  }, FLASH_MS);
}

/** Keys `resource/id` of the rows that flash now. */
export function useFlashing(): Readonly<Record<string, true>> {
  return useFlashes((state) => state.ids);
}
