import { ask } from '../../notices/questions.ts';
import { logOut } from '../../session/log-out.ts';
import { unsavedText, unsavedTitle } from '../tabs/tab-actions.ts';
import { useTabs } from '../tabs/tabs-store.ts';
import { leaveOnPurpose } from '../use-before-unload.ts';

/** Signs out; asks only when there is unsaved input. */
export async function askAndLogOut(): Promise<void> {
  const hasUnsaved = useTabs.getState().tabs.some((tab) => tab.dirty);
  if (hasUnsaved) {
    const yes = await ask({
      title: unsavedTitle,
      text: unsavedText,
      confirm: ['退出', 'Log out'],
      cancel: ['留下', 'Stay'],
      danger: true,
    });
    if (!yes) return;
  }
  leaveOnPurpose(() => void logOut());
}
