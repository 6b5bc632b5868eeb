import { create } from 'zustand';

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

window.addEventListener('popstate', publish);

/** Opens a path of the product with a new entry in the history; the same address adds none. */
export function go(to: string): void {
  const { pathname, search } = window.location;
  if (to === pathname + search) window.history.replaceState(null, '', to);
  else window.history.pushState(null, '', to);
  publish();
}

/** Changes the address without a new entry in the history. */
export function replacePlace(to: string): void {
  window.history.replaceState(null, '', to);
  publish();
}

/** Changes the query of the current address; no navigation takes place. */
export function replaceQuery(search: string): void {
  window.history.replaceState(null, '', window.location.pathname + search);
  useLocationStore.setState({ place: placeNow() });
}

/** The current path with its query. */
export function addressOf(place: Place): string {
  return place.pathname + place.search;
}
