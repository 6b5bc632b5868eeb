import { Popover } from 'antd';
import { lazy, Suspense, useState } from 'react';
import { QuietBoundary } from '../../failures/quiet-boundary.tsx';
import { useText } from '../../../../kernel/client/language.ts';
import { BarIcon } from '../topbar/bar-icon.tsx';

const ThemePanel = lazy(() => import('./theme-panel.tsx'));

/** Theme button of the top bar. */
export function ThemePicker() {
  const text = useText();
  const [open, setOpen] = useState(false);
  const label = text(['换肤', 'Theme']);
  return (
    <Popover
      trigger="click"
      open={open}
      onOpenChange={setOpen}
      placement="bottomRight"
      destroyOnHidden
      content={
        <QuietBoundary where="theme">
          <Suspense fallback={<div style={{ width: 280, height: 180 }} />}>
            <ThemePanel />
          </Suspense>
        </QuietBoundary>
      }
    >
      <button type="button" className="bar-button" aria-label={label} title={label} aria-expanded={open}>
        <BarIcon name="theme" />
      </button>
    </Popover>
  );
}
