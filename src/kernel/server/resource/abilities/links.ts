import type { Field } from '../../../contract/fields.ts';
import type { Resource } from '../../../contract/resource.ts';
import type { FieldChange } from '../../audit/audit.ts';
import { run, type Executor } from '../../database.ts';
import type { Binding, Link } from '../binding.ts';
import { isRefused, joinedRef, readIds, refJson } from '../list-query.ts';
import { isWrite, type ActionContext } from '../run-action.ts';
import { inReach } from './reach.ts';

/**
 * Fields of kind refs kept in a table of pairs: read with id and title, filtered, written, checked for the caller's reach, told
 * in timeline and audit.
 */
export function links(resource: Resource, binding: Binding): Binding {
  if (!binding.links) return binding;
  const columns: Record<string, string> = {};
  const filters: Record<string, NonNullable<Binding['filters']>[string]> = {};
  const writes: Record<string, false> = {};
  for (const [name, link] of Object.entries(binding.links)) {
    const { table, own, other, to, title = 'name' } = link;
    columns[name] =
      `(SELECT coalesce(jsonb_agg(${refJson(joinedRef('l', 'l.id', link))} ORDER BY l.${title}, l.id), '[]') FROM ${table} p JOIN ${to} l ON l.id = p.${other} WHERE p.${own} = t.id)`;
    filters[name] = (value, parameters) => {
      const ids = readIds(value);
      if (isRefused(ids)) return ids;
      return `EXISTS (SELECT 1 FROM ${table} p WHERE p.${own} = t.id AND p.${other} = ANY(${parameters.bind(ids)}::bigint[]))`;
    };
    writes[name] = false;
  }
  return {
    ...binding,
    columns: { ...columns, ...binding.columns },
    filters: { ...filters, ...binding.filters },
    writes: { ...writes, ...binding.writes },
    after: [
      ...(binding.after ?? []),
      async (context, id) => {
        const changes: FieldChange[] = [];
        if (!isWrite(context.action)) return changes;
        for (const [name, link] of Object.entries(binding.links!))
          if (resource.fields[name] && context.input[name] !== undefined)
            changes.push(
              ...(await setLinks(context, id, name, link, resource.fields[name], context.input[name])),
            );
        return changes;
      },
    ],
  };
}

async function setLinks(
  context: ActionContext,
  id: number,
  name: string,
  { table, own, other, to, title = 'name' }: Link,
  field: Field,
  value: unknown,
): Promise<FieldChange[]> {
  const { tx } = context;
  const wanted = new Set((value ?? []) as number[]);
  const before = await titlesOf(
    tx,
    `SELECT p.${other} AS id, l.${title} AS title FROM ${table} p JOIN ${to} l ON l.id = p.${other} WHERE p.${own} = $1 ORDER BY l.${title}, l.id`,
    [id],
  );
  const held = new Set(before.map((one) => one.id));
  const added = [...wanted].filter((one) => !held.has(one));
  const gone = [...held].filter((one) => !wanted.has(one));
  if (added.length === 0 && gone.length === 0) return [];
  await inReach(context, field, added, name);
  if (gone.length > 0)
    await run(tx, `DELETE FROM ${table} WHERE ${own} = $1 AND ${other} = ANY($2::bigint[])`, [id, gone]);
  if (added.length > 0)
    await run(tx, `INSERT INTO ${table} (${own}, ${other}) SELECT $1, unnest($2::bigint[])`, [id, added]);
  const after = await titlesOf(
    tx,
    `SELECT l.id, l.${title} AS title FROM ${to} l WHERE l.id = ANY($1::bigint[]) ORDER BY l.${title}, l.id`,
    [[...wanted]],
  );
  return [{ field: name, before: before.map((one) => one.title), after: after.map((one) => one.title) }];
}

const titlesOf = (tx: Executor, text: string, values: readonly unknown[]) =>
  run<{ id: number; title: string }>(tx, text, values);
