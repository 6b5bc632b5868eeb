import type { Fields } from '../../contract/fields.ts';
import type { FormValues } from './form-values.rules.ts';

/** First values as an address carries them; what has no short text stays behind. */
export function queryOf(fields: Fields, values: FormValues): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    const field = fields[name];
    if (!field || value === undefined || value === null) continue;
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      query.set(name, String(value));
    else if ((field.kind === 'ref' || field.kind === 'treeRef') && 'id' in (value as object))
      query.set(name, (value as { id: string }).id);
    else if (field.kind === 'refs')
      query.set(name, (value as readonly { id: string }[]).map((one) => one.id).join(','));
  }
  return query;
}
