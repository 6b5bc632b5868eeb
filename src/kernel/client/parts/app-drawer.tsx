import { Drawer, type DrawerProps } from 'antd';
import { useLayerClass } from '../view.ts';
import '../kernel.css';

/** The product's drawer: never wider than the window, Esc closes it, a click beside it does too unless `guarded`. */
export function AppDrawer({ guarded, ...props }: DrawerProps & { readonly guarded?: boolean }) {
  const layer = useLayerClass();
  const size = typeof props.size === 'number' ? Math.min(props.size, window.innerWidth) : props.size;
  return (
    <Drawer
      destroyOnHidden
      mask={{ closable: !guarded }}
      {...props}
      size={size ?? 720}
      rootClassName={`k-drawer ${layer} ${props.rootClassName ?? ''}`}
    />
  );
}
