import { ask } from '../../notices/questions.ts';
import { logOut } from '../../session/log-out.ts';
import { useTabs } from '../tabs/tabs-store.ts';
import { leaveOnPurpose } from '../use-before-unload.ts';

/** Signs out; asks only when there is unsaved input. */
export async function askAndLogOut(): Promise<void> {
  const hasUnsaved = useTabs.getState().tabs.some((tab) => tab.dirty);
  if (hasUnsaved) {
    const yes = await ask({
      title: ['退出登录', 'Log out'],
      text: ['有标签页的内容未保存，确定退出吗？', 'There is unsaved input in a tab. Log out anyway?'],
      confirm: ['退出', 'Log out'],
      cancel: ['留下', 'Stay'],
      danger: true,
    });
    if (!yes) return;
  }
  leaveOnPurpose(() => void logOut());
}
