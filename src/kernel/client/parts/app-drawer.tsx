import { Drawer, type DrawerProps } from 'antd';
import { useLayerClass } from '../view.ts';
import { useEscape } from './use-escape.ts';
import '../kernel.css';

// The library's transition throws the content away when a hidden tab with an open drawer is drawn before it is shown
// again (its typed text with it), so the drawer is animated by style only, as AppModal is not at all.
const NO_MOTION = { motion: {}, maskMotion: {} } as object;

/** The product's drawer: never wider than the window, Esc closes it as the top layer, a click beside it does too unless `guarded`. */
export function AppDrawer({ guarded, ...props }: DrawerProps & { readonly guarded?: boolean }) {
  const layer = useLayerClass();
  useEscape(props.open === true, () => props.onClose?.(undefined as never));
  const size = typeof props.size === 'number' ? Math.min(props.size, window.innerWidth) : props.size;
  return (
    <Drawer
      destroyOnHidden
      mask={{ closable: !guarded }}
      {...props}
      {...NO_MOTION}
      keyboard={false}
      size={size ?? 720}
      rootClassName={`k-drawer ${layer} ${props.rootClassName ?? ''}`}
    />
  );
}
