const secure = () => (window.location.protocol === 'https:' ? '; Secure' : '');

/** Reads a cookie of the page, or undefined. */
export function readCookie(name: string): string | undefined {
  for (const part of document.cookie.split('; ')) {
    const at = part.indexOf('=');
    if (part.slice(0, at) === name) return part.slice(at + 1);
  }
  return undefined;
}

/** Writes a cookie of the page; `days` undefined keeps it until the browser closes. */
export function writeCookie(name: string, value: string, days?: number): void {
  const age = days === undefined ? '' : `; max-age=${Math.round(days * 86_400)}`;
  document.cookie = `${name}=${value}; path=/; SameSite=Strict${age}${secure()}`;
}

/** Removes a cookie of the page. */
export function removeCookie(name: string): void {
  document.cookie = `${name}=; path=/; SameSite=Strict; max-age=0${secure()}`;
}

/** The kept token, `Bearer …`, or undefined when signed out. */
export function readToken(): string | undefined {
  const value = readCookie('Authorization');
  return value?.startsWith('Bearer ') ? value : undefined;
}
