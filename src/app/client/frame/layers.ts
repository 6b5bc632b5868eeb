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
  if (useLayers.getState().open === undefined) opener = document.activeElement;
  useLayers.setState({ open: layer });
}

/** Closes the layer and gives the focus back. */
export function closeLayer(): void {
  useLayers.setState({ open: undefined });
  if (opener instanceof HTMLElement && opener.isConnected) opener.focus({ preventScroll: true });
  opener = null;
}
