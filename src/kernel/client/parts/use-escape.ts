import { useEffect, useEffectEvent, useState } from 'react';

/** Something open above the page: a menu, panel, drawer, dialog, fly-out or cover. */
interface Layer {
  /** When it was opened; the last one stands on top. */
  readonly order: number;
  readonly close: () => void;
}

const open: Layer[] = [];
let opened = 0;
let isListening = false;
let isPopupAbove = false;

/** Popups of the component library close themselves on Esc; its dialogs and drawers are told not to. */
const POPUPS = '.ant-select-dropdown, .ant-picker-dropdown, .ant-popover, .ant-image-preview';

/**
 * Esc closes the top layer and nothing else. Every layer of the product takes part through this one hook: the last one
 * opened gets the key, those below never see it, also after the tab they live in was left and shown again.
 * `close` may ask first or do nothing at all (a cover that only a password opens).
 */
export function useEscape(isOpen: boolean, close: () => void): void {
  const order = useOrder(isOpen);
  const leave = useEffectEvent(close);
  useEffect(() => {
    if (order === undefined) return;
    listen();
    const layer: Layer = { order, close: () => leave() };
    // A tab that is shown again brings its layers back from the inside out: the order of opening is kept.
    open.push(layer);
    open.sort((a, b) => a.order - b.order);
    return () => {
      open.splice(open.indexOf(layer), 1);
    };
  }, [order]);
}

/** True while the layer is the one that keys are meant for: nothing was opened above it. */
export function isTopLayer(element: Element | null): boolean {
  const layers = [...document.querySelectorAll('.ant-drawer-open, .ant-modal-wrap')].filter(
    (one) => one.getClientRects().length > 0,
  );
  return element !== null && layers.at(-1)?.contains(element) === true;
}

/** Place of a layer among the open ones. Given while drawing: what stands inside a layer is drawn after it. */
function useOrder(isOpen: boolean): number | undefined {
  const [order, setOrder] = useState<number>();
  if (isOpen === (order !== undefined)) return order;
  const next = isOpen ? ++opened : undefined;
  setOrder(next);
  return next;
}

function listen(): void {
  if (isListening) return;
  isListening = true;
  // What is open when the key goes down: a picker has closed itself by the time the key arrives here.
  window.addEventListener(
    'keydown',
    (event) => {
      if (event.key === 'Escape') isPopupAbove = hasPopup();
    },
    true,
  );
  window.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing || event.keyCode === 229)
      return;
    const top = open.at(-1);
    if (!top || isPopupAbove) return;
    // A native dialog would close itself on the same key.
    event.preventDefault();
    top.close();
  });
}

function hasPopup(): boolean {
  return [...document.querySelectorAll(POPUPS)].some(
    (popup) => popup.getClientRects().length > 0 && !popup.className.includes('-leave'),
  );
}
