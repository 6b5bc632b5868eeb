import type { Label } from '../../../kernel/contract/label.ts';

/** Scopes that open the menus of a group: `menu:merchantManager`. */
export const MENU_SCOPE = 'menu:';

/** What a program may do in its own right. `service` registers instances and calls services through the gateway. */
export const PROGRAM_SCOPES = ['service', 'member_event', 'member_order', 'gate'] as const;

/** True for a scope that needs no staff: a program has it in its own right. */
export function isProgramScope(scope: string): boolean {
  return (PROGRAM_SCOPES as readonly string[]).includes(scope);
}

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
