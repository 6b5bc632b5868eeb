import { Drawer, type DrawerProps } from 'antd';
import '../kernel.css';

/** The product's drawer: never wider than the window, Esc closes it, a click beside it does too unless `guarded`. */
export function AppDrawer({ guarded, ...props }: DrawerProps & { readonly guarded?: boolean }) {
  const size = typeof props.size === 'number' ? Math.min(props.size, window.innerWidth) : props.size;
  return (
    <Drawer
      destroyOnHidden
      mask={{ closable: !guarded }}
      {...props}
      size={size ?? 720}
      rootClassName={`k-drawer ${props.rootClassName ?? ''}`}
    />
  );
}
