import { lazy, Suspense, useState } from 'react';
import { QuietBoundary } from '../../failures/quiet-boundary.tsx';
import { PopButton } from '../../../../kernel/client/parts/pop-button.tsx';
import { useText } from '../../../../kernel/client/language.ts';
import { fill } from '../../../../kernel/contract/label.ts';
import { badgeText } from '../sidebar/badge.rules.ts';
import { BarIcon } from '../topbar/bar-icon.tsx';
import { useImportantToast } from './use-important-toast.ts';
import { useNotificationStream } from './use-notification-stream.ts';
import { useUnread } from './use-unread.ts';

const NotificationPanel = lazy(() => import('./notification-panel.tsx'));

/** Bell with the number of unread messages; not drawn when the server has no notifications. */
export function NotificationBell() {
  const text = useText();
  const [open, setOpen] = useState(false);
  const unread = useUnread();
  useNotificationStream(unread !== undefined);
  useImportantToast(unread?.important);
  if (unread === undefined) return null;
  const badge = badgeText(unread.total);
  const label = badge
    ? text(fill(['通知（{n} 条未读）', 'Notifications ({n} unread)'], { n: badge }))
    : text(['通知', 'Notifications']);
  return (
    <PopButton
      open={open}
      onOpenChange={setOpen}
      className="bar-button"
      align="end"
      title={label}
      panelStyle={{ width: 400, maxWidth: '96vw' }}
      panel={
        <QuietBoundary where="notifications">
          <Suspense fallback={<div style={{ height: 160 }} />}>
            <NotificationPanel onLeave={() => setOpen(false)} />
          </Suspense>
        </QuietBoundary>
      }
    >
      <BarIcon name="bell" />
      <span className="visually-hidden">{label}</span>
      {badge && (
        <span className="bar-badge" aria-hidden="true">
          {badge}
        </span>
      )}
    </PopButton>
  );
}
