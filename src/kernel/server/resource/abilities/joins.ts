import type { Resource } from '../../../contract/resource.ts';
import type { Binding, Join, RefColumn } from '../binding.ts';
import { joinedRef, snakeCase } from '../list-query.ts';
import { inReach } from './reach.ts';

/** References title themselves: a LEFT JOIN a field, id and title columns; what is written must be offered to the caller. */
export function joins(resource: Resource, binding: Binding): Binding {
  const declared: Record<string, Join> = {
    ...(resource.stamps
      ? {
          creator: { table: 'staff', column: 'created_by' },
          updater: { table: 'staff', column: 'updated_by' },
        }
      : {}),
    ...Object.fromEntries(
      Object.entries(binding.joins ?? {}).map(([name, join]) => [
        name,
        typeof join === 'string' ? { table: join } : join,
      ]),
    ),
  };
  if (Object.keys(declared).length === 0) return binding;
  const columns: Record<string, string | RefColumn> = {};
  const writes: Record<string, string> = {};
  let from = binding.from ?? `${binding.table} t`;
  for (const [name, join] of Object.entries(declared)) {
    const { table, column = `${snakeCase(name)}_id`, title } = join;
    const alias = `r_${snakeCase(name)}`;
    const plain = joinedRef(alias, `t.${column}`, join);
    columns[name] = title?.includes('.') ? { ...plain, title } : plain;
    writes[name] = column;
    from += ` LEFT JOIN ${table} ${alias} ON ${alias}.id = t.${column}`;
  }
  const written = Object.keys(binding.joins ?? {}).filter((name) => !resource.fields[name]?.readOnly);
  return {
    ...binding,
    from,
    columns: { ...columns, ...binding.columns },
    writes: { ...writes, ...binding.writes },
    before: [
      ...(binding.before ?? []),
      async (context) => {
        for (const name of written) {
          const id = context.input[name];
          // An unchanged reference may point to what is not offered any more.
          if (typeof id !== 'number' || id === context.row[writes[name]!]) continue;
          await inReach(context, resource.fields[name]!, [id], name);
        }
      },
    ],
  };
}
