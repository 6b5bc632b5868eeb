import { formFieldNames, type Resource } from '../../contract/resource.ts';
import type { DatabaseTables } from '../tables-of-database.ts';
import type { Binding } from './binding.ts';
import { columnOfField } from './field-columns.ts';

/**
 * What a binding says of its table that the table contradicts: each a reason not to start. An optional field of a new row needs a
 * column that may be empty, has a default, or is filled in by the binding (`completes`).
 */
export function tableProblems(resource: Resource, binding: Binding, tables: DatabaseTables): string[] {
  const { table } = binding;
  const problems: string[] = [];
  for (const [action, columns] of Object.entries(binding.sets ?? {}))
    for (const column of Object.keys(columns!))
      if (resource.actions?.[action] && !tables.mayHaveColumn(table, column))
        problems.push(`${resource.name}: action ${action} sets ${table}.${column}, which does not exist`);
  if (!resource.actions?.create || binding.handlers?.create) return problems;
  for (const name of formFieldNames(resource, 'create')) {
    const column = columnOfField(resource.fields, binding, name);
    if (column === undefined || resource.fields[name]!.required || binding.completes?.includes(name))
      continue;
    if (tables.isNotNull(table, column) && !tables.hasDefault(table, column))
      problems.push(
        `${resource.name}: field ${name} may be left out, but ${table}.${column} is NOT NULL without a default: make the field required, give the column a default, or name it in completes of the binding`,
      );
  }
  return problems;
}
