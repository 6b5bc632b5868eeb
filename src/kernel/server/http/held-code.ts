import { holds, type Caller } from '../people/caller.ts';
import type { Endpoint } from '../registration.ts';

/** The menu or element that allows a call: of several the first the caller holds; empty where a call needs none. */
export function codeOfCall({ access }: Pick<Endpoint, 'access'>, caller: Caller | undefined): string {
  if (typeof access === 'string' || 'program' in access) return '';
  if ('code' in access) return access.code;
  return access.anyOf.find((code) => caller && holds(caller, code)) ?? access.anyOf[0] ?? '';
}
