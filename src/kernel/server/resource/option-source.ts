import type { OptionSource, Registration } from '../registration.ts';

/**
 * The source of choices of a target: one that a service wrote itself, whichever service that is, else the one the engine gives
 * every resource for the people of its own menu. Undefined where nobody offers it.
 */
export function optionSourceOf(
  registrations: readonly Registration[],
  target: string,
): OptionSource | undefined {
  let plain: OptionSource | undefined;
  for (const service of registrations)
    for (const source of service.options ?? []) {
      if (source.target !== target) continue;
      if (!source.plain) return source;
      plain ??= source;
    }
  return plain;
}
