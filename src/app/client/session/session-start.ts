import { call } from '../../../kernel/client/api-client.ts';
import { useSession, type MenuNode, type SessionInfo } from '../../../kernel/client/session.ts';
import { permittedTree } from './permitted-tree.rules.ts';
import { onEpochChange } from './permission-epoch.ts';
import { writeMustChange, writeUser } from './stored-flags.ts';
import { writeCookie } from './token-cookie.ts';
import { tellWindows } from './windows.ts';

/** Answer of the token endpoint, at the top level of the body. */
export interface TokenAnswer {
  readonly access_token?: string;
  readonly message?: string;
  readonly mustChangePassword?: boolean;
  /** Days until the password expires, negative afterwards. */
  readonly overDay?: number | null;
}

interface MenuTitle {
  readonly code: string;
  readonly title: string;
  readonly titleEn: string;
  readonly icon: string;
}

/** Keeps the token, the stored flag and the days left of the password; `username` as typed. */
export function keepToken(answer: TokenAnswer & { readonly access_token: string }, username?: string): void {
  const token = `Bearer ${answer.access_token}`;
  writeCookie('Authorization', token);
  writeCookie(
    'OverDay',
    answer.overDay === undefined || answer.overDay === null ? '' : String(answer.overDay),
  );
  writeMustChange(answer.mustChangePassword === true);
  if (username) writeUser({ username, name: '', id: '' });
  useSession.setState({ token });
  tellWindows({ kind: 'signedIn', id: username ?? '' });
}

/** Loads who is signed in; all a session that must change its password may read. */
export async function loadInfo(): Promise<SessionInfo> {
  const info = await call<SessionInfo>('GET', '/api/admin/user/front/info');
  writeUser({ username: info.username, name: info.name, id: info.id });
  return info;
}

/** Loads info, permitted menus and all titles in parallel and puts them into the session. Throws when any fails. */
export async function loadSession(): Promise<void> {
  const [info, tree, all] = await Promise.all([
    loadInfo(),
    call<readonly MenuNode[]>('GET', '/api/admin/user/front/menus'),
    call<readonly MenuTitle[]>('GET', '/api/admin/user/front/menu/all'),
  ]);
  const menus = Object.fromEntries(info.menus.map((menu) => [menu.code, true as const]));
  useSession.setState({
    info,
    tree: permittedTree(tree, menus),
    titles: Object.fromEntries(all.map((menu) => [menu.code, menu])),
    menus,
    elements: Object.fromEntries(info.elements.map((element) => [element.code, true as const])),
  });
  onEpochChange(loadSession);
}
