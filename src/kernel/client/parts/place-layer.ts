const EDGE = 4;

/** Which edges of button and layer stand above each other. */
export type LayerAlign = 'start' | 'end';

/**
 * Puts a fixed layer below its anchor, above it where the room below is too small, always inside the window, and
 * keeps it there while anything scrolls or changes its size. Returns what ends that.
 */
export function placeLayer(layer: HTMLElement, anchor: Element, align: LayerAlign): () => void {
  // The top layer: nothing can cover or clip it, and it stays inside a drawer for the focus.
  layer.showPopover?.();
  const place = () => {
    const from = anchor.getBoundingClientRect();
    const width = layer.offsetWidth;
    const height = layer.offsetHeight;
    const left = align === 'end' ? from.right - width : from.left;
    const below = from.bottom + EDGE;
    const above = from.top - EDGE - height;
    const top = below + height > window.innerHeight - EDGE && above >= EDGE ? above : below;
    layer.style.left = `${Math.max(EDGE, Math.min(left, window.innerWidth - width - EDGE))}px`;
    layer.style.top = `${Math.max(EDGE, top)}px`;
  };
  place();
  const resized = new ResizeObserver(place);
  resized.observe(layer);
  window.addEventListener('resize', place);
  window.addEventListener('scroll', place, { capture: true, passive: true });
  return () => {
    resized.disconnect();
    window.removeEventListener('resize', place);
    window.removeEventListener('scroll', place, { capture: true });
    if (layer.isConnected) layer.hidePopover?.();
  };
}
