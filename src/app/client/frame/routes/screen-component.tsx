import { lazy, type ComponentType } from 'react';
import type { ScreenModule } from '../../../../kernel/contract/group.ts';
import type { Route } from './route-table.rules.ts';
import { useScreenFacts } from './screen-facts.ts';

const components = new Map<string, ComponentType>();

/** The lazily loaded component of a route: its own one, or the default screen of its contract. */
export function screenComponent(route: Route): ComponentType {
  const known = components.get(route.pattern);
  if (known) return known;
  const component = lazy(async () => {
    const module = await route.screen.load();
    noteFacts(route.pattern, module);
    return { default: await componentOf(module) };
  });
  components.set(route.pattern, component);
  return component;
}

/** Forgets a component whose code could not be loaded, so that it is fetched again. */
export function forgetScreen(route: Route): void {
  components.delete(route.pattern);
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
  useScreenFacts.setState((state) => ({
    facts: { ...state.facts, [pattern]: { title: contract.title, sensitive } },
  }));
}
