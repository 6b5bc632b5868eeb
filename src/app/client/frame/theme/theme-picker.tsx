import { lazy, Suspense, useState } from 'react';
import { QuietBoundary } from '../../failures/quiet-boundary.tsx';
import { PopButton } from '../../../../kernel/client/parts/pop-button.tsx';
import { useText } from '../../../../kernel/client/language.ts';
import { BarIcon } from '../topbar/bar-icon.tsx';

const ThemePanel = lazy(() => import('./theme-panel.tsx'));

/** Theme button of the top bar. */
export function ThemePicker() {
  const text = useText();
  const [open, setOpen] = useState(false);
  const label = text(['换肤', 'Theme']);
  return (
    <PopButton
      open={open}
      onOpenChange={setOpen}
      className="bar-button"
      align="end"
      label={label}
      title={label}
      panel={
        <QuietBoundary where="theme">
          <Suspense fallback={<div style={{ width: 280, height: 180 }} />}>
            <ThemePanel />
          </Suspense>
        </QuietBoundary>
      }
    >
      <BarIcon name="theme" />
    </PopButton>
  );
}
