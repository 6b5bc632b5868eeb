import { useText } from '../../../../kernel/client/language.ts';
import { MenuButton } from '../../../../kernel/client/parts/menu-button.tsx';
import { useSession } from '../../../../kernel/client/session.ts';
import { lockScreen } from '../../lock/lock-actions.ts';
import { openLayer } from '../layers.ts';
import { openProfile } from '../profile/profile-store.ts';
import { askAndLogOut } from './ask-and-log-out.ts';

/** Avatar and name with the staff's own actions. */
export function UserMenu() {
  const text = useText();
  const info = useSession((state) => state.info);
  const name = info?.name || info?.username || '';
  const entries = [
    { key: 'profile', label: text(['个人中心', 'Profile']), run: () => openProfile('basic') },
    { key: 'password', label: text(['修改密码', 'Change password']), run: () => openLayer('password') },
    { key: 'lock', label: text(['锁屏', 'Lock screen']), run: () => void lockScreen() },
    { key: 'shortcuts', label: text(['快捷键', 'Shortcuts']), run: () => openLayer('shortcuts') },
    'line' as const,
    { key: 'logout', label: text(['退出登录', 'Log out']), run: () => void askAndLogOut() },
  ];
  return (
    <MenuButton className="bar-user" align="end" entries={entries}>
      <span className="visually-hidden">{text(['用户', 'User'])}</span>
      {info?.avatar ? (
        <img src={info.avatar} width={32} height={32} alt="" className="bar-avatar" />
      ) : (
        <span className="bar-avatar" aria-hidden="true">
          {Array.from(name)[0]?.toUpperCase() ?? '·'}
        </span>
      )}
      <span className="bar-name">{name}</span>
    </MenuButton>
  );
}
