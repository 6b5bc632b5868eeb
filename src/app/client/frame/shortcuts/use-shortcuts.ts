import { useEffect, useRef } from 'react';
import { useDownloads } from '../../../../kernel/client/downloads.ts';
import { usePreference } from '../../../../kernel/client/preference.ts';
import { go } from '../../location/location.ts';
import { lockScreen } from '../../lock/lock-actions.ts';
import { useQuestions } from '../../notices/questions.ts';
import { useLock } from '../../session/lock-state.ts';
import { closeLayer, openLayer, useLayers } from '../layers.ts';
import { closeTabs, restoreTab, selectTab } from '../tabs/tab-actions.ts';
import { useTabs } from '../tabs/tabs-store.ts';

const SEQUENCE_MS = 1200;

/** Keyboard shortcuts of the frame; silent while typing or composing Chinese, single keys can be switched off. */
export function useShortcuts(): void {
  const [singleKeys] = usePreference<boolean>('shortcuts.single_key');
  const hasSingleKeys = useRef(true);
  useEffect(() => {
    hasSingleKeys.current = singleKeys !== false;
  }, [singleKeys]);
  useEffect(() => {
    let sequenceUntil = 0;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.isComposing || useLock.getState().locked || useQuestions.getState().asked.length > 0) return;
      if (runWithModifier(event)) return event.preventDefault();
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (!hasSingleKeys.current || isLayerOpen()) return;
      if (Date.now() < sequenceUntil) {
        sequenceUntil = 0;
        if (runSequence(event.key)) return event.preventDefault();
      }
      if (event.key === 'g') {
        sequenceUntil = Date.now() + SEQUENCE_MS;
        return;
      }
      if (event.key !== '?') return;
      openLayer('shortcuts');
      event.preventDefault();
    };
    // Before the lists' own keys: the second key of a sequence must not select a row.
    window.addEventListener('keydown', onKeyDown, true);
    return () => window.removeEventListener('keydown', onKeyDown, true);
  }, []);
}

function runWithModifier(event: KeyboardEvent): boolean {
  const key = event.key.toLowerCase();
  if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && key === 'k') {
    if (useLayers.getState().open === 'palette') closeLayer();
    else openLayer('palette');
    return true;
  }
  if (!event.altKey || event.ctrlKey || event.metaKey) return false;
  // By physical key: with Alt some layouts write other characters.
  if (event.code === 'KeyL' && !event.shiftKey) void lockScreen();
  else if (event.code === 'KeyT' && event.shiftKey) restoreTab();
  else if (event.code === 'KeyW' && !event.shiftKey) closeActive();
  else if (/^Digit[1-9]$/.test(event.code)) selectNumber(Number(event.code.slice(5)));
  else return false;
  return true;
}

function closeActive(): void {
  const { tabs, active } = useTabs.getState();
  const tab = tabs.find((one) => one.path === active);
  if (tab && !tab.pinned) void closeTabs('this', tab.path);
}

function selectNumber(number: number): void {
  const tab = useTabs.getState().tabs[number - 1];
  if (tab) selectTab(tab.path);
}

function runSequence(key: string): boolean {
  if (key === 'd') go('/dashboard');
  else if (key === 't') go('/dashboard?part=todo');
  else if (key === 'x') useDownloads.setState({ open: true });
  else return false;
  return true;
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target.matches('textarea, select, [role=combobox], [role=textbox]'))
    return true;
  return (
    target instanceof HTMLInputElement && !['checkbox', 'radio', 'button', 'submit'].includes(target.type)
  );
}

function isLayerOpen(): boolean {
  return (
    useLayers.getState().open !== undefined ||
    document.querySelector('.ant-modal-wrap:not([style*="display: none"]), dialog[open]') !== null
  );
}
