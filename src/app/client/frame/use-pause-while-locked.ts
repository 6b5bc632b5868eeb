import { onlineManager } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useLock } from '../session/lock-state.ts';

/** Stops every query and poll while the screen is locked. */
export function usePauseWhileLocked(): void {
  const locked = useLock((state) => state.locked);
  useEffect(() => {
    onlineManager.setOnline(!locked);
    return () => onlineManager.setOnline(true);
  }, [locked]);
}
