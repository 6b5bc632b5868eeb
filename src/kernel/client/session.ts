import { create } from 'zustand';

/** A menu the staff holds, as `front/info` sends it. */
export interface HeldMenu {
  readonly code: string;
  readonly menu: string;
  readonly titleEn: string;
  readonly type: string;
  readonly uri: string;
  readonly noCache: boolean;
  /** Pages that belong to it keep their views even where they are marked noCache. */
  readonly subCache?: boolean;
  /** The menu this page belongs to: a detail, a form. */
  readonly modeOf?: string | null;
}

/** A node of the permitted menu tree, as `front/menus` sends it. */
export interface MenuNode {
  readonly name: string;
  readonly title: string;
  readonly titleEn: string;
  readonly code: string;
  readonly icon: string;
  readonly path: string;
  readonly noCache: boolean;
  /** Outside links only: where they lead and how they open. */
  readonly url?: string;
  readonly openIn?: 'frame' | 'window';
  readonly children?: readonly MenuNode[];
}

/** Who is signed in, as `front/info` sends it. */
export interface SessionInfo {
  readonly id: string;
  readonly name: string;
  readonly username: string;
  readonly avatar: string | null;
  readonly description: string;
  readonly tenantId: string;
  readonly tenantType: number;
  readonly tenantName?: string;
  readonly menus: readonly HeldMenu[];
  readonly elements: readonly { readonly code: string }[];
  /** Number of the staff; absent: the username stands for it. */
  readonly staffNumber?: string;
  /** Signed in with a password somebody else handed over or had sent; the own one is still to be chosen. */
  readonly oneTimePassword?: boolean;
  /** While the password must be changed: what else opens the account, masked. */
  readonly signInWays?: { readonly phone: string | null; readonly ssoAccount: string | null };
  /** Settings of the frame (`frame.*`); absent ones have their defaults. */
  readonly settings?: Readonly<Record<string, string | number>>;
}

interface SessionState {
  /** `Bearer …` or undefined when signed out. */
  readonly token: string | undefined;
  readonly info: SessionInfo | undefined;
  /** Permitted tree for the side menu. */
  readonly tree: readonly MenuNode[];
  /** Title and icon of every menu by code. */
  readonly titles: Readonly<
    Record<string, { readonly title: string; readonly titleEn: string; readonly icon: string }>
  >;
  /** Menu code to true. */
  readonly menus: Readonly<Record<string, true>>;
  /** Element code to true. */
  readonly elements: Readonly<Record<string, true>>;
}

const signedOut: SessionState = {
  token: undefined,
  info: undefined,
  tree: [],
  titles: {},
  menus: {},
  elements: {},
};

/** The session as the frame loaded it. The frame writes it, screens only read. */
export const useSession = create<SessionState>(() => signedOut);

/** Clears token, roles, menus, elements and permission menus. */
export function clearSession(): void {
  useSession.setState(signedOut);
}

/** True when the staff holds the element, such as `mm_orderRefund:btn_audit`. */
export function useCan(element: string): boolean {
  return useSession((state) => state.elements[element] === true);
}
