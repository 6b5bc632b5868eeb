import { useEffect, useState } from 'react';
import { useSession } from '../../../../kernel/client/session.ts';
import { useTheme } from '../../theme/theme-store.ts';
import { frameSetting } from '../frame-setting.ts';
import { productRoutes } from '../routes/product-routes.ts';
import { useScreenFacts } from '../routes/screen-facts.ts';
import { useTabs } from '../tabs/tabs-store.ts';
import { drawWatermark } from './draw-watermark.ts';
import { watermarkText } from './watermark-text.rules.ts';

const MINUTE = 60_000;

/** Name, number and time over screens with personal or money data; taking the node away puts it back. */
export function Watermark() {
  const info = useSession((state) => state.info);
  const dark = useTheme((state) => state.dark);
  const active = useTabs((state) => state.active);
  const facts = useScreenFacts((state) => state.facts);
  const [minute, setMinute] = useState(() => Math.floor(Date.now() / MINUTE));
  useEffect(() => {
    const timer = setInterval(() => setMinute(Math.floor(Date.now() / MINUTE)), MINUTE / 4);
    return () => clearInterval(timer);
  }, []);
  const mode = frameSetting('frame.watermark');
  const pattern = active && productRoutes.find(active)?.route.pattern;
  const isSensitive = pattern !== undefined && facts[pattern]?.sensitive === true;
  const shown = info !== undefined && (mode === 'all' || (mode === 'sensitive' && isSensitive));
  const text = info ? watermarkText(info, new Date(minute * MINUTE)) : '';
  useEffect(() => {
    if (!shown) return;
    const host = document.getElementById('content');
    if (!host) return;
    const image = drawWatermark(text, dark);
    let node = putNode(host, image);
    const observer = new MutationObserver(() => {
      if (host.contains(node) && node.style.cssText === styleOf(image)) return;
      node.remove();
      node = putNode(host, image);
      observer.observe(node, { attributes: true });
    });
    observer.observe(host, { childList: true, subtree: false });
    observer.observe(node, { attributes: true });
    return () => {
      observer.disconnect();
      node.remove();
    };
  }, [shown, text, dark]);
  return null;
}

let normalStyle: { readonly image: string; readonly css: string } | undefined;

/** The style as the browser writes it back, to compare with. */
function styleOf(image: string): string {
  if (normalStyle?.image !== image) {
    const probe = document.createElement('div');
    applyStyle(probe, image);
    normalStyle = { image, css: probe.style.cssText };
  }
  return normalStyle.css;
}

function applyStyle(node: HTMLElement, image: string): void {
  Object.assign(node.style, {
    position: 'absolute',
    inset: '0',
    zIndex: '14',
    pointerEvents: 'none',
    backgroundImage: `url(${image})`,
    backgroundSize: '300px 180px',
  });
}

function putNode(host: HTMLElement, image: string): HTMLElement {
  const node = document.createElement('div');
  node.setAttribute('aria-hidden', 'true');
  node.dataset.watermark = '';
  applyStyle(node, image);
  host.append(node);
  return node;
}
