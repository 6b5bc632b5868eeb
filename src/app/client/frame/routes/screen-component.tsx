import type { ComponentType } from 'react';
import { preloadable, type Preloadable } from '../../../../kernel/client/parts/preloadable.ts';
import { declaredMode, modeTitle } from '../../../../kernel/client/modes.rules.ts';
import type { ScreenModule } from '../../../../kernel/contract/group.ts';
import type { Resource } from '../../../../kernel/contract/resource.ts';
import type { Route } from './route-table.rules.ts';
import { useScreenFacts, type ScreenFacts } from './screen-facts.ts';

const screens = new Map<string, Preloadable<object>>();

/** The lazily loaded component of a route: its own one, or the default screen of its contract. */
export function screenComponent(route: Route): ComponentType {
  return screenOf(route).Component;
}

/** Fetches the code of a screen ahead of its drawing, which then shows no skeleton. A failure shows when it is drawn. */
export function preloadScreen(route: Route): void {
  screenOf(route).preload();
}

function screenOf(route: Route): Preloadable<object> {
  const known = screens.get(route.pattern);
  if (known) return known;
  const screen = preloadable<object>(async () => {
    // Beside the screen: most are drawn by it.
    void import('../../../../kernel/client/screen-of.tsx').catch(() => {});
    const module = await route.screen.load();
    noteFacts(route.pattern, module);
    return componentOf(module);
  });
  screens.set(route.pattern, screen);
  return screen;
}

/** Forgets a component whose code could not be loaded, so that it is fetched again. */
export function forgetScreen(route: Route): void {
  screens.delete(route.pattern);
}

async function componentOf(module: ScreenModule): Promise<ComponentType> {
  if (module.component) return module.component as ComponentType;
  if (!('contract' in module)) throw new Error('A screen module gives neither contract nor component');
  const { contract } = module;
  if (contract.archetype === 'page') throw new Error(`Page ${contract.name} gives no component`);
  const { ScreenOf } = await import('../../../../kernel/client/screen-of.tsx');
  return function DefaultScreen() {
    return <ScreenOf contract={contract} />;
  };
}

function noteFacts(pattern: string, module: ScreenModule): void {
  if (!('contract' in module)) return;
  const { contract } = module;
  const sensitive = 'sensitive' in contract && contract.sensitive === true;
  const facts = {
    title: contract.title,
    sensitive,
    ...(contract.archetype === 'resource' && modeFacts(contract, pattern)),
  };
  useScreenFacts.setState((state) => ({ facts: { ...state.facts, [pattern]: facts } }));
}

function modeFacts(resource: Resource, pattern: string): Partial<ScreenFacts> {
  const mode = declaredMode(resource, pattern);
  if (mode) return { title: modeTitle(resource, mode), list: resource.menu };
  return { modes: { add: modeTitle(resource, 'add'), edit: modeTitle(resource, 'edit') } };
}
