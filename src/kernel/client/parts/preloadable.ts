import { lazy, type ComponentType, type LazyExoticComponent } from 'react';

/** A part of a screen in a chunk of its own that can be fetched before it is asked for. */
export interface Preloadable<P> {
  readonly Component: LazyExoticComponent<ComponentType<P>>;
  /** Fetches the code; a failure is left to the moment the part is really wanted. */
  preload(): void;
}

/**
 * Makes a component of code that is loaded later. Once the code is there it is drawn at once: a plain `lazy` suspends the
 * first time all the same, and React then holds the result back for 300 ms.
 */
export function preloadable<P>(load: () => Promise<ComponentType<P>>): Preloadable<P> {
  let loaded: { readonly default: ComponentType<P> } | undefined;
  const fetchOnce = async () => (loaded ??= { default: await load() });
  const now = (): PromiseLike<{ readonly default: ComponentType<P> }> =>
    loaded === undefined
      ? fetchOnce()
      : // Told in the same moment, which is what keeps React from suspending.
        // eslint-disable-next-line unicorn/no-thenable
        ({ then: (tell: (module: unknown) => void) => tell(loaded) } as never);
  return {
    Component: lazy(now as () => Promise<{ default: ComponentType<P> }>),
    preload: () => void fetchOnce().catch(() => {}),
  };
}
