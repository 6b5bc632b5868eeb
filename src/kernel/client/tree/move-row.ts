import type { ResourceSpec } from '../../contract/resource.ts';
import { call, newIdempotencyKey } from '../api-client.ts';
import { rootOf, type RowData } from '../wire.ts';
import type { Place } from './tree.rules.ts';

/** Moves a row of a tree to a place. Throws ApiError. */
export function moveRow(
  resource: ResourceSpec,
  row: Pick<RowData, 'id' | 'version'>,
  place: Place,
  options: { readonly key?: string; readonly quiet?: boolean } = {},
): Promise<RowData> {
  return call<RowData>('POST', `${rootOf(resource)}/${encodeURIComponent(row.id)}/move`, {
    body: { version: row.version, ...place },
    idempotencyKey: options.key ?? newIdempotencyKey(),
    quiet: options.quiet ?? false,
  });
}
