import { lazy, Suspense, useEffect } from 'react';
import { useText } from '../../../kernel/client/language.ts';
import { QuietBoundary } from '../failures/quiet-boundary.tsx';
import { useStage } from '../navigation/stage.ts';
import { FrameServices } from './frame-services.tsx';
import { MainArea } from './main-area.tsx';
import { Sidebar } from './sidebar/sidebar.tsx';
import { TopBar } from './topbar/top-bar.tsx';
import { useFrameLayout } from './use-frame-layout.ts';
import { closeLayer, useLayers } from './layers.ts';

const ChangePasswordDialog = lazy(() => import('./password/change-password-dialog.tsx'));
const ErrorLogDialog = lazy(() => import('./errors/error-log-dialog.tsx'));
const Palette = lazy(() => import('./palette/palette.tsx'));
const ShortcutSheet = lazy(() => import('./shortcuts/shortcut-sheet.tsx'));
const ProfileDrawer = lazy(() => import('./profile/profile-drawer.tsx'));

/** Side menu, top bar and main area, with the layers that open above them. */
export function Frame() {
  const text = useText();
  const page = useStage((state) => (state.stage.kind === 'frame' ? state.stage.page : 'screen'));
  const layout = useFrameLayout();
  const layer = useLayers((state) => state.open);
  const isMenuOpen = layout.open && !layout.overlay;
  useEffect(() => {
    // The fly-outs of a collapsed menu would open below the mask.
    document.body.style.setProperty('--view-left', isMenuOpen ? '220px' : '0px');
  }, [isMenuOpen]);
  return (
    <div className="frame" data-layout={layout.overlay ? 'overlay' : layout.open ? 'open' : 'collapsed'}>
      <a
        className="skip-link"
        href="#content"
        onClick={(event) => {
          event.preventDefault();
          document.getElementById('content')?.focus();
        }}
      >
        {text(['跳到正文', 'Skip to content'])}
      </a>
      <FrameServices />
      <Sidebar layout={layout} />
      <div className="frame-body">
        <TopBar layout={layout} />
        <MainArea page={page} height={layout.mainHeight} />
      </div>
      <QuietBoundary key={layer ?? ''} where={`layer ${layer}`} onError={closeLayer}>
        <Suspense>
          {layer === 'password' && <ChangePasswordDialog />}
          {layer === 'errors' && <ErrorLogDialog />}
          {layer === 'palette' && <Palette />}
          {layer === 'shortcuts' && <ShortcutSheet />}
          {layer === 'profile' && <ProfileDrawer />}
        </Suspense>
      </QuietBoundary>
    </div>
  );
}
