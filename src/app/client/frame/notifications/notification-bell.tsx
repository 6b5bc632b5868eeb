import { Popover } from 'antd';
import { lazy, Suspense, useState } from 'react';
import { QuietBoundary } from '../../failures/quiet-boundary.tsx';
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
    <Popover
      trigger="click"
      open={open}
      onOpenChange={setOpen}
      placement="bottomRight"
      destroyOnHidden
      styles={{ root: { width: 400, maxWidth: '96vw' } }}
      content={
        <QuietBoundary where="notifications">
          <Suspense fallback={<div style={{ height: 160 }} />}>
            <NotificationPanel onLeave={() => setOpen(false)} />
          </Suspense>
        </QuietBoundary>
      }
    >
      <button type="button" className="bar-button" title={label} aria-expanded={open}>
        <BarIcon name="bell" />
        <span className="visually-hidden">{label}</span>
        {badge && (
          <span className="bar-badge" aria-hidden="true">
            {badge}
          </span>
        )}
      </button>
    </Popover>
  );
}
