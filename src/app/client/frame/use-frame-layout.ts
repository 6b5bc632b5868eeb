import { useEffect, useState } from 'react';
import { useLocationStore } from '../location/location.ts';
import { readCookie, writeCookie } from '../session/token-cookie.ts';

/** Height of the top bar in px. */
export const TOP_BAR_HEIGHT = 65;
/** Below this window width the side menu is an overlay. */
export const OVERLAY_WIDTH = 992;
/** Below this window width the top bar has no logo. */
export const LOGO_WIDTH = 1200;

const RESIZE_MS = 100;

/** Shape of the frame. */
export interface FrameLayout {
  /** The side menu is open (220 px, or the overlay is shown). */
  readonly open: boolean;
  readonly overlay: boolean;
  readonly logo: boolean;
  /** Window height minus the top bar, in px. */
  readonly mainHeight: number;
  toggle(): void;
  closeOverlay(): void;
}

/** Follows the window size, throttled to 100 ms with the trailing call, and the side menu's cookie. */
export function useFrameLayout(): FrameLayout {
  const [size, setSize] = useState(() => ({ width: window.innerWidth, height: window.innerHeight }));
  const [open, setOpen] = useState(() => readCookie('sidebarStatus') !== '0');
  const [overlayOpen, setOverlayOpen] = useState(false);
  useEffect(() => {
    const onResize = throttled(
      () => setSize({ width: window.innerWidth, height: window.innerHeight }),
      RESIZE_MS,
    );
    window.addEventListener('resize', onResize);
    // A window that was resized between the first paint and this listener.
    onResize();
    return () => window.removeEventListener('resize', onResize);
  }, []);
  useEffect(
    () =>
      useLocationStore.subscribe((state, before) => state.visit !== before.visit && setOverlayOpen(false)),
    [],
  );
  const overlay = size.width < OVERLAY_WIDTH;
  return {
    open: overlay ? overlayOpen : open,
    overlay,
    logo: size.width >= LOGO_WIDTH,
    mainHeight: size.height - TOP_BAR_HEIGHT,
    toggle: () => {
      if (overlay) return setOverlayOpen(!overlayOpen);
      writeCookie('sidebarStatus', open ? '0' : '1', 365);
      setOpen(!open);
    },
    closeOverlay: () => setOverlayOpen(false),
  };
}

/** Runs at most once in the given time; the last call always runs. */
export function throttled(run: () => void, milliseconds: number): () => void {
  let last = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  return () => {
    clearTimeout(timer);
    const wait = last + milliseconds - Date.now();
    const now = () => {
      last = Date.now();
      run();
    };
    if (wait <= 0) now();
    else timer = setTimeout(now, wait);
  };
}
