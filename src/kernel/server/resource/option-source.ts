import type { OptionSource, Registration } from '../registration.ts';

const known = new WeakMap<readonly Registration[], ReadonlyMap<string, OptionSource>>();

/**
 * The source of choices of each target: one that a service wrote itself, whichever service that is, else the one the engine gives
 * every resource for the people of its own menu.
 */
export function optionSourcesOf(registrations: readonly Registration[]): ReadonlyMap<string, OptionSource> {
  let sources = known.get(registrations);
  if (!sources) {
    const all = registrations.flatMap((service) => service.options ?? []);
    const first = new Map<string, OptionSource>();
    for (const source of [...all.filter((one) => !one.plain), ...all.filter((one) => one.plain)])
      if (!first.has(source.target)) first.set(source.target, source);
    known.set(registrations, (sources = first));
  }
  return sources;
}
