import type { Place } from '../location/location.ts';

/** A path of the product as the route table knows it. */
export interface KnownRoute {
  /** Authority code; undefined: every staff may open it. */
  readonly menu: string | undefined;
}

/** What the rules look at. */
export interface NavigationState {
  /** A token is present. */
  readonly signedIn: boolean;
  /** Local storage `mustChangePassword`, as stored. */
  readonly mustChange: string | null;
  readonly menusLoaded: boolean;
  /** Menu code to true. */
  readonly menus: Readonly<Record<string, true>>;
  /** Looks a path up in the route table; asked only after the menus are loaded. */
  readonly find: (pathname: string) => KnownRoute | undefined;
  /** The path already has a tab; it keeps it when its right is taken away. */
  readonly isOpen: (pathname: string) => boolean;
}

/** Pages that need no token. */
export type PublicPage = 'login' | 'idmcas' | 'authredirect';

/** What happens with a route change. */
export type Decision =
  | { readonly kind: 'redirect'; readonly to: string }
  /** To the sign-in page, which leads back here. */
  | { readonly kind: 'signIn' }
  | { readonly kind: 'load' }
  | { readonly kind: 'mustChange' }
  | { readonly kind: 'public'; readonly page: PublicPage }
  | { readonly kind: 'noAccess' }
  | { readonly kind: 'notFound' }
  | { readonly kind: 'screen' };

/** Routes every staff may open. Source: specification section 2. */
export const openToEverybody: readonly string[] = [
  '/dashboard',
  '/operReport/ProOperDetail',
  '/operReport/operDetail',
];

const publicPages: Readonly<Record<string, PublicPage>> = {
  '/login': 'login',
  '/idmcas': 'idmcas',
  '/authredirect': 'authredirect',
};

/**
 * Decides about a route change. Order of checks: 00-frame, Navigation.
 * The two call-back pages never wait for the menus: an expired token must not cost a single sign-on its ticket.
 */
export function decide(place: Place, state: NavigationState): Decision {
  const pathname = normalPath(place.pathname);
  const page = publicPages[pathname];
  const asksConsent = page === 'authredirect' && isConsent(place.search);
  if (!state.signedIn) {
    if (page && !asksConsent) return { kind: 'public', page };
    const ticket = casTicket(place);
    if (ticket) return { kind: 'redirect', to: `/idmcas?ticket=${encodeURIComponent(ticket)}` };
    return { kind: 'signIn' };
  }
  if (state.mustChange === 'false' && page === 'login') return { kind: 'redirect', to: '/' };
  if (page === 'idmcas' || (page === 'authredirect' && !asksConsent)) return { kind: 'public', page };
  if (state.mustChange === 'true')
    return page === 'login' ? { kind: 'public', page } : { kind: 'mustChange' };
  if (asksConsent) return { kind: 'public', page };
  if (!state.menusLoaded) return { kind: 'load' };
  if (page) return { kind: 'public', page };
  if (pathname === '/') return { kind: 'redirect', to: '/dashboard' };
  if (pathname === '/401') return { kind: 'noAccess' };
  if (pathname === '/404') return { kind: 'notFound' };
  const route = state.find(pathname);
  if (!route) return { kind: 'redirect', to: `/404?from=${encodeURIComponent(place.pathname)}` };
  const allowed =
    route.menu === undefined || state.menus[route.menu] === true || openToEverybody.includes(pathname);
  if (!allowed && !state.isOpen(pathname))
    return { kind: 'redirect', to: `/401?from=${encodeURIComponent(place.pathname)}` };
  return { kind: 'screen' };
}

/** The path without slashes at its end. */
export function normalPath(pathname: string): string {
  return pathname.replace(/\/+$/, '') || '/';
}

/** True for a query with which an outside program asks for consent at /authredirect. */
export function isConsent(search: string): boolean {
  return new URLSearchParams(search).has('client_id');
}

/** A redirect target that may be followed after sign-in: same origin, one slash in front; else `/`. */
export function safeTarget(target: string | null | undefined): string {
  // A backslash or a control character after the slash is read by browsers as a second slash.
  if (!target || !/^\/(?![/\\])/.test(target) || /[\u0000-\u001f\\]/.test(target)) return '/';
  const pathname = normalPath(target.split(/[?#]/)[0] ?? '/');
  if (publicPages[pathname] === 'authredirect' && isConsent(target.split('?')[1] ?? '')) return target;
  return pathname in publicPages || pathname === '/401' || pathname === '/404' ? '/' : target;
}

/** The single sign-on ticket of an address, or undefined. A ticket glued to the path (`/idmcas&ticket=…`) counts too. */
export function casTicket(place: Place): string | undefined {
  const query = new URLSearchParams(place.search).get('ticket');
  if (query) return query;
  const address = place.pathname + place.search;
  if (!address.includes('idmcas')) return undefined;
  const glued = /[?&;/]ticket[=/]([^&#/?]+)/.exec(address);
  return glued?.[1] ? decodeURIComponent(glued[1]) : undefined;
}
