import { create } from 'zustand';
import { useSession } from '../../../kernel/client/session.ts';
import { openPath } from './open-path.rules.ts';

/** Where the window is: the parts of the address the product uses. */
export interface Place {
  readonly pathname: string;
  /** Query with its question mark, or empty. */
  readonly search: string;
}

interface LocationState {
  readonly place: Place;
  /** Grows with every navigation, also to the same place, so that a listener runs again. */
  readonly visit: number;
}

const placeNow = (): Place => ({ pathname: window.location.pathname, search: window.location.search });

/** The current place. Written by `go`, `replacePlace` and the browser's back and forward. */
export const useLocationStore = create<LocationState>(() => ({ place: placeNow(), visit: 0 }));

const publish = () => useLocationStore.setState((state) => ({ place: placeNow(), visit: state.visit + 1 }));

window.addEventListener('popstate', () => {
  const staff = useSession.getState().info?.id;
  if (staff) ownPlace(staff);
  publish();
});

/** Stands in the entry of the history: whose session opened it. */
interface Stamp {
  readonly staff: string;
}

const stamp = (): Stamp | null => {
  const staff = useSession.getState().info?.id;
  return staff ? { staff } : null;
};

/** Staff whose session opened the current entry of the history, or null: nobody was signed in yet. */
export function ownerOfPlace(): string | null {
  return (window.history.state as Partial<Stamp> | null)?.staff ?? null;
}

/**
 * Makes the current entry that of the staff who is signed in. What another one left behind loses its query, which may hold
 * names and phones somebody filtered by, and a path that may name somebody. No navigation takes place.
 */
export function ownPlace(staff: string): void {
  const owner = ownerOfPlace();
  const { pathname, search } = window.location;
  window.history.replaceState(
    { staff } satisfies Stamp,
    '',
    owner === null || owner === staff ? pathname + search : openPath(pathname),
  );
  useLocationStore.setState({ place: placeNow() });
}

/** Opens a path of the product with a new entry in the history; the same address adds none. */
export function go(to: string): void {
  const { pathname, search } = window.location;
  if (to === pathname + search) window.history.replaceState(stamp(), '', to);
  else window.history.pushState(stamp(), '', to);
  publish();
}

/** Changes the address without a new entry in the history. */
export function replacePlace(to: string): void {
  window.history.replaceState(stamp(), '', to);
  publish();
}

/** Changes the query of the current address; no navigation takes place. */
export function replaceQuery(search: string): void {
  replaceAddress(window.location.pathname + search);
}

/** Changes the current address; no navigation takes place. */
export function replaceAddress(to: string): void {
  window.history.replaceState(stamp(), '', to);
  useLocationStore.setState({ place: placeNow() });
}
