import { useState, type KeyboardEvent } from 'react';

/**
 * For `onInputKeyDown` of a multiple select: Tab closes and leaves. The library lets it toggle the marked option, so
 * that whoever clicks an option and goes on with Tab takes the choice back without seeing it.
 */
export function tabLeaves(event: KeyboardEvent<HTMLElement>, close: () => void): void {
  if (event.key !== 'Tab') return;
  event.stopPropagation();
  close();
}

/** What a multiple select of fixed words is given so that Tab leaves it. */
export function useTabLeaves() {
  const [open, setOpen] = useState(false);
  return {
    open,
    onOpenChange: setOpen,
    onInputKeyDown: (event: KeyboardEvent<HTMLElement>) => tabLeaves(event, () => setOpen(false)),
  };
}
