import { maskValue } from '../../contract/mask.rules.ts';
import { fieldsOf, titleFieldOf, type Resource } from '../../contract/resource.ts';
import { run } from '../database.ts';
import type { Caller } from '../people/caller.ts';
import { Parameters, scopeCondition } from '../people/scope.ts';
import type { Platform } from '../platform.ts';
import type { Binding } from './binding.ts';
import { containing } from './like-text.ts';
import type { BoundColumns } from './list-query.ts';
import { nameOrder } from './name-order.ts';

/** Choices of pickers that point to rows of a resource: those the caller sees under its menu. */
export function optionSource(resource: Resource, binding: Binding, columns: BoundColumns) {
  const title = columns.expression(titleFieldOf(resource));
  return {
    target: resource.name,
    anyOf: [resource.menu],
    plain: true as const,
    find: async (
      call: { caller: Caller; platform: Platform },
      query: { searchVal: string; ids: readonly string[]; offset: number; limit: number },
    ) => {
      const parameters = new Parameters();
      const parts = [scopeCondition(call.caller, resource.menu, binding.scope, parameters)];
      if (binding.where) parts.push(binding.where);
      if (query.ids.length > 0) parts.push(`t.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
      if (query.searchVal) parts.push(`${title} ILIKE ${parameters.bind(containing(query.searchVal))}`);
      const kind = fieldsOf(resource)[titleFieldOf(resource)]?.kind;
      const order = kind === 'text' || kind === 'personName' ? nameOrder(title) : title;
      const note = binding.optionNote ? `, ${binding.optionNote} AS note` : '';
      const rows = await run<{ id: number; title: string; note?: string }>(
        call.platform.database.db,
        `SELECT t.id, ${title} AS title${note} FROM ${columns.from} WHERE ${parts.join(' AND ')} ORDER BY ${order}, t.id LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
        parameters.values,
      );
      const field = fieldsOf(resource)[titleFieldOf(resource)];
      return rows.map((row) => ({
        ...row,
        id: String(row.id),
        title: field?.mask ? maskValue(field.mask, row.title) : row.title,
      }));
    },
  };
}
