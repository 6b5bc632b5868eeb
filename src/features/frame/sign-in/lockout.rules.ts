/** Failed sign-ins of an account, instants in milliseconds since the epoch. */
export interface LockState {
  readonly failedCount: number;
  readonly failedSince: number | null;
  readonly lockedUntil: number | null;
  /** Length of the last wait in minutes, 0 when there was none. */
  readonly lockMinutes: number;
}

/** An account that never failed. */
export const NEVER_FAILED: LockState = {
  failedCount: 0,
  failedSince: null,
  lockedUntil: null,
  lockMinutes: 0,
};

const WINDOW = 15 * 60_000;
const MOST_FAILURES = 5;
const LONGEST_WAIT = 30;

/**
 * The state after one more failure: the fifth within 15 minutes starts a wait of 1 minute, every failure after a wait
 * doubles it up to 30 minutes; 15 quiet minutes after a wait start anew. Source: ground rules section 3.
 */
export function afterFailure(state: LockState, now: number): LockState {
  const isWaitRecent = state.lockedUntil !== null && now - state.lockedUntil < WINDOW;
  if (state.lockMinutes > 0 && isWaitRecent) {
    const lockMinutes = Math.min(LONGEST_WAIT, state.lockMinutes * 2);
    return {
      ...state,
      failedCount: state.failedCount + 1,
      lockedUntil: now + lockMinutes * 60_000,
      lockMinutes,
    };
  }
  const isSameWindow = state.failedSince !== null && now - state.failedSince < WINDOW && !state.lockMinutes;
  const failedCount = isSameWindow ? state.failedCount + 1 : 1;
  const failedSince = isSameWindow ? state.failedSince : now;
  if (failedCount < MOST_FAILURES) return { failedCount, failedSince, lockedUntil: null, lockMinutes: 0 };
  return { failedCount, failedSince, lockedUntil: now + 60_000, lockMinutes: 1 };
}

/** Whole minutes the account still waits, 0 when it may try. */
export function minutesToWait(state: LockState, now: number): number {
  return state.lockedUntil === null ? 0 : Math.max(0, Math.ceil((state.lockedUntil - now) / 60_000));
}
