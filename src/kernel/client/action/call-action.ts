import type { ResourceSpec } from '../../contract/resource.ts';
import { call } from '../api-client.ts';
import { rootOf, type RowData } from '../wire.ts';

/** Calls an action on a row or on the page and returns what the server answers. Throws ApiError. */
export function callAction(
  resource: ResourceSpec,
  action: { readonly name: string; readonly row: RowData | undefined },
  input: Readonly<Record<string, unknown>>,
  idempotencyKey: string,
): Promise<unknown> {
  const root = rootOf(resource);
  const { name, row } = action;
  if (!row) return call('POST', `${root}/action/${name}`, { body: input, idempotencyKey });
  if (name === 'remove')
    return call('DELETE', `${root}/${encodeURIComponent(row.id)}`, {
      query: { version: row.version },
      ...(Object.keys(input).length > 0 ? { body: input } : {}),
      idempotencyKey,
    });
  return call('POST', `${root}/${encodeURIComponent(row.id)}/${name}`, {
    body: { version: row.version, ...input },
    idempotencyKey,
  });
}
