import './sidebar.css';
import { useText } from '../../../../kernel/client/language.ts';
import { useEscape } from '../../../../kernel/client/parts/use-escape.ts';
import { productTitle } from '../../product-title.ts';
import type { FrameLayout } from '../use-frame-layout.ts';
import { SideMenu } from './side-menu.tsx';

/** Left sidebar: product logo and title, favourites, permitted menus. Below 992 px an overlay. */
export function Sidebar({ layout }: { readonly layout: FrameLayout }) {
  const text = useText();
  const { overlay, open } = layout;
  useEscape(overlay && open, layout.closeOverlay);
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
