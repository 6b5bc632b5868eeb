import { create } from 'zustand';

/** The layers of the frame that are fetched when first opened. */
export type Layer = 'password' | 'errors' | 'palette' | 'shortcuts' | 'profile';

interface LayerState {
  readonly open: Layer | undefined;
}

/** The open layer of the frame. */
export const useLayers = create<LayerState>(() => ({ open: undefined }));

let opener: Element | null = null;

/** Opens a layer and remembers what had the focus. */
export function openLayer(layer: Layer): void {
  // A menu has given the focus back to its button by now.
  if (useLayers.getState().open === undefined) opener = document.activeElement;
  useLayers.setState({ open: layer });
}

/** Closes the layer and gives the focus back. */
export function closeLayer(): void {
  useLayers.setState({ open: undefined });
  const target = opener;
  opener = null;
  // After the layer has given the focus up itself.
  setTimeout(() => {
    const isLost = document.activeElement === document.body || document.activeElement === null;
    if (isLost && target instanceof HTMLElement && target.isConnected) target.focus({ preventScroll: true });
  }, 50);
}
