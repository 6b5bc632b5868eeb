import { useEffect, useRef, useState } from 'react';

/** Milliseconds a submit stays locked after a click. Source: ground rule 7. */
export const GUARD_MS = 3000;

/** The lock of a submit: `busy` while its call runs, `locked` until 3 s after it started. */
export interface SubmitGuard {
  readonly busy: boolean;
  readonly locked: boolean;
  /** Locks for 3 s from now: the click had no effect because what was typed is not valid. */
  readonly hold: () => void;
  /** Runs the work, or answers undefined while locked. */
  readonly run: <T>(work: () => Promise<T>) => Promise<T> | undefined;
}

/** Locks a submit while its call runs and for 3 s after it started. */
export function useSubmitGuard(): SubmitGuard {
  const [locked, setLocked] = useState(false);
  const [busy, setBusy] = useState(false);
  const until = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    // A hidden tab lost its timer; unlock by the clock when it is shown again.
    if (until.current > 0 && Date.now() >= until.current) setLocked(false);
    return () => clearTimeout(timer.current);
  }, []);
  const lockFor = (milliseconds: number) => {
    clearTimeout(timer.current);
    until.current = Date.now() + milliseconds;
    timer.current = setTimeout(() => setLocked(false), milliseconds);
  };
  return {
    busy,
    locked,
    hold: () => {
      if (Date.now() < until.current) return;
      setLocked(true);
      lockFor(GUARD_MS);
    },
    run: (work) => {
      if (Date.now() < until.current) return undefined;
      until.current = Number.MAX_SAFE_INTEGER;
      const started = Date.now();
      setLocked(true);
      setBusy(true);
      return work().finally(() => {
        setBusy(false);
        lockFor(Math.max(0, started + GUARD_MS - Date.now()));
      });
    },
  };
}

const passed = new Map<string, number>();

/** Click guard of what works without a form of its own: true for the first click of 3 s on the same thing. */
export function passClick(key: string, now = Date.now()): boolean {
  for (const [known, at] of passed) if (now - at >= GUARD_MS) passed.delete(known);
  if (passed.has(key)) return false;
  passed.set(key, now);
  return true;
}
