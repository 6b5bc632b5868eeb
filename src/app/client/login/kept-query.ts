import { ownerOfPlace, type Place } from '../location/location.ts';
import { isConsent } from '../navigation/navigation.rules.ts';

const STORAGE_KEY = 'signInQuery';

/** The query of a page somebody has to sign in for. It may name people, so that the address of the sign-in does not hold it. */
interface KeptQuery {
  readonly path: string;
  readonly search: string;
  /** Staff whose session stood there; null for an address that was opened without one, such as a link from a colleague. */
  readonly staff: string | null;
}

/** Keeps the query of a place in this window until somebody signs in; returns the address of the sign-in page. */
export function signInAddress({ pathname, search }: Place): string {
  if (search) {
    // What an outside program asks for names nobody, and whoever signs in answers it.
    const staff = isConsent(search) ? null : ownerOfPlace();
    const kept: KeptQuery = { path: pathname, search, staff };
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify(kept));
  } else forgetQuery();
  return `/login?redirect=${encodeURIComponent(pathname)}`;
}

/** The kept query of a path for `staff` (null: for whoever signs in), or nothing; another one is forgotten by the staff's call. */
export function takeQuery(path: string, staff: string | null): string {
  const kept = readQuery();
  const fits = kept?.path === path && kept.staff === staff;
  if (fits || staff !== null) forgetQuery();
  return fits ? kept.search : '';
}

/** Forgets the kept query of this window. */
export function forgetQuery(): void {
  sessionStorage.removeItem(STORAGE_KEY);
}

function readQuery(): KeptQuery | undefined {
  try {
    return (JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? 'null') as KeptQuery | null) ?? undefined;
  } catch {
    return undefined;
  }
}
