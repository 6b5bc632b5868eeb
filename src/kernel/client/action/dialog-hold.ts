import { createContext, useContext, useLayoutEffect } from 'react';

/** Set by the dialog around what stands above its input. */
export const DialogHold = createContext<(held: boolean) => void>(() => {});

/**
 * Keeps the dialog's button closed while what it asks about is not shown yet: nobody confirms figures that have not
 * arrived, and no button moves under the pointer when they do.
 */
export function useDialogHold(held: boolean): void {
  const hold = useContext(DialogHold);
  useLayoutEffect(() => {
    hold(held);
    return () => hold(false);
  }, [hold, held]);
}
