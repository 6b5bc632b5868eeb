import type { Resource } from '../../../contract/resource.ts';
import type { Binding } from '../binding.ts';
import { snakeCase } from '../list-query.ts';

/** A view shows the rows with its fixed values, makes rows with them, and is told of under the name of its base. */
export function view(resource: Resource, binding: Binding): Binding {
  if (!resource.view) return binding;
  const { of, fixed } = resource.view;
  const columns = Object.entries(fixed).map(([name, value]) => {
    const column = binding.writes?.[name] ?? snakeCase(name);
    // Words of choices are plain; they stand in SQL text.
    if (column === false || !/^[a-z0-9_]+$/i.test(value))
      throw new Error(`${resource.name}: ${name} cannot be fixed to ${value}`);
    return [column, value] as const;
  });
  const rows = columns.map(([column, value]) => `t.${column} = '${value}'`);
  return {
    entity: of,
    ...binding,
    where: [...(binding.where ? [`(${binding.where})`] : []), ...rows].join(' AND '),
    createDefaults: async (tx, caller) => ({
      ...(await binding.createDefaults?.(tx, caller)),
      ...Object.fromEntries(columns),
    }),
  };
}
