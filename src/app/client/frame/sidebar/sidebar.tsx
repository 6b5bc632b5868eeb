import './sidebar.css';
import { useEffect } from 'react';
import { useText } from '../../../../kernel/client/language.ts';
import { productTitle } from '../../product-title.ts';
import type { FrameLayout } from '../use-frame-layout.ts';
import { SideMenu } from './side-menu.tsx';

/** Left sidebar: product logo and title, favourites, permitted menus. Below 992 px an overlay. */
export function Sidebar({ layout }: { readonly layout: FrameLayout }) {
  const text = useText();
  const { overlay, open } = layout;
  useEffect(() => {
    if (!overlay || !open) return;
    const onKey = (event: KeyboardEvent) => event.key === 'Escape' && layout.closeOverlay();
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [overlay, open, layout]);
  if (overlay && !open) return null;
  return (
    <>
      {overlay && <div className="side-shade" onClick={layout.closeOverlay} />}
      <aside className="side" data-open={open} aria-label={text(['侧边栏', 'Sidebar'])}>
        <div className="side-head">
          <img src="/favicon.svg" width={32} height={32} alt="" />
          {open && <span>{text(productTitle)}</span>}
        </div>
        <SideMenu collapsed={!open} />
      </aside>
    </>
  );
}
