import './profile.css';
import { useId } from 'react';
import { AppDrawer } from '../../../../kernel/client/parts/app-drawer.tsx';
import { TabList } from '../../../../kernel/client/parts/tab-list.tsx';
import { useText } from '../../../../kernel/client/language.ts';
import type { Label } from '../../../../kernel/contract/label.ts';
import { closeLayer } from '../layers.ts';
import { BasicPart } from './basic-part.tsx';
import { DevicesPart } from './devices-part.tsx';
import { DraftsPart } from './drafts-part.tsx';
import { NoticesPart } from './notices-part.tsx';
import { PermissionsPart } from './permissions-part.tsx';
import { PreferencesPart } from './preferences-part.tsx';
import { useProfile, type ProfilePart } from './profile-store.ts';
import { SignInsPart } from './sign-ins-part.tsx';
import { ViewsPart } from './views-part.tsx';

const parts: readonly {
  readonly key: ProfilePart;
  readonly label: Label;
  readonly Part: () => React.ReactNode;
}[] = [
  { key: 'basic', label: ['基本资料', 'Basics'], Part: BasicPart },
  { key: 'devices', label: ['登录设备', 'Devices'], Part: DevicesPart },
  { key: 'signIns', label: ['登录记录', 'Sign-in history'], Part: SignInsPart },
  { key: 'permissions', label: ['我的权限', 'My permissions'], Part: PermissionsPart },
  { key: 'preferences', label: ['偏好', 'Preferences'], Part: PreferencesPart },
  { key: 'notices', label: ['通知设置', 'Notifications'], Part: NoticesPart },
  { key: 'views', label: ['我的视图', 'My views'], Part: ViewsPart },
  { key: 'drafts', label: ['草稿', 'Drafts'], Part: DraftsPart },
];

/** Drawer 个人中心: the staff's own data, devices, rights and preferences. */
export default function ProfileDrawer() {
  const text = useText();
  const panel = useId();
  const part = useProfile((state) => state.part);
  const Part = parts.find((one) => one.key === part)?.Part ?? BasicPart;
  return (
    <AppDrawer open title={text(['个人中心', 'Profile'])} size={720} onClose={closeLayer}>
      <div className="profile">
        <TabList
          vertical
          className="profile-tabs"
          label={text(['个人中心', 'Profile'])}
          panel={panel}
          tabs={parts.map(({ key, label }) => ({ key, label: text(label) }))}
          active={part}
          onChange={(key) => useProfile.setState({ part: key as ProfilePart })}
        />
        <div id={panel} role="tabpanel" className="profile-part">
          <Part />
        </div>
      </div>
    </AppDrawer>
  );
}
