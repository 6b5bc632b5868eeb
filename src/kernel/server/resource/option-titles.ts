import { holds } from '../people/caller.ts';
import type { Call } from '../registration.ts';
import { optionSourcesOf } from './option-source.ts';

/** Most entries a source is asked for at once. */
const BATCH = 200;

/**
 * Titles of rows by id as the picker of a target tells them to this caller. An id that is missing in the answer is not
 * offered: it does not exist, or the caller does not see it, and nothing says which.
 */
export async function optionTitles(
  call: Pick<Call, 'caller' | 'platform' | 'facts'>,
  target: string,
  ids: Iterable<number | string>,
): Promise<ReadonlyMap<string, string>> {
  const wanted = [...new Set([...ids].map(String))].filter((id) => /^\d{1,15}$/.test(id));
  const titles = new Map<string, string>();
  const source = optionSourcesOf(call.platform.registrations).get(target);
  if (!source || (source.anyOf && !source.anyOf.some((code) => holds(call.caller, code)))) return titles;
  for (let from = 0; from < wanted.length; from += BATCH) {
    const part = wanted.slice(from, from + BATCH);
    const found = await source.find(call, { searchVal: '', ids: part, offset: 0, limit: BATCH });
    for (const one of found) titles.set(one.id, one.title);
  }
  return titles;
}
