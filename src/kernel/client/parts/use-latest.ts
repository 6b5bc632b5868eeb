import { useLayoutEffect, useRef, useState } from 'react';

/**
 * The same object for the whole life of a component whose functions always run the newest version: what is given them
 * needs no new drawing when only a closure has changed.
 */
export function useLatest<T extends Readonly<Record<string, ((...args: never[]) => unknown) | undefined>>>(
  functions: T,
): { readonly [K in keyof T]-?: NonNullable<T[K]> } {
  const latest = useRef(functions);
  useLayoutEffect(() => {
    latest.current = functions;
  });
  const [stable] = useState(
    () =>
      Object.fromEntries(
        Object.keys(functions).map((name) => [
          name,
          (...args: never[]) => latest.current[name as keyof T]?.(...args),
        ]),
      ) as { readonly [K in keyof T]-?: NonNullable<T[K]> },
  );
  return stable;
}
