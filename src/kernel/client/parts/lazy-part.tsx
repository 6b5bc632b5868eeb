import { lazy, Suspense, type ComponentType, type ReactNode } from 'react';

/**
 * A component that is fetched when it is first drawn: dialogs, parts of a detail, editors. `shape` stands in for it
 * meanwhile. Screens use it so that opening a list fetches the list only.
 */
export function lazyPart<P extends object>(
  load: () => Promise<ComponentType<P>>,
  shape: ReactNode = null,
): ComponentType<P> {
  const Later = lazy(async () => ({ default: (await load()) as ComponentType<object> }));
  return function LazyPart(props: P) {
    return (
      <Suspense fallback={shape}>
        <Later {...props} />
      </Suspense>
    );
  };
}
