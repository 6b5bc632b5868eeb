import { AsyncLocalStorage } from 'node:async_hooks';
import type { Label } from '../../contract/label.ts';
import { stillHolds } from './caller-rights.ts';
import type { Caller, LoadCaller } from './caller.ts';
import { requestEnd, runOne, type Executor, type Tx } from '../database.ts';
import { ruleBroken, sessionEnded } from '../http/errors.ts';
import type { Platform } from '../platform.ts';

/** Row of the setting table that counts changes which concern every staff (menus, titles). */
export const GLOBAL_EPOCH_KEY = 'permission.epoch';

const DISABLED: Label = ['账户已停用', 'Account is disabled'];
const ENDED: Label = ['您的登录已被结束，请重新登录', 'Your session was ended, please sign in again'];
/** Refusal of a call with a token of a program that somebody took back. */
export const PROGRAM_ENDED: Label = ['令牌已被撤销', 'The token was revoked'];
/** Refusal of a request whose caller does not hold any more what it came with. */
export const RIGHTS_CHANGED: Label = [
  '您的权限刚刚发生变更，请刷新页面后重试',
  'Your rights have just changed, please reload the page and try again',
];

/** SQL: session `s` was ended by somebody else, in whatever way; leaving it, or its time, takes nothing back. */
const ENDED_BY_OTHERS = `coalesce(s.ended_at IS NOT NULL AND s.end_reason NOT IN ('logout', 'expired'), false)`;

/** Changes of rights a request makes itself: of its own staff, and of everybody. */
interface OwnChanges {
  staff: number;
  all: number;
  /** Of anybody. */
  any: boolean;
}

interface Acting {
  readonly caller: Caller;
  readonly load: LoadCaller;
  /** Of transactions that are committed. */
  readonly own: OwnChanges;
  /** Of those under way; a transaction that is tried again is another one. */
  readonly underWay: WeakMap<Executor, OwnChanges>;
  /** True once the request is answered: what it left running in the background is not the request any more. */
  isOver: boolean;
}

const acting = new AsyncLocalStorage<Acting>();

/**
 * Runs the work of a request in the name of its caller. Each of its transactions looks at the caller once more before it
 * commits: a request may wait for locks, or go on for many rows, while its session is ended, its account disabled or its
 * rights are taken away. Then it throws 401 (40001) or 30101 and what that transaction wrote is rolled back. Changes of
 * its own rights by the request itself do not count, nor do others that leave it all it came with.
 */
export async function actingAs<T>(
  platform: Pick<Platform, 'loadCaller' | 'changed'>,
  caller: Caller,
  work: () => Promise<T>,
): Promise<T> {
  const store: Acting = {
    caller,
    load: platform.loadCaller,
    own: { staff: 0, all: 0, any: false },
    underWay: new WeakMap(),
    isOver: false,
  };
  const end = {
    ...requestEnd.getStore(),
    look: (tx: Tx) => look(tx, store),
    committed: (tx: Tx) => {
      const changes = store.underWay.get(tx);
      store.own.staff += changes?.staff ?? 0;
      store.own.all += changes?.all ?? 0;
      // Here at once; the notice of the database reaches every instance, but may come after the answer.
      if (changes?.any) platform.changed('session');
    },
  };
  try {
    return await acting.run(store, () => requestEnd.run(end, work));
  } finally {
    store.isOver = true;
  }
}

/** False when somebody else ended a session; leaving it, or its time, takes nothing back. */
export async function sessionStands(db: Executor, sessionId: number): Promise<boolean> {
  const ended = await runOne(db, `SELECT FROM session s WHERE s.id = $1 AND ${ENDED_BY_OTHERS}`, [sessionId]);
  return ended === undefined;
}

/** Notes that a transaction counts a change of rights of these staff (or of everybody), see `actingAs`. */
export function noteChangeOfRights(tx: Executor, of: readonly number[] | 'all'): void {
  const store = acting.getStore();
  if (!store) return;
  const changes = store.underWay.get(tx) ?? { staff: 0, all: 0, any: false };
  changes.any = true;
  if (of === 'all') changes.all += 1;
  else if (of.includes(store.caller.staffId)) changes.staff += 1;
  store.underWay.set(tx, changes);
}

/** True while a token of a program is good: neither revoked nor over, and its program switched on. */
export async function programStands(db: Executor, tokenId: number): Promise<boolean> {
  const row = await runOne(
    db,
    `SELECT FROM client_token k JOIN oauth_client c ON c.client_id = k.client_id
      WHERE k.id = $1 AND k.revoked_at IS NULL AND k.expires_at > clock_timestamp() AND c.enabled`,
    [tokenId],
  );
  return row !== undefined;
}

/** Looks once more at the programs that requests written together came from. Throws when a token of theirs is not good any more. */
export async function requireProgramsStand(tx: Tx, callers: readonly Caller[]): Promise<void> {
  for (const tokenId of new Set(callers.map((caller) => caller.program?.tokenId ?? 0)))
    if (!(await programStands(tx, tokenId))) throw sessionEnded(PROGRAM_ENDED);
}

async function look(tx: Tx, store: Acting): Promise<void> {
  if (store.isOver) return;
  const { caller, own } = store;
  if (caller.program) {
    if (!(await programStands(tx, caller.program.tokenId))) throw sessionEnded(PROGRAM_ENDED);
    return;
  }
  // Who ends the own session in this transaction wanted what it did.
  const row = await runOne<{ epoch: number; global: string | null; works: boolean; over: boolean; at: Date }>(
    tx,
    `SELECT t.permission_epoch AS epoch, t.state = 'normal' AND n.enabled AS works, clock_timestamp() AS at,
            (SELECT value #>> '{}' FROM setting WHERE key = $3) AS global,
            ${ENDED_BY_OTHERS} AND s.ended_at <> now() AS over
       FROM staff t JOIN tenant n ON n.id = t.tenant_id LEFT JOIN session s ON s.id = $2 AND s.staff_id = t.id
      WHERE t.id = $1`,
    [caller.staffId, caller.sessionId, GLOBAL_EPOCH_KEY],
  );
  if (!row?.works) throw sessionEnded(DISABLED);
  if (row.over) throw sessionEnded(ENDED);
  const { loaded } = caller;
  if (!loaded) return;
  const mine = store.underWay.get(tx);
  const staff = own.staff + (mine?.staff ?? 0);
  const all = own.all + (mine?.all ?? 0);
  // A membership that ended meanwhile still counts for queries of this transaction, which began before.
  if (loaded.until !== null && row.at >= loaded.until) throw ruleBroken(RIGHTS_CHANGED);
  if (row.epoch === loaded.epoch + staff && Number(row.global ?? 0) === loaded.global + all) return;
  // Something was counted. What the request changed itself cannot be told from what others did then.
  const now = staff + all === 0 ? await store.load(caller.staffId, tx) : undefined;
  if (!now || !stillHolds(now, caller)) throw ruleBroken(RIGHTS_CHANGED);
}
