import { useDownloads } from '../../../../kernel/client/downloads.ts';
import type { Label } from '../../../../kernel/contract/label.ts';
import { lockScreen } from '../../lock/lock-actions.ts';
import { setTheme, useTheme } from '../../theme/theme-store.ts';
import { toggleFullScreen } from '../topbar/full-screen.ts';
import { openLayer } from '../layers.ts';
import { openProfile } from '../profile/profile-store.ts';
import { askAndLogOut } from '../topbar/ask-and-log-out.ts';

/** Something the palette does without opening a screen: an action, or a place of the settings. */
export interface PaletteAction {
  readonly code: string;
  readonly title: Label;
  readonly isSetting?: true;
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
  { code: 'shortcuts', title: ['快捷键', 'Shortcuts'], run: () => openLayer('shortcuts') },
  {
    code: 'appearance',
    title: ['换肤：浅色 / 深色', 'Theme: light or dark'],
    run: () => setTheme({ appearance: useTheme.getState().dark ? 'light' : 'dark' }),
  },
  { code: 'fullscreen', title: ['全屏', 'Full screen'], run: toggleFullScreen },
  { code: 'logout', title: ['退出登录', 'Log out'], run: () => void askAndLogOut() },
  ...(
    [
      ['preferences', ['偏好设置', 'Preferences'], 'preferences'],
      ['language', ['语言 / Language', 'Language / 语言'], 'preferences'],
      ['theme', ['主题色', 'Theme colour'], 'preferences'],
      ['density', ['表格密度', 'Table density'], 'preferences'],
      ['idle', ['空闲锁屏', 'Lock when idle'], 'preferences'],
      ['single-keys', ['单键快捷键', 'Single-key shortcuts'], 'preferences'],
      ['notices', ['通知设置', 'Notification settings'], 'notices'],
      ['devices', ['登录设备', 'Devices'], 'devices'],
      ['sign-ins', ['登录记录', 'Sign-in history'], 'signIns'],
      ['permissions', ['我的权限', 'My permissions'], 'permissions'],
      ['views', ['我的视图', 'My views'], 'views'],
      ['drafts', ['草稿', 'Drafts'], 'drafts'],
    ] as const
  ).map(([code, title, part]) => ({ code, title, isSetting: true as const, run: () => openProfile(part) })),
];
