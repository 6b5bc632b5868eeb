import './top-bar.css';
import { useText } from '../../../../kernel/client/language.ts';
import { productTitle } from '../../product-title.ts';
import { DownloadCentre } from '../downloads/download-centre.tsx';
import { openLayer } from '../layers.ts';
import { NotificationBell } from '../notifications/notification-bell.tsx';
import { ThemePicker } from '../theme/theme-picker.tsx';
import type { FrameLayout } from '../use-frame-layout.ts';
import { BarIcon } from './bar-icon.tsx';
import { Breadcrumb } from './breadcrumb.tsx';
import { BugButton } from './bug-button.tsx';
import { FullScreenButton } from './full-screen-button.tsx';
import { LanguageSwitcher } from './language-switcher.tsx';
import { UserMenu } from './user-menu.tsx';

/** Top bar of 65 px: side menu toggle, logo, breadcrumb; at the right the tools of the frame. */
export function TopBar({ layout }: { readonly layout: FrameLayout }) {
  const text = useText();
  const toggle = layout.open ? text(['收起菜单', 'Collapse the menu']) : text(['展开菜单', 'Open the menu']);
  return (
    <header className="top-bar">
      <button
        type="button"
        className="bar-button"
        aria-label={toggle}
        title={toggle}
        aria-expanded={layout.open}
        onClick={layout.toggle}
      >
        <BarIcon name={layout.open ? 'fold' : 'unfold'} />
      </button>
      {layout.logo && (
        <img className="bar-logo" src="/logo.svg" width={320} height={50} alt={text(productTitle)} />
      )}
      <Breadcrumb />
      <div className="bar-tools" role="group" aria-label={text(['工具', 'Tools'])}>
        <button
          type="button"
          className="bar-search"
          title={text(['搜索菜单和单据（Ctrl+K）', 'Search menus and records (Ctrl+K)'])}
          onClick={() => openLayer('palette')}
        >
          <BarIcon name="search" />
          <span className="visually-hidden">{text(['搜索菜单和单据', 'Search menus and records'])}</span>
          <kbd>Ctrl+K</kbd>
        </button>
        <FullScreenButton />
        <BugButton />
        <LanguageSwitcher />
        <ThemePicker />
        <DownloadCentre />
        <NotificationBell />
        <UserMenu />
      </div>
    </header>
  );
}
