import { useEffect } from 'react';
import { usePreference } from '../../../kernel/client/preference.ts';
import { lockScreen } from '../lock/lock-actions.ts';
import { useLock } from '../session/lock-state.ts';
import { onWindowMessage, tellWindows } from '../session/windows.ts';
import { frameSetting } from './frame-setting.ts';
import { idleMinutes } from './idle-minutes.rules.ts';

const TELL_MS = 10_000;
const CHECK_MS = 5000;

/** Locks after the idle minutes without a key, pointer or wheel in any window of the browser. */
export function useIdleLock(): void {
  const [own] = usePreference<number>('lock.idle_minutes');
  const minutes = idleMinutes(Number(frameSetting('frame.lock.idle_minutes')), own);
  useEffect(() => {
    if (minutes === 0) return;
    let last = Date.now();
    let told = 0;
    const onActivity = () => {
      last = Date.now();
      if (last - told < TELL_MS) return;
      told = last;
      tellWindows({ kind: 'active' });
    };
    const events = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const;
    for (const event of events) window.addEventListener(event, onActivity, { passive: true, capture: true });
    const stopListening = onWindowMessage((message) => {
      if (message.kind === 'active') last = Date.now();
    });
    const timer = setInterval(() => {
      if (!useLock.getState().locked && Date.now() - last >= minutes * 60_000) void lockScreen();
    }, CHECK_MS);
    return () => {
      for (const event of events) window.removeEventListener(event, onActivity, { capture: true });
      stopListening();
      clearInterval(timer);
    };
  }, [minutes]);
}
