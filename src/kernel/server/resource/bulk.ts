import { textOf } from '../../contract/label.ts';
import { InvalidInput, Refusal, invalid } from '../http/errors.ts';
import type { Call } from '../registration.ts';
import type { BoundResource } from './bind.ts';

/** Runs an action on each of the chosen rows, one transaction a row; says which were done and why others were not. */
export async function bulk(
  bound: Omit<BoundResource, 'registration'>,
  call: Call,
  action: string,
  max: number,
): Promise<unknown> {
  const body = call.body as { ids?: unknown; versions?: unknown; input?: unknown } | null;
  const ids = body?.ids;
  const versions = readVersions(body?.versions);
  if (
    !Array.isArray(ids) ||
    ids.length === 0 ||
    !ids.every((id) => typeof id === 'string' && /^\d{1,15}$/.test(id))
  )
    throw invalid({ ids: ['请选择数据', 'Please select rows'] });
  if (ids.length > max) throw invalid({ ids: [`一次最多${max}条`, `At most ${max} rows at once`] });
  const done: string[] = [];
  const failed: { id: string; message: string }[] = [];
  for (const id of new Set(ids as string[])) {
    try {
      await bound.act(call, action, Number(id), body?.input ?? {}, versions.get(id));
      done.push(id);
    } catch (error) {
      // Without the right or the session none of the others would pass either; nor with an input the first row refuses.
      const first = done.length === 0 && failed.length === 0;
      if (
        !(error instanceof Refusal) ||
        (error instanceof InvalidInput && first) ||
        [401, 403].includes(error.http)
      )
        throw error;
      failed.push({ id, message: textOf(error.label, call.facts.language) });
    }
  }
  return { done, failed };
}

/** Versions the caller saw, by id; rows without one are not checked. */
function readVersions(value: unknown): ReadonlyMap<string, number> {
  if (value === undefined || value === null) return new Map();
  const entries = typeof value === 'object' && !Array.isArray(value) ? Object.entries(value) : undefined;
  if (!entries?.every((entry): entry is [string, number] => Number.isSafeInteger(entry[1])))
    throw invalid({ versions: ['版本号不正确', 'The versions are not valid'] });
  return new Map(entries);
}
