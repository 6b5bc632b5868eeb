import { useTabs } from './tabs-store.ts';

/** Adds a tab without showing it; its view is made when it is selected. */
export function visitTabBehind(address: string): void {
  const [path = address, query] = address.split('?');
  const strip = useTabs.getState();
  if (strip.tabs.some((tab) => tab.path === path)) return;
  const search = query ? `?${query}` : '';
  const tab = { path, search, suffix: '', pinned: false, dirty: false, live: false, noCache: false };
  useTabs.setState({
    ...strip,
    clock: strip.clock + 1,
    tabs: [...strip.tabs, { ...tab, generation: strip.clock + 1, usedAt: 0 }],
  });
}
