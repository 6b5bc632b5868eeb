import { describe, expect, it } from 'vitest';
import { casTicket, decide, safeTarget, type NavigationState } from './navigation.rules.ts';

const routes: Record<string, { menu: string | undefined }> = {
  '/dashboard': { menu: undefined },
  '/adminSys/menuManager': { menu: 'menuManager' },
  '/service/mm_orderRefund': { menu: 'mm_orderRefund' },
  '/operReport/operDetail': { menu: 'or_operIndex' },
};
const base: NavigationState = {
  signedIn: true,
  mustChange: 'false',
  menusLoaded: true,
  menus: { mm_orderRefund: true },
  find: (pathname) => routes[pathname],
  isOpen: () => false,
};
const at = (address: string, change: Partial<NavigationState> = {}) => {
  const [pathname = '/', query] = address.split('?');
  return decide({ pathname, search: query ? `?${query}` : '' }, { ...base, ...change });
};

describe('navigation rules', () => {
  it('sends a signed-in staff from /login to / only when the flag is the string "false"', () => {
    expect(at('/login', { menusLoaded: false })).toEqual({ kind: 'redirect', to: '/' });
    expect(at('/login', { mustChange: 'true' })).toEqual({ kind: 'public', page: 'login' });
    expect(at('/login', { mustChange: null, menusLoaded: false })).toEqual({ kind: 'load' });
  });
  it('loads menus before anything else of the product', () => {
    expect(at('/nope', { menusLoaded: false })).toEqual({ kind: 'load' });
    expect(at('/', { menusLoaded: false })).toEqual({ kind: 'load' });
  });
  it('forces the password change on every route but /login', () => {
    expect(at('/service/mm_orderRefund', { mustChange: 'true', menusLoaded: false })).toEqual({
      kind: 'mustChange',
    });
    expect(at('/nope', { mustChange: 'true' })).toEqual({ kind: 'mustChange' });
  });
  it('keeps a route only with its authority', () => {
    expect(at('/service/mm_orderRefund')).toEqual({ kind: 'screen' });
    expect(at('/service/mm_orderRefund/')).toEqual({ kind: 'screen' });
    expect(at('/adminSys/menuManager')).toEqual({
      kind: 'redirect',
      to: '/401?from=%2FadminSys%2FmenuManager',
    });
    expect(at('/nope')).toEqual({ kind: 'redirect', to: '/404?from=%2Fnope' });
    expect(at('/operReport/operDetail')).toEqual({ kind: 'screen' });
    expect(at('/')).toEqual({ kind: 'redirect', to: '/dashboard' });
    expect(at('/401')).toEqual({ kind: 'noAccess' });
    expect(at('/404')).toEqual({ kind: 'notFound' });
  });
  it('lets an open tab keep its path when the right is gone', () => {
    expect(at('/adminSys/menuManager', { isOpen: () => true })).toEqual({ kind: 'screen' });
  });
  it('signed out: public pages pass, tickets go to /idmcas, the rest to /login', () => {
    const out = { signedIn: false, menusLoaded: false };
    expect(at('/login', out)).toEqual({ kind: 'public', page: 'login' });
    expect(at('/idmcas?ticket=ST-1', out)).toEqual({ kind: 'public', page: 'idmcas' });
    expect(at('/authredirect?code=1', out)).toEqual({ kind: 'public', page: 'authredirect' });
    expect(at('/?ticket=ST-1', out)).toEqual({ kind: 'redirect', to: '/idmcas?ticket=ST-1' });
    expect(at('/adminSys/menuManager?a=1', out)).toEqual({ kind: 'signIn' });
    expect(at('/nope', out)).toEqual({ kind: 'signIn' });
  });
  it('asks for consent only somebody who is signed in and has a password of the own', () => {
    const consent = '/authredirect?client_id=meter-app&state=1';
    expect(at(consent, { signedIn: false, menusLoaded: false })).toEqual({ kind: 'signIn' });
    expect(at(consent, { menusLoaded: false })).toEqual({ kind: 'public', page: 'authredirect' });
    expect(at(consent, { mustChange: 'true', menusLoaded: false })).toEqual({ kind: 'mustChange' });
    expect(at('/authredirect?code=1', { mustChange: 'true', menusLoaded: false })).toEqual({
      kind: 'public',
      page: 'authredirect',
    });
    expect(safeTarget(consent)).toBe(consent);
    expect(safeTarget('/authredirect?code=1')).toBe('/');
  });
  it('finds a ticket glued to the path', () => {
    expect(casTicket({ pathname: '/idmcas&ticket=ST-9', search: '' })).toBe('ST-9');
    expect(casTicket({ pathname: '/x&ticket=ST-9', search: '' })).toBeUndefined();
  });
});

describe('redirect target', () => {
  it.each([
    ['/service/mm_orderRefund?page=2', '/service/mm_orderRefund?page=2'],
    ['//evil.example', '/'],
    ['/\\evil.example', '/'],
    ['/\t/evil.example', '/'],
    ['https://evil.example', '/'],
    ['javascript:alert(1)', '/'],
    ['/login?redirect=/x', '/'],
    ['', '/'],
    [null, '/'],
  ])('%s → %s', (target, expected) => expect(safeTarget(target)).toBe(expected));
});
