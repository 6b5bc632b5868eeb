import type { Language } from '../../contract/label.ts';
import type { Executor } from '../database.ts';

/** How far a group lets a staff see the rows of one menu. */
export type MenuScope =
  | { readonly kind: 'all' }
  /** Rows whose owner belongs to one of the departments. */
  | { readonly kind: 'departments'; readonly ids: readonly number[] }
  /** Own rows. */
  | { readonly kind: 'self' };

/** Who calls: the staff of the session with everything permission checks need. Never changes during a request. */
export interface Caller {
  readonly sessionId: number;
  readonly staffId: number;
  readonly account: string;
  readonly name: string;
  readonly tenantId: number;
  /** 1 company, 2 merchant, 3 platform, 4 centre city. */
  readonly tenantKind: 1 | 2 | 3 | 4;
  readonly departmentId: number | null;
  /** Projects the caller is limited to; null when nothing below the tenant limits them. */
  readonly projectIds: readonly number[] | null;
  /** Held menus with the union of the scopes of exactly those groups that grant the menu. */
  readonly menus: ReadonlyMap<string, readonly MenuScope[]>;
  readonly elements: ReadonlySet<string>;
  readonly mustChangePassword: boolean;
  /** The package of the caller's company has ended: it reads and exports, and writes no more. */
  readonly lapsed?: boolean;
  readonly locked: boolean;
  /** The outside program whose token this is; its scopes have narrowed menus and elements already. */
  readonly application?: { readonly clientId: string; readonly scopes: readonly string[] };
  /** A program in its own right, by its token: no staff stands behind the call, and no menu opens anything for it. */
  readonly program?: { readonly clientId: string; readonly tokenId: number };
  /** Changes whenever menus, elements, scopes or projects of the staff change. */
  readonly epoch: string;
  /** What the rights were loaded from: counts of changes of the staff and of everybody, and when a membership ends. */
  readonly loaded?: { readonly epoch: number; readonly global: number; readonly until: Date | null };
}

/** Facts of one request beside the caller. */
export interface RequestFacts {
  readonly address: string;
  readonly userAgent: string;
  readonly language: Language;
  readonly traceId: string;
}

/** The caller of work nobody asked for by hand: jobs and effects. Holds nothing, sees nothing through scopes. */
export const SYSTEM_NAME = '系统';

/**
 * The caller that stands for the product itself: jobs, effects and commands of other features act as it. It holds nothing and sees
 * nothing through scopes; `actAsSystem` of a resource is the way in.
 */
export const SYSTEM: Caller = {
  sessionId: 0,
  staffId: 0,
  account: '',
  name: SYSTEM_NAME,
  tenantId: 0,
  tenantKind: 3,
  departmentId: null,
  projectIds: null,
  menus: new Map(),
  elements: new Set(),
  mustChangePassword: false,
  locked: false,
  epoch: '',
};

/** Whether nobody but the product itself acts. */
export function isSystem(caller: Caller): boolean {
  return caller === SYSTEM;
}

/** Id of the acting staff, null for the product itself: what columns like `created_by` hold. */
export function staffIdOf(caller: Pick<Caller, 'staffId'>): number | null {
  return caller.staffId === 0 ? null : caller.staffId;
}

/** True when the caller holds a menu (`mm_orderRefund`) or an element (`mm_orderRefund:btn_audit`). */
export function holds(caller: Caller, code: string): boolean {
  return code.includes(':') ? caller.elements.has(code) : caller.menus.has(code);
}

/**
 * Loads a staff with the rights of this moment for work in the background; undefined when gone, disabled or locked. `db`: a
 * transaction whose own changes count.
 */
export type LoadCaller = (staffId: number, db?: Executor) => Promise<Caller | undefined>;

/**
 * Whether a staff is the caller in person, where being oneself allows something: a program acts in somebody's name and is
 * nobody itself. Where being oneself forbids something, ask for the staff alone.
 */
export function isOneself(caller: Pick<Caller, 'staffId' | 'application'>, staffId: number): boolean {
  return caller.staffId === staffId && !caller.application;
}
