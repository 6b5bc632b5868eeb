import { useDownloads } from '../../../../kernel/client/downloads.ts';
import type { Label } from '../../../../kernel/contract/label.ts';
import { lockScreen } from '../../lock/lock-actions.ts';
import { setTheme, useTheme } from '../../theme/theme-store.ts';
import { openLayer } from '../layers.ts';
import { openProfile } from '../profile/profile-store.ts';
import { askAndLogOut } from '../topbar/ask-and-log-out.ts';

/** Something the palette does without opening a screen. */
export interface PaletteAction {
  readonly code: string;
  readonly title: Label;
  readonly run: () => void;
}

/** The actions the palette offers to everybody. */
export const paletteActions: readonly PaletteAction[] = [
  { code: 'lock', title: ['锁屏', 'Lock screen'], run: () => void lockScreen() },
  {
    code: 'downloads',
    title: ['导出中心', 'Download centre'],
    run: () => useDownloads.setState({ open: true }),
  },
  { code: 'password', title: ['修改密码', 'Change password'], run: () => openLayer('password') },
  { code: 'profile', title: ['个人中心', 'Profile'], run: () => openProfile('basic') },
  { code: 'preferences', title: ['偏好设置', 'Preferences'], run: () => openProfile('preferences') },
  { code: 'notices', title: ['通知设置', 'Notification settings'], run: () => openProfile('notices') },
  { code: 'permissions', title: ['我的权限', 'My permissions'], run: () => openProfile('permissions') },
  { code: 'shortcuts', title: ['快捷键', 'Shortcuts'], run: () => openLayer('shortcuts') },
  {
    code: 'appearance',
    title: ['换肤：浅色 / 深色', 'Theme: light or dark'],
    run: () => setTheme({ appearance: useTheme.getState().dark ? 'light' : 'dark' }),
  },
  { code: 'logout', title: ['退出登录', 'Log out'], run: () => void askAndLogOut() },
];
