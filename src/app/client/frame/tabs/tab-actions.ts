import type { Label } from '../../../../kernel/contract/label.ts';
import { go } from '../../location/location.ts';
import { ask } from '../../notices/questions.ts';
import { close, pathsToClose, refresh, restore, togglePin } from './strip.rules.ts';
import { useTabs } from './tabs-store.ts';

/** The question before unsaved input is lost. Source: 00-frame, tab strip. */
export const unsavedTitle: Label = ['有未保存的修改，确定离开吗？', 'You have unsaved changes. Leave?'];
/** What becomes of it. */
export const unsavedText: Label = [
  '离开后修改不会提交，草稿会在本机保留 7 天。',
  'Nothing is submitted. A draft is kept on this computer for 7 days.',
];

/** Asks before unsaved input is lost; true when nothing is dirty or the staff agrees. */
async function mayLose(paths: readonly string[]): Promise<boolean> {
  const dirty = useTabs.getState().tabs.filter((tab) => tab.dirty && paths.includes(tab.path));
  if (dirty.length === 0) return true;
  return ask({
    title: unsavedTitle,
    text: unsavedText,
    confirm: ['离开', 'Leave'],
    cancel: ['留下', 'Stay'],
    danger: true,
  });
}

/** Closes tabs by a menu entry, after the question about unsaved input. */
export async function closeTabs(
  kind: 'this' | 'others' | 'all' | 'left' | 'right',
  path: string,
): Promise<void> {
  const paths = pathsToClose(useTabs.getState(), kind, path);
  if (!(await mayLose(paths))) return;
  const { strip, goTo } = close(useTabs.getState(), paths);
  useTabs.setState(strip);
  if (kind === 'all') return go('/');
  const isActiveGone = goTo !== undefined;
  // After closing others, left or right the tab of the menu is the one to stay on.
  if (isActiveGone) go(kind === 'this' ? goTo : path + searchOf(path));
}

/** Destroys the view of a tab and makes it again. */
export async function refreshTab(path: string): Promise<void> {
  if (await mayLose([path])) useTabs.setState(refresh(useTabs.getState(), path));
}

/** Pins or unpins a tab. */
export function pinTab(path: string): void {
  useTabs.setState(togglePin(useTabs.getState(), path));
}

/** Opens the last closed tab again. */
export function restoreTab(): void {
  const { strip, goTo } = restore(useTabs.getState());
  useTabs.setState(strip);
  if (goTo) go(goTo);
}

/** Selects a tab with the query it has. */
export function selectTab(path: string): void {
  go(path + searchOf(path));
}

function searchOf(path: string): string {
  return useTabs.getState().tabs.find((tab) => tab.path === path)?.search ?? '';
}
