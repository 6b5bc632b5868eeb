import { Drawer, type DrawerProps } from 'antd';
import { useLayerClass } from '../view.ts';
import { FocusPanel } from './focus-first.tsx';
import { useEscape } from './use-escape.ts';
import '../kernel.css';

// The library's transition throws the content away when a hidden tab with an open drawer is drawn before it is shown
// again (its typed text with it), so the drawer is animated by style only, as AppModal is not at all.
const NO_MOTION = { motion: {}, maskMotion: {} } as object;

const LEAST_BESIDE = 48;

/** The product's drawer: never wider than the window, Esc closes it as the top layer, a click beside it does too unless `guarded`. */
export function AppDrawer({ guarded, ...props }: DrawerProps & { readonly guarded?: boolean }) {
  const layer = useLayerClass();
  useEscape(props.open === true, () => props.onClose?.(undefined as never));
  const wanted = props.size ?? 720;
  // What would be left beside it is too little to see or to press.
  const size = typeof wanted === 'number' && wanted > window.innerWidth - LEAST_BESIDE ? '100%' : wanted;
  return (
    <Drawer
      destroyOnHidden
      mask={{ closable: !guarded }}
      {...props}
      {...NO_MOTION}
      keyboard={false}
      autoFocus={false}
      size={size}
      rootClassName={`k-drawer ${layer} ${props.rootClassName ?? ''}`}
    >
      <FocusPanel />
      {props.children}
    </Drawer>
  );
}
