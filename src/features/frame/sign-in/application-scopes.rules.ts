import type { Label } from '../../../kernel/contract/label.ts';

/** Scopes that open the menus of a group: `menu:merchantManager`. */
export const MENU_SCOPE = 'menu:';

/** True for a scope a staff can give to a program. Source: group 04, oauthClientDetailsManager. */
export function isStaffScope(scope: string): boolean {
  return scope === 'openid' || scope === 'profile' || /^menu:[A-Za-z][A-Za-z0-9_]{0,39}$/.test(scope);
}

/** A scope in words for the person who is asked. `title` is that of the menu group. */
export function scopeWords(scope: string, title: Label | undefined): Label {
  if (scope === 'openid') return ['确认您的身份（员工编号）', 'Know who you are (your staff id)'];
  if (scope === 'profile') return ['读取您的姓名、账号和所属公司', 'Read your name, account and company'];
  const group = title ?? [scope.slice(MENU_SCOPE.length), scope.slice(MENU_SCOPE.length)];
  return [`以您的权限查看和操作“${group[0]}”`, `See and do with your rights what belongs to "${group[1]}"`];
}

/** True for an address a program may be sent back to: https, or http on this machine; no fragment, no wildcard. */
export function isRedirectUri(text: string): boolean {
  if (text.length > 500 || text.includes('*') || text.includes('#') || !URL.canParse(text)) return false;
  const url = new URL(text);
  if (url.username || url.password) return false;
  if (url.protocol === 'https:') return true;
  return url.protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
}

/** The redirect address with the answer added to its query. */
export function answerAddress(
  redirectUri: string,
  answer: Readonly<Record<string, string | undefined>>,
): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(answer))
    if (value !== undefined && value !== '') url.searchParams.set(name, value);
  return url.href;
}
