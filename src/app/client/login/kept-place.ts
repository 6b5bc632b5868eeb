import { ownerOfPlace, type Place } from '../location/location.ts';
import { openPath } from '../location/open-path.rules.ts';
import { isConsent } from '../navigation/navigation.rules.ts';

const STORAGE_KEY = 'signInQuery';

/** A page somebody has to sign in for. Its query and path may name people, so that the address of the sign-in does not hold them. */
interface KeptPlace {
  /** What the address of the sign-in says. */
  readonly open: string;
  readonly path: string;
  readonly search: string;
  /** Staff whose session stood there; null for an address that was opened without one, such as a link from a colleague. */
  readonly staff: string | null;
}

/** Keeps what may name people of a place in this window until somebody signs in; returns the address of the sign-in page. */
export function signInAddress({ pathname, search }: Place): string {
  const open = openPath(pathname);
  if (search || open !== pathname) {
    // What an outside program asks for names nobody, and whoever signs in answers it.
    const staff = isConsent(search) ? null : ownerOfPlace();
    const kept: KeptPlace = { open, path: pathname, search, staff };
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify(kept));
  } else forgetPlace();
  return `/login?redirect=${encodeURIComponent(open)}`;
}

/**
 * The kept address behind what the sign-in said, for `staff` (null: for whoever signs in), or nothing; another one is
 * forgotten by the staff's call.
 */
export function takePlace(open: string, staff: string | null): string | undefined {
  const kept = readPlace();
  const fits = kept?.open === open && kept.staff === staff;
  if (fits || staff !== null) forgetPlace();
  return fits ? kept.path + kept.search : undefined;
}

/** Forgets the kept page of this window. */
export function forgetPlace(): void {
  sessionStorage.removeItem(STORAGE_KEY);
}

function readPlace(): KeptPlace | undefined {
  try {
    return (JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? 'null') as KeptPlace | null) ?? undefined;
  } catch {
    return undefined;
  }
}
